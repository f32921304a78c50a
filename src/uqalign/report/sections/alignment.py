"""Which metrics rank models as decisions do: heat maps, boxplots, and means over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.families import Family
from uqalign.report import charts
from uqalign.report.contents import Contents
from uqalign.report.elements import Block, Figure, Section, Text
from uqalign.report.words import counted, number

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.tasks import Task

MOST_BESIDE = 7
"""Data sets up to which a heat map leaves room for a chart beside it."""


def alignment(contents: Contents) -> Section | None:
    """One heat map, one row of boxes and one comparison per family."""
    if contents.alignment is None or contents.alignment.empty:
        return None
    blocks = [
        block
        for task in contents.tasks
        for family in contents.families_of(task)
        for block in _family(contents, family, contents.alignment[contents.alignment["family"] == family.name])
    ]
    intro = [
        "Each repeat of the cross-validation ranks the models twice: by a metric, and by the utility that decisions "
        "taken from their predictions realise. Kendall's tau-b says how far the two rankings agree. A prior-weighted "
        "utility is a metric made for a family of decisions; classical metrics are not."
    ]
    return Section("alignment", "Alignment: which metrics rank models as decisions do", intro, blocks)


def _order(part: pd.DataFrame, titles: dict[str, str]) -> list[str]:
    """Titles of metrics by their mean over data sets, the best first."""
    means = part.groupby(["metric", "dataset"])["tau"].mean().groupby("metric").mean()
    ranked = means.reindex(list(titles)).sort_values(ascending=False, kind="stable", na_position="last")
    return [titles[name] for name in ranked.index]


def _labelled(contents: Contents, task: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with columns title and kind, from its column metric."""
    weighted = frame["metric"].isin(contents.weighted(task))
    kinds = weighted.map({True: charts.KINDS[1], False: charts.KINDS[0]})
    return frame.assign(title=frame["metric"].map(contents.titles(task)), kind=kinds)


def _family(contents: Contents, family: Family, part: pd.DataFrame) -> list[Block]:
    slug = family.name.replace("_", "-")
    if part.empty:
        return []
    if part["tau"].isna().all():
        why = "In no repeat do a metric and the utility both rank the models: by one of them, all are equal."
        return [Text(f"alignment-{slug}", f"{family.title}: no alignment", [why], families=(family.name,), half=True)]
    titles = {name: title for name, title in contents.titles(family.task).items() if name in set(part["metric"])}
    order = _order(part, titles)
    shared: dict[str, Any] = {"command": contents.command("alignment"), "families": (family.name,), "half": True}
    tables = _labelled(contents, family.task, part)
    seeds, datasets = part["seed"].nunique(), part["dataset"].nunique()
    undefined = int(part["tau"].isna().sum())
    gap = (
        f" {counted(undefined, 'value')} undefined, because all models are equal by metric or utility."
        if undefined
        else ""
    )
    first = _repeats(contents, family, order, slug, shared)
    if first is None:
        first = _heat(contents, family, tables, order, f"alignment-{slug}", shared)
    boxes = Figure(
        f"boxes-{slug}",
        f"{family.title}: spread over repeats",
        f"Boxes over {counted(seeds, 'repeat')} of {counted(datasets, 'data set')}; the line is the median, whiskers "
        f"end within 1.5 interquartile ranges.{gap}",
        f"Boxplots of Kendall's tau-b, one line a metric. Highest mean: {order[0]}; lowest: {order[-1]}.",
        charts.box_plot(f"boxes-{slug}", order),
        {
            f"boxes-{slug}": tables.dropna(subset=["tau"])[["dataset", "metric", "title", "kind", "seed", "tau"]].round(
                4
            )
        },
        **shared,
    )
    return [first, boxes, *_pooled(contents, family, order, slug)]


def _heat(
    contents: Contents, family: Family, part: pd.DataFrame, order: list[str], name: str, shared: dict[str, Any]
) -> Figure:
    grouped = part.groupby(["dataset", "metric", "title", "kind"], sort=False)["tau"]
    cells = grouped.agg(mean="mean", median="median", repeats="count").reset_index()
    quantiles = grouped.quantile(np.array([0.05, 0.95])).unstack().to_numpy()
    cells = cells.assign(q05=quantiles[:, 0], q95=quantiles[:, 1]).dropna(subset=["median"])
    tooltip = [
        charts.field("dataset", "data set"),
        charts.field("title", "metric"),
        charts.field("median", "median tau", ".2f"),
        charts.field("mean", "mean tau", ".2f"),
        charts.field("q05", "5 % of repeats", ".2f"),
        charts.field("q95", "95 % of repeats", ".2f"),
        charts.field("repeats", "repeats", "d"),
    ]
    spec = charts.heat_map(
        name, x="dataset", xs=list(contents.datasets), y="title", ys=order, value="median",
        titles={"value": "median tau"}, tooltip=tooltip,
    )  # fmt: skip
    best = cells.iloc[int(cells["median"].to_numpy().argmax())]
    alt = (
        f"Heat map of the median of Kendall's tau-b, metrics by data sets. Best over data sets: {order[0]}, worst: "
        f"{order[-1]}. Highest cell: {best['title']} on {best['dataset']}, {number(best['median'])}."
    )
    return Figure(
        name,
        f"{family.title}: metrics by data sets",
        "Median over repeats of the agreement between the ranking by metric and the ranking by realised utility; "
        "metrics in the order of their mean over data sets.",
        alt,
        spec,
        {name: cells.round(4)},
        **{**shared, "half": cells["dataset"].nunique() <= MOST_BESIDE},
    )


def _repeats(contents: Contents, family: Family, order: list[str], slug: str, shared: dict[str, Any]) -> Figure | None:
    """Means over the repeats of a single data set with their intervals; None without such."""
    if contents.pooled is None or len(contents.datasets) > 1:
        return None
    found = contents.pooled[contents.pooled["family"] == family.name].dropna(subset=["mean", "t_low"])
    if found.empty:
        return None
    name = f"repeats-{slug}"
    frame = _labelled(contents, family.task, found.rename(columns={"t_low": "low", "t_high": "high"}))
    return Figure(
        name,
        f"{family.title}: mean over repeats",
        "Mean over repeats of the agreement between the ranking by metric and the ranking by realised utility, with "
        "its 95 % corrected resampled t interval (Nadeau and Bengio 2003).",
        f"Mean of Kendall's tau-b over repeats with intervals, one line a metric. Highest: {order[0]}; lowest: "
        f"{order[-1]}.",
        charts.pooled(name, order),
        {name: frame[["metric", "title", "kind", "mean", "low", "high", "datasets"]].round(4)},
        **shared,
    )


def _pooled(contents: Contents, family: Family, order: list[str], slug: str) -> list[Block]:
    if contents.pooled is None:
        return []
    found = contents.pooled[contents.pooled["family"] == family.name].dropna(subset=["mean"])
    if found.empty or int(found["datasets"].max()) < 2:
        return []
    name = f"pooled-{slug}"
    frame = _labelled(contents, family.task, found.rename(columns={"t_low": "low", "t_high": "high"}))
    return [
        Figure(
            name,
            f"{family.title}: over data sets",
            f"Mean over {counted(int(found['datasets'].max()), 'data set')} with the 95 % interval of a t-test over "
            "data sets. It does not follow the choice of a data set.",
            f"Mean of Kendall's tau-b over data sets with intervals, one line a metric. Highest: {order[0]}.",
            charts.pooled(name, order),
            {name: frame[["metric", "title", "kind", "mean", "low", "high", "prob_highest", "datasets"]].round(4)},
            contents.command("pooled"),
            (family.name,),
            half=True,
        )
    ]
