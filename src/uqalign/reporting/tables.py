"""Alignment tables as CSV, Markdown and LaTeX, in the shape of the paper's Tables J.1 to J.4."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from uqalign.reporting.text import number

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.inference.resampled import ResampledMean

CAPTION = (
    "Alignment with {family}: Kendall's tau-b between the rankings of the models by metric and by realised utility. "
    "Median over {seeds} repeats [5 %, 95 % quantiles]; the highest median of a data set is bold."
)


def alignment_frame(summary: pd.DataFrame, datasets: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    """One family's summary with a fixed order of rows.

    Args:
        summary: output of `alignment.summarise`, one family.
        datasets, metrics: their order.

    Returns:
        columns dataset, metric, median, q05, q95, defined, expected.
    """
    rank_d = {name: i for i, name in enumerate(datasets)}
    rank_m = {name: i for i, name in enumerate(metrics)}
    ordered = summary.assign(d=summary["dataset"].map(rank_d), m=summary["metric"].map(rank_m))
    columns = ["dataset", "metric", "median", "q05", "q95", "defined", "expected"]
    return ordered.sort_values(["d", "m"])[columns].reset_index(drop=True)


def with_intervals(frame: pd.DataFrame, intervals: Mapping[str, ResampledMean], metrics: Sequence[str]) -> pd.DataFrame:
    """`alignment_frame` with the mean over seeds and its 95 % interval.

    Args:
        frame: output of `alignment_frame`.
        intervals: per data set, means over seeds of all metrics.
        metrics: their order.

    Returns:
        further columns mean, mean_low, mean_high (corrected resampled t, within [-1, 1]) and seeds (with a tau).
    """
    import numpy as np

    columns: dict[str, list[float]] = {name: [] for name in ("mean", "mean_low", "mean_high", "seeds")}
    position = {name: i for i, name in enumerate(metrics)}
    for dataset, metric in zip(frame["dataset"], frame["metric"], strict=True):
        found, i = intervals[dataset], position[metric]
        low, high = (float(np.clip(end[i], -1, 1)) for end in found.interval())
        for name, value in zip(columns, (found.mean[i], low, high, found.count[i]), strict=True):
            columns[name].append(value)
    return frame.assign(**columns)


def _cells(block: pd.DataFrame) -> tuple[list[str], list[str], list[bool]]:
    """Medians, intervals, and which medians are the highest (as printed) of one data set."""
    medians = [number(value) for value in block["median"]]
    best = max((m for m in medians if m != "--"), key=float, default=None)
    quantiles = zip(medians, block["q05"], block["q95"], strict=True)
    intervals = ["" if m == "--" else f"[{number(low)}, {number(high)}]" for m, low, high in quantiles]
    return medians, intervals, [m == best for m in medians]


def _gaps(frame: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """A sentence on taus that do not exist, or ""."""
    parts = []
    for dataset, block in frame.groupby("dataset", sort=False):
        gone = (block["expected"] - block["defined"]).tolist()
        expected = block["expected"].iloc[0]
        if len(set(gone)) == 1:
            # Equal utilities leave every metric without a tau, and by as many.
            parts += [f"{dataset} {gone[0]} of {expected} for every metric"] if gone[0] else []
        else:
            named = zip(block["metric"], gone, strict=True)
            parts += [f"{dataset} {titles[metric]} {count} of {expected}" for metric, count in named if count]
    return f"Undefined, because a metric or utility is equal for all models: {'; '.join(parts)}." if parts else ""


def alignment_markdown(frame: pd.DataFrame, titles: Mapping[str, str], caption: str) -> str:
    """A Markdown table: two lines a data set, medians and intervals; undefined taus are counted below."""
    metrics = list(dict.fromkeys(frame["metric"]))
    lines = [
        caption,
        "",
        "| data set | " + " | ".join(titles[m] for m in metrics) + " |",
        "| --- |" + " --- |" * len(metrics),
    ]
    for dataset, block in frame.groupby("dataset", sort=False):
        medians, intervals, best = _cells(block)
        shown = [f"**{m}**" if top else m for m, top in zip(medians, best, strict=True)]
        lines += [f"| {dataset} | " + " | ".join(shown) + " |", "| | " + " | ".join(intervals) + " |"]
    gaps = _gaps(frame, titles)
    return "\n".join([*lines, *(["", gaps] if gaps else [])]) + "\n"


def _latex_escape(text: str) -> str:
    return text.replace("&", r"\&").replace("%", r"\%").replace("_", r"\_").replace("#", r"\#")


def alignment_latex(frame: pd.DataFrame, titles: Mapping[str, str], caption: str, label: str) -> str:
    """A LaTeX table (booktabs): a line with the data set's name, then medians, then intervals."""
    metrics = list(dict.fromkeys(frame["metric"]))
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{_latex_escape(caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{'c' * len(metrics)}}}",
        r"\toprule",
        " & ".join(_latex_escape(titles[m]) for m in metrics) + r" \\",
    ]
    for dataset, block in frame.groupby("dataset", sort=False):
        medians, intervals, best = _cells(block)
        shown = [rf"\textbf{{{m}}}" if top else m for m, top in zip(medians, best, strict=True)]
        lines += [
            r"\midrule",
            rf"\multicolumn{{{len(metrics)}}}{{l}}{{{_latex_escape(str(dataset))}}} \\",
            " & ".join(shown) + r" \\",
            # A bracket right after \\ would be read as its optional argument.
            " & ".join(f"{{{text}}}" for text in intervals) + r" \\",
        ]
    gaps = _gaps(frame, titles)
    note = [rf"\par\footnotesize {_latex_escape(gaps)}"] if gaps else []
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *note, r"\end{table}"]) + "\n"


def leaderboard_markdown(frame: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Mean of every metric by model, one Markdown table a data set; the best value of a metric is bold.

    Args:
        frame: columns dataset, model, metric, mean, best, fits, expected.
    """
    lines: list[str] = []
    metrics = list(dict.fromkeys(frame["metric"]))
    for dataset, block in frame.groupby("dataset", sort=False):
        lines += [f"## {dataset}", "", "| model | fits | " + " | ".join(titles[m] for m in metrics) + " |"]
        lines.append("| --- | --- |" + " ---: |" * len(metrics))
        for model, part in block.groupby("model", sort=False):
            row = part.set_index("metric")
            shown = []
            for metric in metrics:
                value = row["mean"].get(metric, math.nan)
                text = "--" if math.isnan(value) else f"{value:.4g}"
                shown.append(f"**{text}**" if bool(row["best"].get(metric, False)) else text)
            fits = f"{part['fits'].iloc[0]}/{part['expected'].iloc[0]}"
            lines.append(f"| {model} | {fits} | " + " | ".join(shown) + " |")
        lines.append("")
    return "\n".join(lines)
