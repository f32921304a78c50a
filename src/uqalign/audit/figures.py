"""Pictures of the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from uqalign.audit.comparison import PROTOCOLS
from uqalign.audit.settings import DEFINITIONS, PUBLISHED

GREY, BLUE, ORANGE = "#767676", "#0072B2", "#D55E00"  # told apart with any kind of colour vision
SERIES = {"published": "published table", PUBLISHED: "ours, published protocol", DEFINITIONS: "ours, definitions"}


def comparison_figure(table: pd.DataFrame, titles: Mapping[str, str]) -> Any:
    """Medians and intervals of every cell, ours beside the published: a row of panels per family, one per data set.

    Args:
        table: output of `comparison.compare`.
        titles: titles of the families.
    """
    import altair as alt

    labels = ["published table", "ours, published protocol", "ours, definitions"]
    shown = _long(table)
    rows = []
    for family, part in shown.groupby("family", sort=False):
        panels = []
        for dataset, block in part.groupby("dataset", sort=False):
            metrics = list(dict.fromkeys(block["metric"]))
            base = alt.Chart(block).encode(
                y=alt.Y("metric:N", sort=metrics, title=None),
                yOffset=alt.YOffset("series:N", sort=labels),
                color=alt.Color(
                    "series:N",
                    sort=labels,
                    title=None,
                    scale=alt.Scale(domain=labels, range=[GREY, BLUE, ORANGE]),
                    legend=alt.Legend(orient="top"),
                ),
            )
            x = alt.X("q05:Q", title="Kendall's tau", scale=alt.Scale(domain=[-1, 1]))
            zero = alt.Chart(pd.DataFrame({"x": [0]})).mark_rule(color="#bbb").encode(x="x:Q")
            bars = base.mark_rule(strokeWidth=1.5).encode(x=x, x2="q95:Q")
            dots = base.mark_point(filled=True, size=28, opacity=1).encode(
                x=alt.X("median:Q", title="Kendall's tau"), shape=alt.Shape("series:N", sort=labels, legend=None)
            )
            title = alt.Title(str(dataset), subtitle=titles[str(family)])
            panels.append((zero + bars + dots).properties(width=230, height=22 * len(metrics), title=title))
        rows.append(alt.hconcat(*panels))
    return alt.vconcat(*rows).configure_view(stroke="#ccc").configure_axisY(grid=True)


def _long(table: pd.DataFrame) -> pd.DataFrame:
    prefixes = {"published table": "published"} | {SERIES[p]: f"under_{p}" for p in PROTOCOLS}
    frames = []
    for label, prefix in prefixes.items():
        part = table[["family", "dataset", "metric"]].assign(series=label)
        frames.append(part.assign(**{key: table[f"{prefix}_{key}"] for key in ("median", "q05", "q95")}))
    return pd.concat(frames, ignore_index=True).dropna(subset=["median"])


def switches_figure(orders: pd.DataFrame, titles: Mapping[str, str]) -> Any:
    """Largest change of a median by each switch, per data set and family; dots: another metric becomes the best.

    Args:
        orders: output of `effects.rankings`.
        titles: titles of the families.
    """
    import altair as alt

    shown = orders.assign(
        place=[f"{d}, {titles[f].lower()}" for d, f in zip(orders["dataset"], orders["family"], strict=True)],
        turned=orders["best_before"] != orders["best_after"],
        text=[f"{value:.2f}" for value in orders["largest"]],
    )
    places = list(dict.fromkeys(shown["place"]))
    switches = list(dict.fromkeys(shown["switch"]))
    headings = {"alone": "turned on alone in the definitions", "left out": "added last to the published protocol"}
    panels = []
    for direction, heading in headings.items():
        part = shown[shown["direction"] == direction].dropna(subset=["largest"])
        base = alt.Chart(part).encode(
            x=alt.X("switch:N", sort=switches, title=None, axis=alt.Axis(labelAngle=-40)),
            y=alt.Y("place:N", sort=places, title=None, axis=alt.Axis(labelLimit=320)),
        )
        cells = base.mark_rect().encode(
            color=alt.Color(
                "largest:Q",
                title=["largest change", "of a median tau"],
                scale=alt.Scale(range=["#ffffff", ORANGE], domain=[0, 1], clamp=True, interpolate="rgb", type="linear"),
            )
        )
        numbers = base.mark_text(fontSize=10).encode(
            text="text:N",
            color=alt.condition("datum.largest > 0.7", alt.value("white"), alt.value("#333")),
        )
        edge = base.transform_filter("datum.turned").mark_rect(filled=False, stroke="#0072B2", strokeWidth=2)
        title = alt.Title(f"Switch {heading}", subtitle="framed: another metric becomes the best one")
        size = {"width": 46 * len(switches), "height": 24 * len(places)}
        panels.append((cells + numbers + edge).properties(title=title, **size))
    return alt.vconcat(*panels).configure_view(stroke=None)
