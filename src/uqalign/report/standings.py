"""How good each model is by every metric and for every decision family, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.alignment import per_seed
from uqalign.checks import FloatArray
from uqalign.inference.resampled import resampled_mean
from uqalign.report.frames import STANDING_COLUMNS

if TYPE_CHECKING:
    import pandas as pd


def _decisions_mean(block: pd.DataFrame) -> FloatArray:
    """(seeds, models) mean over the decisions of a family; those that no model has a value for are left out."""
    known = block[block.notna().any(axis=1)]
    if known.empty:
        return np.full((block.index.get_level_values("seed").nunique(), block.shape[1]), np.nan)
    blocks = [part.to_numpy(dtype=np.float64).mean(axis=0) for _, part in known.groupby(level="seed")]
    return np.array(blocks)


def _mean_and_interval(values: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean, interval and count over the seeds of (models, seeds); an infinite value gives an infinite mean."""
    finite = np.where(np.isinf(values), np.nan, values)
    found = resampled_mean(finite, test_train_ratio=ratio)
    low, high = found.interval()
    infinite = np.asarray(np.isinf(values).any(axis=1))
    whole = found.mean.copy()
    with np.errstate(invalid="ignore"):
        for i in np.flatnonzero(infinite):
            whole[i] = values[i][~np.isnan(values[i])].mean()
    low, high = (np.where(infinite, np.nan, end) for end in (low, high))
    return whole, low, high, (~np.isnan(values)).sum(axis=1).astype(np.float64)


def standings(
    scores: pd.DataFrame,
    models: Sequence[str],
    folds: int,
    higher_is_better: Mapping[str, bool],
    *,
    test_train_ratio: float | None = None,
) -> pd.DataFrame:
    """Means over folds and repeats of every metric and every family's utility, with 95 % intervals.

    The intervals are corrected resampled t (Nadeau and Bengio 2003); so are those of the difference to the model of
    best mean, over the repeats in which both have a value.

    Args:
        scores: rows as `contracts.scores.SCORE_COLUMNS` of one data set.
        models: models in order; one without scores has rows without values.
        folds: folds that each mean must have; 1 for a single test set, whose repeats are taken as independent.
        higher_is_better: orientation of the metrics; others are left out.
        test_train_ratio: n_test / n_train of one split; by default 1 / (folds - 1), or 0 with a single fold.

    Returns:
        columns `STANDING_COLUMNS`.
    """
    import pandas as pd

    if scores.empty:
        return pd.DataFrame(columns=STANDING_COLUMNS)
    ratio = test_train_ratio
    if ratio is None:
        ratio = 1 / (folds - 1) if folds > 1 else 0.0
    kept = scores[(scores["kind"] == "utility") | scores["name"].isin(list(higher_is_better))]
    wide = per_seed(kept[kept["kind"].isin(["utility", "metric"])], models, folds)
    place = {"task": scores["task"].iloc[0], "dataset": scores["dataset"].iloc[0]}
    frames = []
    for (kind, name), block in wide.groupby(level=["kind", "name"], sort=False):
        values = _decisions_mean(block).T
        sign = 1.0 if kind == "utility" or higher_is_better[str(name)] else -1.0
        mean, low, high, count = _mean_and_interval(values, ratio)
        best = np.argmax(np.where(np.isnan(mean), -np.inf, sign * mean))
        with np.errstate(invalid="ignore"):
            behind, behind_low, behind_high, _ = _mean_and_interval(sign * (values[best] - values), ratio)
        frames.append(
            pd.DataFrame(
                {
                    **place, "kind": kind, "name": name, "model": list(models), "mean": mean, "low": low, "high": high,
                    "behind": behind, "behind_low": behind_low, "behind_high": behind_high, "seeds": count.astype(int),
                }
            )
        )  # fmt: skip
    return pd.concat(frames, ignore_index=True)[STANDING_COLUMNS]
