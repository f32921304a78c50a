"""Results of the sensitivity analysis in the shape of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.sensitivity.grid import ALL_LEVELS, PriorMap, implied_by

if TYPE_CHECKING:
    import pandas as pd

POOLED = "all"
"""Stands for all data sets together."""

CELL = ["family", "parameter", "mode", "concentration"]


def level_taus(levels: pd.DataFrame) -> pd.DataFrame:
    """Mean tau over the decisions of one level, one row per data set, seed, family, level, source and metric.

    Returns:
        these columns, tau, defined (decisions with a tau) and expected (all).
    """
    keys = ["family", "source", "level", "metric", "dataset", "seed"]
    grouped = levels.groupby(keys, sort=False)["tau"]
    return grouped.agg(tau="mean", defined="count", expected="size").reset_index()


def level_summary(taus: pd.DataFrame, datasets: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """Median and 5 % / 95 % quantiles over seeds, by data set, and over the seeds of all data sets together.

    Args:
        taus: output of `level_taus`.
        datasets, metrics: their order.
    """
    import pandas as pd

    parts = []
    for dataset in [POOLED, *datasets]:
        part = taus if dataset == POOLED else taus[taus["dataset"] == dataset]
        grouped = part.groupby(["family", "source", "level", "metric"], sort=False)
        if not len(part):
            continue
        table = grouped["tau"].quantile(np.array([0.5, 0.05, 0.95])).unstack()
        table.columns = ["median", "q05", "q95"]
        parts.append(table.join(grouped[["defined", "expected"]].sum()).reset_index().assign(dataset=dataset))
    columns = ["dataset", "family", "source", "level", "metric", "median", "q05", "q95", "defined", "expected"]
    if not parts:
        return pd.DataFrame(columns=columns)
    table = pd.concat(parts, ignore_index=True)
    order = {"level": ALL_LEVELS, "metric": metrics, "dataset": [POOLED, *datasets], "source": ["draws", "exact"]}
    families = list(dict.fromkeys(taus["family"]))
    for column, names in {**order, "family": families}.items():
        table[column] = pd.Categorical(table[column], list(names))
    table = table.sort_values(["dataset", "family", "source", "level", "metric"], ignore_index=True)
    return table.astype(dict.fromkeys([*order, "family"], "str"))[columns]


def with_pooled(surfaces: pd.DataFrame) -> pd.DataFrame:
    """`surfaces` below a surface of all data sets, whose statistics are means over data sets: each counts alike."""
    import pandas as pd

    keys = [*CELL, "a", "b", "metric"]
    statistics = ["mean", "median", "q05", "q95"]
    counts = ["defined", "expected"]
    how = dict.fromkeys(statistics, "mean") | dict.fromkeys(counts, "sum")
    pooled = surfaces.groupby(keys, sort=False).agg(how).reset_index().assign(dataset=POOLED)
    return pd.concat([pooled[surfaces.columns], surfaces], ignore_index=True)


def best_metrics(surfaces: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The metric of highest mean tau at every point, data set by data set; of metrics equal to nine digits, each.

    Args:
        surfaces: output of `with_pooled`.
        metrics: their order.

    Returns:
        columns dataset, family, parameter, mode, concentration, metric, tau, alike (metrics that share the highest
        tau), next (the highest tau of the others; NaN where there is none). Points without any tau are left out.
    """
    keys = ["dataset", *CELL]
    known = surfaces.dropna(subset=["mean"])
    rounded = known["mean"].round(9)
    group = [known[key] for key in keys]
    top = rounded.groupby(group, sort=False).transform("max")
    others = rounded.where(rounded < top).groupby(group, sort=False).transform("max")
    known = known.assign(
        tau=known["mean"], next=others, rank=known["metric"].map({m: i for i, m in enumerate(metrics)})
    )
    best = known[rounded == top]
    best = best.assign(alike=best.groupby(keys, sort=False)["metric"].transform("size"))
    # In the order in which points first appear: all data sets together first, maps in the order of the families.
    best = best.assign(point=best.groupby(keys, sort=False).ngroup()).sort_values(["point", "rank"], ignore_index=True)
    return best[[*keys, "metric", "tau", "alike", "next"]]


def best_shares(best: pd.DataFrame) -> pd.DataFrame:
    """Share of a map's points at which each metric is the best, alone or among equals, by data set.

    Args:
        best: output of `best_metrics`.

    Returns:
        columns dataset, family, parameter, metric, share, alone (the share at which no other is as good).
    """
    keys = ["dataset", "family", "parameter"]
    points = best.drop_duplicates(["dataset", *CELL]).groupby(keys, sort=False).size().rename("points")
    counts = best.assign(alone=best["alike"] == 1).groupby([*keys, "metric"], sort=False)["alone"]
    table = counts.agg(share="size", alone="sum").reset_index().merge(points.reset_index(), on=keys)
    return table.assign(share=table["share"] / table["points"], alone=table["alone"] / table["points"]).drop(
        columns="points"
    )


def peaks(surfaces: pd.DataFrame, maps: Sequence[PriorMap], metrics: Sequence[str]) -> pd.DataFrame:
    """Where each metric aligns best: the highest point of its pooled surface, and notable other points.

    Args:
        surfaces: output of `with_pooled`.
        maps, metrics: their order.

    Returns:
        columns family, parameter, metric, at_base (tau at the point nearest to the published prior), lowest, highest,
        mode, concentration (of the highest; the first of equals), implied (tau where the metric implies a prior, the
        highest along the lowest row of the map for a uniform one; NaN where it implies none).
    """
    import pandas as pd

    rows = []
    pooled = surfaces[surfaces["dataset"] == POOLED]
    for prior_map in maps:
        family = prior_map.family.name
        on_map = pooled[(pooled["family"] == family) & (pooled["parameter"] == prior_map.parameter)]
        for metric in metrics:
            part = on_map[on_map["metric"] == metric].reset_index(drop=True)
            tau = part["mean"].to_numpy(dtype=np.float64)
            key: Mapping[str, object] = {"family": family, "parameter": prior_map.parameter, "metric": metric}
            if not len(tau) or np.isnan(tau).all():
                rows.append({**key, **dict.fromkeys(["at_base", "lowest", "highest", "mode", "concentration"], np.nan)})
                continue
            top = int(np.nanargmax(np.round(tau, 9)))
            implied = implied_by(family, metric)
            at = np.nan
            if implied is not None:
                near = np.isclose(part["concentration"], implied[1]) & np.isclose(part["mode"], implied[0])
                at = float(tau[near][0])
            rows.append(
                {
                    **key,
                    "at_base": tau[prior_map.base_point],
                    "lowest": np.nanmin(tau),
                    "highest": tau[top],
                    "mode": part["mode"][top],
                    "concentration": part["concentration"][top],
                    "implied": at,
                }
            )
    columns = ["family", "parameter", "metric", "at_base", "lowest", "highest", "mode", "concentration", "implied"]
    return pd.DataFrame(rows, columns=columns)
