"""How stable the ranking of the models is: over seeds on one data set, and over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.inference.comparison import RANK_COLUMNS, rank_table
from uqalign.inference.ranks import average_ranks
from uqalign.inference.stability import first_places, kendall_w, mean_pairwise_tau

if TYPE_CHECKING:
    import pandas as pd


def _measures(wide: pd.DataFrame, higher_is_better: Mapping[str, bool]) -> dict[tuple[str, str, str], FloatArray]:
    """Per (kind, name, theta) an array (seeds, models), turned so that higher is better."""
    found: dict[tuple[str, str, str], FloatArray] = {}
    for (kind, name, theta), block in wide.groupby(level=["kind", "name", "theta"], sort=False):
        values = block.to_numpy(dtype=float)
        found[str(kind), str(name), str(theta)] = (
            values if kind == "utility" or higher_is_better[str(name)] else -values
        )
    return found


def stability_tables(
    wide: Mapping[str, pd.DataFrame], higher_is_better: Mapping[str, bool]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Stability of the models' ranking over the seeds, by every metric and every decision on every data set.

    Args:
        wide: per data set, output of `alignment.per_seed`.
        higher_is_better: orientation of each metric.

    Returns:
        one row per data set and measure: columns dataset, kind (metric | utility), name, theta, kendall_w, mean_tau
        (between two seeds), defined, pairs (pairs of seeds with a tau, and all), first (the model that is first most
        often), first_share, seeds, models (that have a value in every seed, those that kendall_w compares);
        one row per data set, measure and model: columns dataset, kind, name, theta, model, share (of the seeds in
        which it is first).
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    shares: list[tuple[Any, ...]] = []
    for dataset, frame in wide.items():
        models = list(frame.columns)
        for key, values in _measures(frame, higher_is_better).items():
            tau, defined, pairs = mean_pairwise_tau(values)
            share = first_places(values)
            known = not np.isnan(share).any()
            best = int(np.argmax(share)) if known else -1
            first, first_share = (models[best], float(share[best])) if known else ("", float("nan"))
            complete = int((~np.isnan(values)).all(axis=0).sum())
            rows.append(
                (dataset, *key, kendall_w(values), tau, defined, pairs, first, first_share, len(values), complete)
            )
            shares += [(dataset, *key, model, value) for model, value in zip(models, share.tolist(), strict=True)]
    keys = ["dataset", "kind", "name", "theta"]
    columns = ["kendall_w", "mean_tau", "defined", "pairs", "first", "first_share", "seeds", "models"]
    return pd.DataFrame(rows, columns=[*keys, *columns]), pd.DataFrame(shares, columns=[*keys, "model", "share"])


def model_rank_table(
    wide: Mapping[str, pd.DataFrame], higher_is_better: Mapping[str, bool], models: Sequence[str]
) -> pd.DataFrame:
    """Friedman's test of the models over data sets, by every metric and every decision family.

    A model's score by a metric is its mean over the seeds; by a family, its mean rank over the family's decisions,
    each by the mean utility over the seeds.

    Args:
        wide: per data set, output of `alignment.per_seed`.
        higher_is_better: orientation of each metric.
        models: all models, in order.

    Returns:
        columns kind (metric | utility), name, and those of `comparison.rank_table` with label "model".
    """
    import pandas as pd

    scores: dict[tuple[str, str], list[FloatArray]] = {}
    for frame in wide.values():
        means: dict[tuple[str, str], list[FloatArray]] = {}
        for (kind, name, _), values in _measures(frame.reindex(columns=list(models)), higher_is_better).items():
            means.setdefault((kind, name), []).append(values.mean(axis=0))
        for key, group in means.items():
            scores.setdefault(key, []).append(group[0] if key[0] == "metric" else _mean_rank_score(group))
    tables = [
        rank_table(np.array(rows), models, "model").assign(kind=kind, name=name)
        for (kind, name), rows in scores.items()
    ]
    found = (
        pd.concat(tables, ignore_index=True)
        if tables
        else pd.DataFrame(columns=["kind", "name", "model", *RANK_COLUMNS])
    )
    return found[["kind", "name", "model", *RANK_COLUMNS]]


def _mean_rank_score(utilities: Sequence[FloatArray]) -> FloatArray:
    """(models,) minus the mean rank over decisions (models,); NaN for a model without a value in one of them."""
    block = np.array(utilities)
    present = ~np.isnan(block).any(axis=0)
    score = np.full(block.shape[1], np.nan)
    score[present] = -average_ranks(block[:, present]).mean(axis=0)
    return score
