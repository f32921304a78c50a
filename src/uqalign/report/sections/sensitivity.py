"""Sensitivity to the prior: alignment over whole maps of priors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqalign.metrics.metric import Metric
from uqalign.report import charts
from uqalign.report.elements import Block, Figure, Section
from uqalign.report.words import number
from uqalign.sensitivity.grid import ALL_LEVELS, PriorMap, grid_points, maps_of
from uqalign.sensitivity.summary import POOLED
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

ANY = "*"
"""What the page shows where no data set is chosen."""

MOST_DATASETS = 6
"""Maps of single data sets are on the page up to so many of a task."""

COMMAND = "snakemake --cores 2 sensitivity"


def sensitivity(
    surfaces: Mapping[Task, pd.DataFrame],
    levels: Mapping[Task, pd.DataFrame],
    metrics: Mapping[Task, Mapping[str, Metric]],
) -> Section:
    """One chart per map of priors, and one of the published levels per family.

    Args:
        surfaces: per task, output of `sensitivity.summary.with_pooled`.
        levels: per task, output of `sensitivity.summary.level_summary`.
    """
    blocks: list[Block] = []
    for task, frame in surfaces.items():
        titles = {name: metric.title for name, metric in metrics[task].items()}
        for prior_map in maps_of(task):
            found = frame[(frame["family"] == prior_map.family.name) & (frame["parameter"] == prior_map.parameter)]
            blocks += _surface(prior_map, found.dropna(subset=["mean"]), titles)
        for family in dict.fromkeys(prior_map.family for prior_map in maps_of(task)):
            part = levels[task][(levels[task]["family"] == family.name) & (levels[task]["source"] == "exact")]
            blocks += _levels(family.name, family.title, part.dropna(subset=["median"]), titles)
    intro = [
        "Would other decision makers draw the same conclusions? Each cell is a prior of the decision's parameter, a "
        "Beta distribution by its mode and its concentration a + b (the lowest row is the uniform prior), and its "
        "colour says how well a metric aligns with the expected utility under that prior. Rings: the published prior."
    ]
    return Section("sensitivity", "Sensitivity to the prior", intro, blocks)


def _surface(prior_map: PriorMap, found: pd.DataFrame, titles: Mapping[str, str]) -> list[Block]:
    if found.empty:
        return []
    datasets = [name for name in dict.fromkeys(found["dataset"]) if name != POOLED]
    kept = found if len(datasets) <= MOST_DATASETS else found[found["dataset"] == POOLED]
    modes, concentrations = grid_points()
    base = (modes[prior_map.base_point], concentrations[prior_map.base_point])
    frame = kept[["dataset", "metric", "mode", "concentration"]].assign(
        dataset=kept["dataset"].replace(POOLED, ANY),
        title=kept["metric"].map(titles),
        mode=kept["mode"].round(4),
        concentration=kept["concentration"].round(2),
        tau=kept["mean"].round(3),
        published=np.isclose(kept["mode"], base[0]) & np.isclose(kept["concentration"], base[1]),
    )
    name = f"surface-{prior_map.family.name}-{prior_map.parameter}".replace("_", "-")
    order = [titles[metric] for metric in titles if metric in set(frame["metric"])]
    at_base = frame[(frame["dataset"] == ANY) & frame["published"]].set_index("title")["tau"]
    told = f" At the published prior: {at_base.idxmax()} {number(at_base.max())} is highest." if len(at_base) else ""
    return [
        Figure(
            name,
            prior_map.title,
            "Mean of Kendall's tau-b over repeats, and over data sets unless one is chosen; one panel a metric.",
            f"Heat maps of mean tau over priors, one panel a metric.{told}",
            charts.surface(name, order),
            {name: frame},
            COMMAND,
            (prior_map.family.name,),
        )
    ]


def _levels(family: str, title: str, part: pd.DataFrame, titles: Mapping[str, str]) -> list[Block]:
    if part.empty:
        return []
    name = f"levels-{family}".replace("_", "-")
    frame = part[["dataset", "metric", "level", "median", "q05", "q95"]].assign(
        dataset=part["dataset"].replace(POOLED, ANY), title=part["metric"].map(titles)
    )
    order = [titles[metric] for metric in titles if metric in set(frame["metric"])]
    tooltip = [
        charts.field("title", "metric"), charts.field("level", "prior"), charts.field("median", "median tau", ".2f"),
        charts.field("q05", "5 %", ".2f"), charts.field("q95", "95 %", ".2f"),
    ]  # fmt: skip
    spec = charts.heat_map(
        name, x="level", xs=list(ALL_LEVELS), y="title", ys=order, value="median", titles={"value": "median tau"},
        tooltip=tooltip,
    )  # fmt: skip
    return [
        Figure(
            name,
            f"{title}: published priors",
            "Median of Kendall's tau-b with the expected utility under the published prior and its slight, strong and "
            "extreme changes; the prior-weighted utilities keep the published prior.",
            "Heat map of median tau, metrics by level of the prior.",
            spec,
            {name: frame.round(3)},
            COMMAND,
            (family,),
            half=True,
        )
    ]
