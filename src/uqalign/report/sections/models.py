"""Leaderboards per decision family."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from uqalign.families import Family
from uqalign.report import charts
from uqalign.report.contents import Contents
from uqalign.report.elements import Block, Figure, Section, Table
from uqalign.report.ranks import mean_ranks
from uqalign.report.words import cell, number

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.tasks import Task


BEHIND = "behind the best"


def models(contents: Contents) -> Section | None:
    """One table and one chart per family, and one table of metrics per task."""
    if contents.standings is None or contents.standings.empty:
        return None
    blocks: list[Block] = []
    for task in contents.tasks:
        for family in contents.families_of(task):
            blocks += _family(contents, family)
        blocks += _by_metric(contents, task)
    intro = [
        "The best model depends on the decision, so there is one leaderboard per family. Utilities are means over test "
        "folds, the family's decisions and repeats; higher is better, and their scale differs between data sets. "
        + (
            "Intervals are 95 % corrected resampled t (Nadeau and Bengio 2003). They hold for the data set at hand; "
            "bold: the best, and models that its interval of differences does not tell apart from the best."
            if contents.standings["low"].notna().any()
            else "Nothing was repeated, so nothing says how sure a difference is; bold: the best."
        )
    ]
    return Section("models", "Models by decision", intro, blocks)


def _family(contents: Contents, family: Family) -> list[Block]:
    assert contents.standings is not None
    frame = contents.standings
    part = frame[(frame["kind"] == "utility") & (frame["name"] == family.name)]
    if part["mean"].notna().sum() == 0:
        return []
    slug = family.name.replace("_", "-")
    ranks = mean_ranks(frame, family.name)
    names = [*ranks.index, *(name for name in contents.models if name in set(part["model"]) - set(ranks.index))]
    datasets = [name for name in contents.datasets if name in set(part["dataset"])]
    best = ranks.index[0] if len(ranks) else "none"
    repeated = bool(part["low"].notna().any())
    board = _table(contents, family, part, names, datasets, {str(n): float(r) for n, r in ranks.items()}, slug)
    if not repeated and len(datasets) == 1:
        return [board]  # a chart would say what the table says
    several = " of each model, one panel a data set; every panel has a scale of its own."
    return [
        board,
        Figure(
            f"standing-{slug}",
            f"{family.title}: utility{' with intervals' if repeated else ''}",
            f"Mean realised utility{several if len(datasets) > 1 else ' of each model.'}",
            f"Dots{' with intervals' if repeated else ''} of the models' utilities. Best mean rank: {best}.",
            charts.standing(f"standing-{slug}", datasets, names, contents.models, repeated),
            {f"standing-{slug}": part[["dataset", "model", "mean", "low", "high", "behind", "seeds"]]},
            contents.command("standings"),
            (family.name,),
        ),
    ]


def _with_interval(value: float, low: float, high: float) -> str:
    return cell(value) if math.isnan(low) or low == value == high else f"{cell(value)} [{cell(low)}, {cell(high)}]"


def _not_told_apart(row: Mapping[Hashable, Any]) -> bool:
    """The best, or a model whose interval of the difference to the best holds zero."""
    return bool(row["behind"] == 0 or row["behind_low"] <= 0)


def _table(
    contents: Contents, family: Family, part: pd.DataFrame, names: list[str], datasets: list[str],
    ranks: dict[str, float], slug: str,
) -> Table:  # fmt: skip
    import pandas as pd

    rows, strong = [], set()
    single = len(datasets) == 1
    cells = {(row["model"], row["dataset"]): row for row in part.to_dict("records")}
    for i, model in enumerate(names):
        row = {"model": model} if single else {"model": model, "mean rank": number(ranks.get(model, math.nan))}
        for j, dataset in enumerate(datasets, start=len(row)):
            found = cells.get((model, dataset))
            heading = "utility" if len(contents.datasets) == 1 else dataset
            if found is None:
                row[heading] = "--"
                continue
            row[heading] = _with_interval(found["mean"], found["low"], found["high"])
            if single:
                row[BEHIND] = _with_interval(found["behind"], found["behind_low"], found["behind_high"])
            if _not_told_apart(found):
                strong.add((i, j))
        rows.append(row)
    repeated = part["low"].notna().any()
    caption = (
        f"{family.title}: mean realised utility{' [95 % interval]' if repeated else ''}, "
        + ("the best model first. " if single else "models by their mean rank over data sets. ")
        + f"Bold: best{', or not told apart from the best' if repeated else ''}."
    )
    return Table(
        f"board-{slug}", f"{family.title}: leaderboard", caption, pd.DataFrame(rows), data=part,
        command=contents.command("standings"), families=(family.name,), strong=frozenset(strong),
        by_dataset={name: name for name in datasets} | ({BEHIND: datasets[0]} if single else {}),
    )  # fmt: skip


def _by_metric(contents: Contents, task: Task) -> list[Block]:
    """Mean rank of every model by every metric over data sets; with one data set, the values themselves."""
    assert contents.standings is not None
    frame = contents.standings
    part = frame[(frame["kind"] == "metric") & (frame["task"] == task)]
    if part["mean"].notna().sum() == 0:
        return []
    metrics = contents.metrics[task]
    single = part["dataset"].nunique() == 1
    signs = part["name"].map({name: -1 if m.higher_is_better else 1 for name, m in metrics.items()})
    ranks = (signs * part["mean"]).groupby([part["name"], part["dataset"]]).rank()

    def table(values: pd.Series[float]) -> pd.DataFrame:
        wide = part.assign(cell=values).pivot_table(
            index="model", columns="name", values="cell", sort=False, dropna=False
        )
        return wide.reindex(
            index=[m for m in contents.models if m in wide.index], columns=[m for m in metrics if m in wide]
        )

    ranked = table(ranks).round(2)
    strong = {
        (i, j + 1)
        for j, name in enumerate(ranked)
        for i, value in enumerate(ranked[name])
        if value == ranked[name].min()
    }
    titles = contents.titles(task)
    if single:
        titles = {name: f"{title} {'↑' if metrics[name].higher_is_better else '↓'}" for name, title in titles.items()}
        caption = "Mean over test folds and repeats of each metric. Arrows say which way is better; bold: the best."
    else:
        caption = (
            f"Mean rank over the {task} data sets by each metric (1 is best; bold: the best of a column). Utilities "
            "are above; the values themselves are in the CSV."
        )
    shown = table(part["mean"]) if single else ranked
    return [
        Table(
            f"metrics-{task}",
            f"{task.capitalize()}: models by metric",
            caption,
            shown.rename(columns=titles).rename_axis(columns=None).reset_index(),
            data=part,
            command=contents.command("standings"),
            families=tuple(family.name for family in contents.families_of(task)),
            strong=frozenset(strong),
        )
    ]
