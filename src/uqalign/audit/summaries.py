"""Medians and intervals of the audit's taus, and how sure a difference is when seeds share their data."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from uqalign.checks import FloatArray

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 2000
MIN_SEEDS = 5
"""With fewer seeds nothing is said about how sure a result is."""


def summarise_taus(taus: pd.DataFrame) -> pd.DataFrame:
    """Median and 5 % / 95 % quantiles over seeds.

    Args:
        taus: rows as `TAU_COLUMNS`.

    Returns:
        columns dataset, setting, family, metric, median, q05, q95, defined (share of the taus that exist, over seeds
        and decisions).
    """
    keys = ["dataset", "setting", "family", "metric"]
    grouped = taus.groupby(keys, sort=False)
    summary = grouped["tau"].quantile(np.array([0.5, 0.05, 0.95])).unstack()
    summary.columns = ["median", "q05", "q95"]
    counts = grouped[["defined", "decisions"]].sum()
    return summary.join((counts["defined"] / counts["decisions"]).rename("defined")).reset_index()


@dataclass(frozen=True)
class Block:
    """The taus of one data set, setting and family.

    Attributes:
        metrics: (m,) names.
        medians: (m,) medians over seeds.
        draws: (b, m) medians that other seeds and other data might have given.
        seeds: number of seeds with a tau.
    """

    metrics: tuple[str, ...]
    medians: FloatArray
    draws: FloatArray
    seeds: int

    def at(self, metric: str) -> float:
        """Median of one metric; NaN if it was not computed."""
        return float(self.medians[self.metrics.index(metric)]) if metric in self.metrics else math.nan

    def drawn(self, metric: str) -> FloatArray:
        """(b,) drawn medians of one metric; NaN if it was not computed."""
        if metric not in self.metrics:
            return np.full(len(self.draws), math.nan)
        drawn: FloatArray = self.draws[:, self.metrics.index(metric)]
        return drawn


def corrected_draws(taus: FloatArray, folds: int, *, name: str, draws: int = DRAWS) -> FloatArray:
    """(b, m) medians of resampled seeds, spread out for what seeds share.

    All seeds split the same rows, so that their taus are correlated and a bootstrap of seeds alone is too sure. As in
    the corrected resampled variance, s^2 (1/J + n_test/n_train) instead of s^2 / J (Nadeau and Bengio 2003), deviations
    from the median are stretched by sqrt(1 + J n_test/n_train), n_test/n_train = 1/(folds - 1).

    Args:
        taus: (s, m) taus by seed and metric; NaN where undefined.
        folds: folds of the cross-validation.
        name: what the draws are for: one name, one choice of seeds.
    """
    seeds = len(taus)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    chosen = rng.integers(0, seeds, size=(draws, seeds))
    point = _medians(taus[None])[0]
    stretched: FloatArray = point + math.sqrt(1 + seeds / (folds - 1)) * (_medians(taus[chosen]) - point)
    return stretched


def _medians(taus: FloatArray) -> FloatArray:
    """Medians over axis 1, over the defined values; NaN where there is none."""
    if not np.isnan(taus).any():
        medians: FloatArray = np.median(taus, axis=1)
        return medians
    ordered = np.sort(taus, axis=1)  # NaN last
    count = (~np.isnan(taus)).sum(axis=1, keepdims=True)
    low, high = np.maximum((count - 1) // 2, 0), np.minimum(count // 2, taus.shape[1] - 1)
    middle = (np.take_along_axis(ordered, low, axis=1) + np.take_along_axis(ordered, high, axis=1)) / 2
    some: FloatArray = np.where(count > 0, middle, math.nan)[:, 0]
    return some


def block_of(taus: pd.DataFrame, metrics: Sequence[str], folds: int) -> Block:
    """The block of one data set, setting and family.

    Args:
        taus: its rows as `TAU_COLUMNS`.
        metrics: the metrics to compare; absent ones are left out.
        folds: folds of the cross-validation; 1 if the seeds number draws of one test set, which are draws already.
    """
    wide = taus.pivot(index="seed", columns="metric", values="tau")
    names = tuple(metric for metric in metrics if metric in wide)
    values = wide[list(names)].to_numpy()
    # One choice of seeds for all families and settings of a data set: they are evaluated on the same splits.
    draws = values if folds == 1 else corrected_draws(values, folds, name=str(taus["dataset"].iloc[0]))
    return Block(names, _medians(values[None])[0], draws, int((~np.isnan(values)).any(axis=1).sum()))
