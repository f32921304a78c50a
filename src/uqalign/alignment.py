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

from uqalign.agreement import AGREEMENTS, TIE_TOLERANCE, Agreement, agree
from uqalign.checks import FloatArray

if TYPE_CHECKING:
    import pandas as pd


def fold_mean(values: npt.ArrayLike) -> float:
    """Mean over folds, correctly rounded; NaN if a fold has no value, infinite if a fold is."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        with np.errstate(invalid="ignore"):
            return float(array.mean())
    return math.fsum(array.tolist()) / len(array)


def ranking(values: Sequence[float], names: Sequence[str], *, higher_is_better: bool) -> list[list[str]]:
    """Models from best to worst; ties share a place, models without a value (NaN) are left out.

    Examples:
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
    import pandas as pd

    grouped = scores.groupby(["seed", "kind", "name", "theta"], sort=True)
    labels, measures = grouped.size().index, grouped.ngroup().to_numpy()
    columns = pd.Index(models).get_indexer(pd.Index(scores["model"]))
    kept = np.flatnonzero(columns >= 0)
    cells = measures[kept] * len(models) + columns[kept]
    order = np.argsort(cells, kind="stable")
    values = scores["value"].to_numpy(dtype=np.float64)[kept][order]
    found, starts = np.unique(cells[order], return_index=True)
    means = np.full(len(labels) * len(models), np.nan)
    for cell, start, end in zip(found, starts, np.append(starts, len(values))[1:], strict=True):
        if end - start == folds:
            means[cell] = mean(values[start:end])
    return pd.DataFrame(means.reshape(len(labels), len(models)), index=labels, columns=list(models))


def align(
    wide: pd.DataFrame, higher_is_better: Mapping[str, bool], agreement: Callable[..., Agreement] = agree
) -> pd.DataFrame:
    """Alignment of every metric with every decision in every seed.

    Args:
        wide: output of `per_seed`.
        higher_is_better: orientation of each metric.
        agreement: agreement of metrics with utilities, as `uqalign.agreement.agree`.

    Returns:
        columns seed, family, theta, metric, tau, top_1, top_3, pearson, models, note (see
        `contracts.alignment.ALIGNMENT_COLUMNS`).
    """
    import pandas as pd

    blocks = []
    for seed, block in wide.groupby(level="seed"):
        metrics, utilities = block.xs("metric", level="kind"), block.xs("utility", level="kind")
        names = metrics.index.get_level_values("name")
        signs = np.array([higher_is_better[name] for name in names], dtype=np.bool_)
        found = agreement(metrics.to_numpy(), utilities.to_numpy(), signs)
        blocks.append(
            pd.DataFrame(
                {
                    "seed": seed,
                    "family": np.repeat(utilities.index.get_level_values("name"), len(names)),
                    "theta": np.repeat(utilities.index.get_level_values("theta"), len(names)),
                    "metric": np.tile(names, len(utilities)),
                    **{name: values.T.ravel() for name, values in found.values.items()},
                    "models": found.models.T.ravel(),
                    "note": found.notes.T.ravel(),
                }
            )
        )
    columns = ["seed", "family", "theta", "metric", *AGREEMENTS, "models", "note"]
    return pd.concat(blocks, ignore_index=True) if blocks else pd.DataFrame(columns=columns)


def seed_means(alignment: pd.DataFrame, agreement: str = "tau") -> pd.DataFrame:
    """Each metric's agreement with a family in one seed: the mean over the family's decisions that have one.

    Args:
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`.
        agreement: a name of `uqalign.agreement.AGREEMENTS`.

    Returns:
        columns dataset, family, metric, seed, AGREEMENT, defined (decisions that have one), decisions (all).
    """
    keys = ["dataset", "family", "metric", "seed"]
    grouped = alignment.groupby(keys, sort=False)[agreement]
    return grouped.agg(mean="mean", defined="count", decisions="size").reset_index().rename(columns={"mean": agreement})


def seed_taus(alignment: pd.DataFrame) -> pd.DataFrame:
    """`seed_means` of Kendall's tau."""
    return seed_means(alignment, "tau")


def summarise(alignment: pd.DataFrame, agreement: str = "tau") -> pd.DataFrame:
    """Median and 5 % / 95 % quantiles over seeds of each metric's agreement with each family on each data set.

    Args:
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`.
        agreement: a name of `uqalign.agreement.AGREEMENTS`.

    Returns:
        columns dataset, family, metric, median, q05, q95, defined, expected: values that exist and that could exist,
        over seeds and decisions.
    """
    import pandas as pd

    if alignment.empty:
        return pd.DataFrame(columns=["dataset", "family", "metric", "median", "q05", "q95", "defined", "expected"])
    seeds = seed_means(alignment, agreement)
    grouped = seeds.groupby(["dataset", "family", "metric"], sort=False)
    summary = grouped[agreement].quantile(np.array([0.5, 0.05, 0.95])).unstack()
    summary.columns = ["median", "q05", "q95"]
    counts = grouped[["defined", "decisions"]].sum().rename(columns={"decisions": "expected"})
    return summary.join(counts).reset_index()
