"""Decision-alignment: does a metric rank models as a decision's realised utility does?

For each seed, every measure is averaged over the folds for each model; a metric's alignment with a decision is
Kendall's tau-b between the two rankings of the models. See Schneider et al. (2026), section 3 and appendix J.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray

if TYPE_CHECKING:
    import pandas as pd

TIE_TOLERANCE = 1e-12
"""Two values this close, relative to the largest finite one compared, are a tie: sums of the same numbers in another
order differ by about 1e-16, and such a difference must not decide a ranking."""


def fold_mean(values: npt.ArrayLike) -> float:
    """Mean over folds, correctly rounded; NaN if a fold has no value, infinite if a fold is."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        with np.errstate(invalid="ignore"):
            return float(array.mean())
    return math.fsum(array.tolist()) / len(array)


def pair_signs(values: FloatArray) -> npt.NDArray[np.int8]:
    """Order of every pair of models.

    Args:
        values: (..., m) one value per model; infinities rank, NaN does not.

    Returns:
        (..., m (m - 1) / 2) in {-1, 0, 1}: sign of values[i] - values[j] for i < j, zero for ties and for NaN.
    """
    i, j = np.triu_indices(values.shape[-1], k=1)
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0, where=np.isfinite(values))
    left, right = values[..., i], values[..., j]
    with np.errstate(invalid="ignore"):
        tied = np.abs(left - right) <= TIE_TOLERANCE * size
        return np.where(tied, 0, np.int8(1) * (left > right) - np.int8(1) * (left < right)).astype(np.int8)


def kendall_tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau-b between two lists of values, over the entries where neither is NaN.

    tau_b = sum sign(dx) sign(dy) / sqrt(n_x n_y) over pairs, with n_x, n_y the numbers of pairs untied in x and in y.

    Args:
        x, y: (m,) values; infinities count as the largest or smallest value.

    Returns:
        tau-b in [-1, 1]; NaN with fewer than two entries or when either list is constant.

    Raises:
        ValueError: different lengths.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"x and y must be two lists of one length, got shapes {a.shape} and {b.shape}")
    both = ~(np.isnan(a) | np.isnan(b))
    if both.sum() < 2:
        return math.nan
    sx, sy = pair_signs(a[both]).astype(int), pair_signs(b[both]).astype(int)
    untied = float(np.count_nonzero(sx)) * float(np.count_nonzero(sy))
    return float((sx * sy).sum() / math.sqrt(untied)) if untied else math.nan


def why_undefined(metric: FloatArray, utility: FloatArray) -> str:
    """The reason that `kendall_tau_b(metric, utility)` is NaN."""
    both = ~(np.isnan(metric) | np.isnan(utility))
    if both.sum() < 2:
        return "fewer than two models have both values"
    if not pair_signs(metric[both]).any():
        return "the metric is the same for all models"
    return "the utility is the same for all models"


def ranking(values: Sequence[float], names: Sequence[str], *, higher_is_better: bool) -> list[list[str]]:
    """Models from best to worst; ties share a place, models without a value (NaN) are left out.

    Example:
        >>> ranking([math.nan, 0.7, 0.5], ["A", "B", "C"], higher_is_better=True)
        [['B'], ['C']]
    """
    array = np.asarray(values, dtype=np.float64)
    order = [int(i) for i in np.argsort(-array if higher_is_better else array, kind="stable") if array[i] == array[i]]
    size = float(np.max(np.abs(array), initial=0, where=np.isfinite(array)))
    places: list[list[str]] = []
    for position, index in enumerate(order):
        before = array[order[position - 1]] if position else math.nan
        tied = before == array[index] or abs(before - array[index]) <= TIE_TOLERANCE * size
        if tied:
            places[-1].append(names[index])
        else:
            places.append([names[index]])
    return places


def per_seed(
    scores: pd.DataFrame, models: Sequence[str], folds: int, mean: Callable[[FloatArray], float] = fold_mean
) -> pd.DataFrame:
    """Fold means of every measure: one row per (seed, kind, name, theta), one column per model.

    A model that lacks a fold (its fit failed) or is undefined in one has NaN for that seed: no value is made up.

    Args:
        scores: rows as `contracts.scores.SCORE_COLUMNS` of one data set.
        models: models in column order; absent ones become NaN columns.
        folds: folds that each mean must have.
        mean: mean over folds.
    """
    keys = ["seed", "kind", "name", "theta"]
    grouped = scores.groupby([*keys, "model"], sort=True)["value"].agg(
        mean=lambda values: mean(values.to_numpy()), size="size"
    )
    means: pd.DataFrame = grouped["mean"].where(grouped["size"] == folds).unstack("model")
    return means.reindex(columns=list(models))


def oriented_tau(metric: FloatArray, utility: FloatArray, *, higher_is_better: bool) -> float:
    """Kendall's tau-b between a utility and a metric turned so that higher is better."""
    return kendall_tau_b(metric if higher_is_better else -metric, utility)


def align(
    wide: pd.DataFrame, higher_is_better: Mapping[str, bool], tau: Callable[..., float] = oriented_tau
) -> pd.DataFrame:
    """Alignment of every metric with every decision in every seed.

    Args:
        wide: output of `per_seed`.
        higher_is_better: orientation of each metric.
        tau: agreement of a metric's values with a utility's, as `oriented_tau`.

    Returns:
        columns seed, family, theta, metric, tau, models, note (see `contracts.alignment.ALIGNMENT_COLUMNS`).
    """
    import pandas as pd

    rows = []
    for seed, block in wide.groupby(level="seed"):
        metrics = block.xs("metric", level="kind")
        utilities = block.xs("utility", level="kind")
        for (_, family, theta), utility in zip(utilities.index, utilities.to_numpy(), strict=True):
            for (_, metric, _), values in zip(metrics.index, metrics.to_numpy(), strict=True):
                agreement = tau(values, utility, higher_is_better=higher_is_better[metric])
                count = int((~(np.isnan(values) | np.isnan(utility))).sum())
                note = why_undefined(values, utility) if math.isnan(agreement) else ""
                rows.append((seed, family, theta, metric, agreement, count, note))
    return pd.DataFrame(rows, columns=["seed", "family", "theta", "metric", "tau", "models", "note"])


def seed_taus(alignment: pd.DataFrame) -> pd.DataFrame:
    """Each metric's alignment with a family in one seed: the mean of tau over the family's decisions that have one.

    Returns:
        columns dataset, family, metric, seed, tau, defined (decisions with a tau), decisions (all).
    """
    keys = ["dataset", "family", "metric", "seed"]
    grouped = alignment.groupby(keys, sort=False)["tau"]
    return grouped.agg(tau="mean", defined="count", decisions="size").reset_index()


def summarise(alignment: pd.DataFrame) -> pd.DataFrame:
    """Median and 5 % / 95 % quantiles over seeds of each metric's alignment with each family on each data set.

    Returns:
        columns dataset, family, metric, median, q05, q95, defined, expected: taus that exist and that could exist,
        over seeds and decisions.
    """
    import pandas as pd

    if alignment.empty:
        return pd.DataFrame(columns=["dataset", "family", "metric", "median", "q05", "q95", "defined", "expected"])
    seeds = seed_taus(alignment)
    grouped = seeds.groupby(["dataset", "family", "metric"], sort=False)
    summary = grouped["tau"].quantile(np.array([0.5, 0.05, 0.95])).unstack()
    summary.columns = ["median", "q05", "q95"]
    counts = grouped[["defined", "decisions"]].sum().rename(columns={"decisions": "expected"})
    return summary.join(counts).reset_index()
