"""The tables of the sensitivity analysis as Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from uqalign.sensitivity.grid import ALL_LEVELS, CONCENTRATIONS, PriorMap
from uqalign.sensitivity.summary import POOLED

if TYPE_CHECKING:
    import pandas as pd

SOURCES = {
    "draws": "Decisions drawn from the prior",
    "exact": "Expected utility under the prior, exactly",
}


def number(value: float) -> str:
    """Two decimals, or `--` where there is no value."""
    return "--" if math.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def levels_markdown(summary: pd.DataFrame, families: Mapping[str, str], metrics: Mapping[str, str], seeds: int) -> str:
    """Alignment by level with all data sets pooled: a table per family, a half per source of utilities.

    Args:
        summary: output of `summary.level_summary`.
        families, metrics: titles by name, in order.
        seeds: number of repeats.
    """
    lines = [
        "# Alignment under other priors",
        "",
        f"Kendall's tau-b between the rankings of the models by metric and by realised utility; median over {seeds} "
        "repeats of all data sets together [5 %, 95 % quantiles]. The prior-weighted utilities keep the base prior.",
        "",
    ]
    pooled = summary[summary["dataset"] == POOLED]
    for family, title in families.items():
        lines += [f"## {title}", ""]
        for source, told in SOURCES.items():
            part = pooled[(pooled["family"] == family) & (pooled["source"] == source)]
            columns = [part[name].tolist() for name in ("metric", "level", "median", "q05", "q95")]
            cells = {
                (metric, level): f"{number(median)} [{number(low)}, {number(high)}]"
                for metric, level, median, low, high in zip(*columns, strict=True)
                if not math.isnan(median)
            }
            rows = [
                [name, *(cells.get((metric, level), "--") for level in ALL_LEVELS)] for metric, name in metrics.items()
            ]
            lines += [f"{told}:", "", *_table(["metric", *ALL_LEVELS], rows)]
            missing = int((part["expected"] - part["defined"]).sum())
            if missing:
                lines += [f"{missing} of {int(part['expected'].sum())} taus are undefined and left out.", ""]
    return "\n".join(lines)


def surfaces_markdown(
    peaks: pd.DataFrame, surfaces: pd.DataFrame, maps: Sequence[PriorMap], metrics: Mapping[str, str]
) -> str:
    """Where each metric aligns best, a table per map.

    Args:
        peaks: output of `summary.peaks`.
        surfaces: output of `summary.with_pooled`.
        maps, metrics: their order.
    """
    lines = [
        "# Alignment over all priors",
        "",
        "Kendall's tau-b of each metric with the expected utility under a Beta prior, mean over repeats and data sets. "
        "At the published prior (its nearest point of the map), lowest, highest and where; and at the prior that the "
        "metric implies, where a point of the map is near it.",
        "",
    ]
    for prior_map in maps:
        part = peaks[(peaks["family"] == prior_map.family.name) & (peaks["parameter"] == prior_map.parameter)]
        rows = []
        for row in part.to_dict("records"):
            place = ["--", "--"]
            if not math.isnan(row["mode"]):
                mode = "any" if row["concentration"] == CONCENTRATIONS[0] else f"{row['mode']:.2f}"
                place = [mode, f"{row['concentration']:.3g}"]
            values = [number(row[name]) for name in ("at_base", "lowest", "highest")]
            implied = "" if math.isnan(row["implied"]) else number(row["implied"])
            rows.append([metrics[row["metric"]], *values, *place, implied])
        header = ["metric", "published prior", "lowest", "highest", "at mode", "at a + b", "implied prior"]
        lines += [f"## {prior_map.title}", "", *_table(header, rows)]
        pooled = surfaces[
            (surfaces["dataset"] == POOLED)
            & (surfaces["family"] == prior_map.family.name)
            & (surfaces["parameter"] == prior_map.parameter)
        ]
        missing = int((pooled["expected"] - pooled["defined"]).sum())
        if missing:
            lines += [f"{missing} of {int(pooled['expected'].sum())} taus are undefined and left out.", ""]
    return "\n".join(lines)


def best_markdown(shares: pd.DataFrame, maps: Sequence[PriorMap], metrics: Mapping[str, str]) -> str:
    """Share of each map on which each metric is the best aligned one, a table per map.

    Args:
        shares: output of `summary.best_shares`.
        maps, metrics: their order; metrics that are nowhere the best are left out.
    """
    lines = [
        "# The best aligned metric",
        "",
        "Share of the points of a map of priors at which a metric has the highest mean tau, and in brackets the share "
        "at which no other metric has the same.",
        "",
    ]
    for prior_map in maps:
        part = shares[(shares["family"] == prior_map.family.name) & (shares["parameter"] == prior_map.parameter)]
        somewhere = [name for name in metrics if name in set(part["metric"])]
        found = {
            (dataset, metric): f"{100 * share:.0f} % ({100 * alone:.0f} %)"
            for dataset, metric, share, alone in zip(
                *(part[name].tolist() for name in ("dataset", "metric", "share", "alone")), strict=True
            )
        }
        rows = [
            ["all data sets" if dataset == POOLED else dataset, *(found.get((dataset, name), "") for name in somewhere)]
            for dataset in dict.fromkeys(part["dataset"].tolist())
        ]
        header = ["data set", *(metrics[name] for name in somewhere)]
        lines += [f"## {prior_map.title}", "", *_table(header, rows)]
    return "\n".join(lines)
