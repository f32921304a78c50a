"""Pictures of comparisons: ranks over data sets with their critical difference, and who aligns better than whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.inference.comparison import ONE, POOLED
from uqalign.inference.ranks import cliques
from uqalign.reporting.comparison import ALPHA
from uqalign.reporting.figures import CLASSICAL, kind_colour, styled, with_kind
from uqalign.reporting.text import counted

if TYPE_CHECKING:
    import pandas as pd

ROW = 19
"""Height of a line, and side of a cell, in points."""


def critical_difference_panel(table: pd.DataFrame, names: Mapping[str, str], title: str, colour: Any = None) -> Any:
    """Mean ranks, the best on top; bars join what the data do not tell apart (Nemenyi).

    Args:
        table: output of `inference.comparison.rank_table`; those without a rank are left out. A column kind, if there
            is one, gives the colour.
        names: titles by name.
        title: of the panel.
        colour: encoding of the column kind.

    Returns:
        An Altair chart without configuration.
    """
    import altair as alt
    import pandas as pd

    label = "metric" if "metric" in table else "model"
    ranked = table.dropna(subset=["mean_rank"]).sort_values("mean_rank", kind="stable").reset_index(drop=True)
    order = [names[name] for name in ranked[label]]
    difference, datasets = float(table["critical_difference"].iloc[0]), int(table["datasets"].iloc[0])
    told = (
        "one data set: no test"
        if math.isnan(difference)
        else f"{counted(datasets, 'data set')}, critical difference {difference:.2f}"
    )
    heading = alt.TitleParams(title, subtitle=told, anchor="start")
    count = len(ranked)
    y = alt.Y("title:N", sort=order, title=None)
    x_axis = alt.X(
        "mean_rank:Q",
        title="mean rank (1 is best)",
        scale=alt.Scale(domain=[1, max(count, 2)], nice=False),
        axis=alt.Axis(tickMinStep=1, labelFlush=False),
    )
    shown = ranked.assign(title=order)
    points = (
        alt.Chart(shown)
        .mark_circle(size=70, opacity=1, color=CLASSICAL)
        .encode(x=x_axis, y=y, **({"color": colour} if colour is not None else {}))
    )
    lines = alt.Chart(shown).mark_rule(color="#bbb").encode(x=x_axis, x2=alt.datum(1), y=y)
    width = 260
    dots = alt.layer(lines, points).properties(width=width, height=ROW * max(count, 1), title=heading)
    groups = cliques(ranked["mean_rank"].to_numpy(), difference)
    bars = [{"group": number, "from": order[group[0]], "to": order[group[-1]]} for number, group in enumerate(groups)]
    if not bars:
        return dots
    joined = (
        alt.Chart(pd.DataFrame(bars))
        .mark_bar(size=5, color="#444")
        .encode(
            x=alt.X("group:O", axis=None),
            y=alt.Y("from:N", sort=order, scale=alt.Scale(domain=order), axis=None),
            y2="to:N",
        )
        .properties(width=9 * len(bars), height=ROW * max(count, 1), view=alt.ViewBackground(stroke=None))
    )
    return alt.hconcat(dots, joined, spacing=6)


def critical_difference_figure(
    table: pd.DataFrame, metrics: Mapping[str, str], weighted: Sequence[str], title: str
) -> Any:
    """Metrics ranked over data sets by their mean alignment with a family.

    Args:
        table: output of `inference.comparison.rank_table` with label "metric".
        metrics: titles by metric name.
        weighted: metrics that are prior-weighted utilities.
        title: of the picture.
    """
    return styled(critical_difference_panel(with_kind(table, metrics, weighted), metrics, title, kind_colour(weighted)))


def model_rank_figure(table: pd.DataFrame, panels: Mapping[tuple[str, str], str]) -> Any:
    """Models ranked over data sets, a panel per measure, two to a row.

    Args:
        table: output of `inference.models.model_rank_table`.
        panels: titles by kind (metric | utility) and name, in order.
    """
    import altair as alt

    charts = []
    for (kind, name), title in panels.items():
        part = table[(table["kind"] == kind) & (table["name"] == name)]
        if len(part):
            charts.append(critical_difference_panel(part, {model: model for model in part["model"]}, title))
    rows = [alt.hconcat(*charts[i : i + 2], spacing=30) for i in range(0, len(charts), 2)]
    return styled(alt.vconcat(*rows, spacing=24))


def better_figure(table: pd.DataFrame, metrics: Mapping[str, str], title: str) -> Any:
    """Probability that the metric of a row aligns better than that of a column, over data sets and on each.

    Args:
        table: output of `inference.comparison.pairwise_table`.
        metrics: titles by metric name.
        title: of the picture.
    """
    import altair as alt
    import pandas as pd

    mirrored = table.rename(columns={"metric_a": "metric_b", "metric_b": "metric_a"})
    mirrored["prob_a_better"] = 1 - mirrored["prob_a_better"]
    mirrored["difference"] = -mirrored["difference"]
    both = pd.concat([table, mirrored], ignore_index=True)
    wins = both[both["scope"] == POOLED].groupby("metric_a")["difference"].agg(lambda d: (d > 0).sum())
    order = [metrics[name] for name in sorted(metrics, key=lambda name: -wins.get(name, 0))]
    both = both.assign(
        a=both["metric_a"].map(metrics), b=both["metric_b"].map(metrics), significant=both["p_holm"] < ALPHA
    ).dropna(subset=["prob_a_better"])
    datasets = list(dict.fromkeys(both.loc[both["scope"] == ONE, "dataset"]))
    panels = [("over data sets", both[both["scope"] == POOLED])] if len(datasets) > 1 else []
    panels += [(name, both[(both["scope"] == ONE) & (both["dataset"] == name)]) for name in datasets]
    colour = alt.Color(
        "prob_a_better:Q",
        title=["P(row aligns better", "than column)"],
        scale=alt.Scale(domain=[0, 0.5, 1], range=["#0072B2", "#f7f7f7", "#D55E00"]),
    )
    charts = []
    for name, part in panels:
        axes = {
            "x": alt.X("b:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=alt.Axis(labelAngle=-50)),
            "y": alt.Y("a:N", sort=order, scale=alt.Scale(domain=order), title=None),
        }
        cells = alt.Chart(part).mark_rect(stroke="white", strokeWidth=0.5).encode(**axes, color=colour)
        marks = (
            alt.Chart(part[part["significant"]])
            .mark_point(filled=True, size=26, fill="black", stroke="white", strokeWidth=1, opacity=1)
            .encode(**axes)
        )
        side = ROW * len(order)
        charts.append(
            alt.layer(cells, marks).properties(width=side, height=side, title=alt.TitleParams(name, anchor="start"))
        )
    if not charts:
        charts = [alt.Chart(pd.DataFrame({"a": []})).mark_rect()]
    columns = int(np.ceil(np.sqrt(len(charts))))
    rows = [alt.hconcat(*charts[i : i + columns], spacing=20) for i in range(0, len(charts), columns)]
    heading = alt.TitleParams(
        title,
        subtitle=f"A dot: Holm's p below {ALPHA:g}, two-sided, over all pairs of the panel's scope",
        anchor="start",
        offset=14,
    )
    return styled(alt.vconcat(*rows, spacing=20, title=heading))
