"""Alignment as a surface over priors, and alignment with the published levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import common_blocks, kendall
from uqalign.checks import FloatArray
from uqalign.sensitivity.grid import PriorMap, beta_parameters, grid_points

if TYPE_CHECKING:
    import pandas as pd


def fold_means(frame: pd.DataFrame, seeds: Sequence[int], models: Sequence[str], folds: int, points: int) -> FloatArray:
    """Mean over folds of every point of one map or of the levels.

    Args:
        frame: rows of one family, kind and parameter with a column `model`; other seeds and models are left out.
        folds: folds that each mean must have.
        points: number of points.

    Returns:
        (seeds, points, models); NaN where a model lacks a fold or is undefined in one.
    """
    import pandas as pd

    seed = pd.Index(seeds).get_indexer(pd.Index(frame["seed"]))
    model = pd.Index(models).get_indexer(pd.Index(frame["model"]))
    kept = np.flatnonzero((seed >= 0) & (model >= 0))
    cell = (seed[kept] * points + frame["point"].to_numpy()[kept]) * len(models) + model[kept]
    shape = (len(seeds), points, len(models))
    total, count = np.zeros((2, len(seeds) * points * len(models)))
    # One fold after the other, in order: each cell is a sum of `folds` numbers whatever order the rows are in.
    order = np.lexsort((frame["fold"].to_numpy()[kept], cell))
    np.add.at(total, cell[order], frame["value"].to_numpy(dtype=np.float64)[kept][order])
    np.add.at(count, cell, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(count == folds, total / count, np.nan)
    return means.reshape(shape)


def tau_surfaces(metrics: FloatArray, utilities: FloatArray) -> FloatArray:
    """Kendall's tau-b of every metric with every expected utility, seed by seed.

    Args:
        metrics: (seeds, a, models), higher is better; NaN where undefined.
        utilities: (seeds, points, models).

    Returns:
        (seeds, a, points); NaN where fewer than two models have both values, or either is constant.
    """
    taus = np.full((*metrics.shape[:2], utilities.shape[1]), np.nan)
    for seed, (m, u) in enumerate(zip(metrics, utilities, strict=True)):
        for cells, some, others in common_blocks(m, u):
            if some.shape[1] > 1:
                taus[seed][cells] = kendall(some, others)
    return taus


def surface_frame(taus: FloatArray, metrics: Sequence[str], prior_map: PriorMap, dataset: str) -> pd.DataFrame:
    """Mean, median and 5 % / 95 % quantiles over seeds, as `contracts.sensitivity.SURFACE_COLUMNS`.

    Args:
        taus: (seeds, metrics, points).
    """
    import pandas as pd

    defined = np.count_nonzero(~np.isnan(taus), axis=0)
    some = np.where(defined > 0, taus, 0.0)
    low, median, high = np.where(defined > 0, np.nanquantile(some, [0.05, 0.5, 0.95], axis=0), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(taus, axis=0) / defined
    mode, concentration = grid_points()
    a, b = beta_parameters(mode, concentration)
    n = len(metrics)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "family": prior_map.family.name,
            "parameter": prior_map.parameter,
            **{
                name: np.tile(values, n)
                for name, values in {"mode": mode, "concentration": concentration, "a": a, "b": b}.items()
            },
            "metric": np.repeat(np.array(metrics, dtype=object), len(mode)),
            "mean": mean.ravel(),
            "median": median.ravel(),
            "q05": low.ravel(),
            "q95": high.ravel(),
            "defined": defined.ravel(),
            "expected": len(taus),
        }
    )


def metric_array(wide: pd.DataFrame, seeds: Sequence[int], higher_is_better: Mapping[str, bool]) -> FloatArray:
    """(seeds, metrics, models) fold means of the metrics, turned so that higher is better.

    Args:
        wide: output of `alignment.per_seed`.
    """
    import pandas as pd

    parts = []
    for name, higher in higher_is_better.items():
        index = pd.MultiIndex.from_product([seeds, ["metric"], [name], [""]], names=wide.index.names)
        values = wide.reindex(index).to_numpy(dtype=np.float64)
        parts.append(values if higher else -values)
    return np.stack(parts, axis=1)
