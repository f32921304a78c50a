"""Scores and comparisons as tables on a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from uqalign.compare.outcome import Outcome
from uqalign.metrics.metric import Metric
from uqalign.report.words import counted, number

MOST_NOTES = 10


def print_scores(console: Console, metrics: Sequence[Metric], values: pd.DataFrame) -> None:
    """Metrics by models, the best of each metric bold; as many models beside each other as fit.

    Args:
        values: metrics (rows) by models (columns).
    """
    models = [str(name) for name in values.columns]
    widest = max(12, *(len(model) + 2 for model in models))
    at_once = max(1, (console.width - 28) // widest)
    for start in range(0, len(models), at_once):
        console.print(_scores(metrics, values, models[start : start + at_once]))


def _scores(metrics: Sequence[Metric], values: pd.DataFrame, shown: Sequence[str]) -> Table:
    table = Table(box=None)
    table.add_column("metric", no_wrap=True)
    table.add_column("better", no_wrap=True)
    for model in shown:
        table.add_column(Text(model), justify="right", no_wrap=True)
    for metric in metrics:
        signed = values.loc[metric.name].map(metric.signed)
        best = (signed == signed.min()) & (len(values.columns) > 1)
        cells = [Text(_cell(values.loc[metric.name, m]), style="bold" if best[m] else "") for m in shown]
        table.add_row(metric.name, "higher" if metric.higher_is_better else "lower", *cells)
    return table


def _cell(value: Any) -> str:
    return "undefined" if math.isnan(value) else f"{value:.6g}"


def print_outcome(console: Console, outcome: Outcome) -> None:
    """Scores, a leaderboard per decision, the alignment of metrics with decisions, and what measures warned of."""
    means = outcome.standings[outcome.standings["kind"] == "metric"]
    if len(means):
        _heading(console, "Scores", f"{outcome.repeats}; best of each metric bold")
        values = means.pivot(index="name", columns="model", values="mean").reindex(columns=list(outcome.models))
        print_scores(console, outcome.metrics, values)
    several = outcome.repeats.several
    for decision in outcome.decisions:
        family = decision.family
        told = "realised utility, higher is better" + ("; bold: not told apart from the best" if several else "")
        _heading(console, family.title, told)
        console.print(_board(outcome, family.name))
    if outcome.ranked:
        _heading(
            console,
            "Alignment",
            "mean of Kendall's tau-b between rankings by metric and by realised utility [95 % interval]",
        )
        console.print(_alignment(outcome))
        if len(outcome.models) == 2:
            console.print(Text("With two models a tau is 1 or -1: the mean says how often both rankings agree.", "dim"))
        if (outcome.aligned["defined"] == 0).any():
            why = "by the metric or by the utility, the models are equal in every repeat"
            console.print(Text(f"undefined: {why}.", "dim"), soft_wrap=True)
    elif len(outcome.models) > 1:
        why = "more than one test set is needed: add a column seed or fold" if not several else "no metric is left"
        console.print(Text(f"\nNo alignment of metrics with decisions: {why}.", "dim"), soft_wrap=True)
    notes = outcome.notes
    for line in notes[:MOST_NOTES]:
        console.print(Text(line, "dim"), soft_wrap=True)
    if len(notes) > MOST_NOTES:
        console.print(Text(f".. and {counted(len(notes) - MOST_NOTES, 'note')} more, see scores.csv of --out", "dim"))


def print_written(console: Console, written: Sequence[Path]) -> None:
    """Where the page and its tables are."""
    page, *tables = written
    console.print(Text(f"\nReport: {page}", "bold"), soft_wrap=True)
    console.print(Text(f"Tables: {', '.join(str(path) for path in tables)}"), soft_wrap=True)


def _heading(console: Console, title: str, told: str) -> None:
    console.print()
    console.print(Text.assemble((title, "bold"), (f"  {told}", "dim")), soft_wrap=True)


def _interval(value: float, low: float, high: float, form: str) -> str:
    if math.isnan(value):
        return "undefined"
    return format(value, form) + ("" if math.isnan(low) else f" [{low:{form}}, {high:{form}}]")


def _board(outcome: Outcome, name: str) -> Table:
    frame = outcome.standings
    part = frame[(frame["kind"] == "utility") & (frame["name"] == name)]
    table = Table(box=None)
    table.add_column("model", no_wrap=True)
    table.add_column("utility", justify="right", no_wrap=True)
    table.add_column("behind the best", justify="right", no_wrap=True)
    for row in part.sort_values("mean", ascending=False, kind="stable", na_position="last").to_dict("records"):
        best = row["behind"] == 0 or row["behind_low"] <= 0
        behind = "--" if row["behind"] == 0 else _interval(row["behind"], row["behind_low"], row["behind_high"], ".4g")
        table.add_row(
            Text(str(row["model"]), "bold" if best else ""),
            Text(_interval(row["mean"], row["low"], row["high"], ".5g"), "bold" if best else ""),
            Text(behind),
        )
    return table


def _alignment(outcome: Outcome) -> Table:
    table = Table(box=None)
    table.add_column("metric", no_wrap=True)
    families = [decision.family for decision in outcome.decisions]
    for family in families:
        table.add_column(Text(family.title), justify="right")
    cells = {(row["family"], row["metric"]): row for row in outcome.aligned.to_dict("records")}
    best = outcome.aligned.groupby("family")["mean"].max()
    for metric in outcome.metrics:
        shown = []
        for family in families:
            row = cells[family.name, metric.name]
            strong = number(row["mean"]) == number(best[family.name]) and not math.isnan(row["mean"])
            shown.append(Text(_interval(row["mean"], row["low"], row["high"], ".2f"), "bold" if strong else ""))
        table.add_row(metric.name, *shown)
    return table
