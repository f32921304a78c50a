"""Pictures of the sensitivity analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.sensitivity.grid import ALL_LEVELS, CONCENTRATIONS, MODES, PriorMap, implied_by, log_odds
from uqalign.sensitivity.summary import CELL, POOLED

if TYPE_CHECKING:
    import pandas as pd

LEVEL_COLOURS = ("#bdd7e7", "#6baed6", "#2171b5", "#08306b")
PANEL = (96, 84)
IMPLIED = "implied"
POOLED_TITLE = "all data sets"
SEVERAL = "several alike"
MODE_TICKS = (0.01, 0.1, 0.5, 0.9, 0.99)
CONCENTRATION_TICKS = (2, 5, 20, 50, 200)
METRIC_COLOURS = (
    "#0072B2", "#56B4E9", "#009E73", "#999999", "#4d4d4d", "#CC79A7", "#8c6bb1", "#D55E00", "#E69F00", "#F0E442",
    "#a6761d", "#66c2a5", "#e7298a", "#b3de69",
)  # fmt: skip


Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Picture:
    """An Altair chart of named data, and the data: thousands of rows that Altair would check one by one.

    Attributes:
        chart: Altair chart whose data have names only.
        rows: the data by name.
    """

    chart: Any
    rows: Mapping[str, Rows]

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification, data included."""
        return {**self.chart.to_dict(), "datasets": dict(self.rows)}

    def save(self, path: str, *, scale_factor: float = 1) -> None:
        """Write the picture as PDF or PNG, by the suffix of `path`."""
        import vl_convert

        if path.endswith(".pdf"):
            content = vl_convert.vegalite_to_pdf(self.spec)
        else:
            content = vl_convert.vegalite_to_png(self.spec, scale=scale_factor)
        Path(path).write_bytes(content)


def levels_chart(
    taus: pd.DataFrame, metrics: Mapping[str, str], families: Mapping[str, str], source: str = "draws"
) -> Picture:
    """Boxplots of alignment by metric and level, one panel per family (the paper's Figures J.8 and J.9).

    Args:
        taus: output of `summary.level_taus`; seeds of all data sets together; undefined ones are left out.
        metrics, families: titles by name, in order.
    """
    import altair as alt

    shown = taus[taus["source"] == source].dropna(subset=["tau"])
    panels, data = [], {}
    for family, title in families.items():
        part = shown[shown["family"] == family]
        data[family] = [
            {"metric": metrics[metric], "level": level, "tau": tau}
            for metric, level, tau in zip(part["metric"], part["level"], part["tau"].tolist(), strict=True)
        ]
        panels.append(
            alt.Chart(alt.NamedData(family), title=f"{title} ({len(part)} taus)")
            .mark_boxplot(extent=1.5, size=9, outliers={"size": 5, "opacity": 0.4}, median={"color": "#e66101"})
            .encode(
                x=alt.X("metric:N", title=None, sort=list(metrics.values()), axis=alt.Axis(labelAngle=-30)),
                xOffset=alt.XOffset("level:N", sort=list(ALL_LEVELS)),
                y=alt.Y("tau:Q", title="Kendall's tau-b", scale=alt.Scale(domain=[-1.05, 1.05], nice=False)),
                color=alt.Color(
                    "level:N",
                    title="prior of the decisions",
                    sort=list(ALL_LEVELS),
                    scale=alt.Scale(domain=list(ALL_LEVELS), range=list(LEVEL_COLOURS)),
                    legend=alt.Legend(symbolType="square", symbolOpacity=1),
                ),
            )
            .properties(width=62 * len(metrics), height=200)
        )
    return Picture(_finished(alt.vconcat(*panels), "white"), data)


def _finished(chart: Any, background: str) -> Any:
    return (
        chart.configure_view(stroke="#bbb", fill=background)
        .configure_axis(labelFontSize=10, titleFontSize=10, grid=False)
        .configure_title(fontSize=12)
    )


def _edges(centres: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    half = (centres[1] - centres[0]) / 2
    return np.append(centres - half, centres[-1] + half)


def _cells(part: pd.DataFrame) -> Rows:
    """Corners of the cells of a map, in log odds of the mode and in concentration."""
    x, y = _edges(log_odds(MODES)), np.exp(_edges(np.log(CONCENTRATIONS)))
    column = np.searchsorted(x, log_odds(part["mode"].to_numpy())) - 1
    row = np.searchsorted(y, part["concentration"].to_numpy()) - 1
    corners = zip(x[column], x[column + 1], y[row], y[row + 1], strict=True)
    return [{"x": float(a), "x2": float(b), "y": float(c), "y2": float(d)} for a, b, c, d in corners]


def _marks(prior_map: PriorMap) -> Rows:
    """The published priors of a map."""
    return [
        {"level": level, "x": float(log_odds(prior.mode)), "y": prior.a + prior.b}
        for level, prior in prior_map.published.items()
    ]


def _axes(altair: Any) -> dict[str, Any]:
    x, y = _edges(log_odds(MODES)), np.exp(_edges(np.log(CONCENTRATIONS)))
    modes = altair.Axis(
        values=[float(log_odds(tick)) for tick in MODE_TICKS],
        labelExpr="format(1 / (1 + exp(-datum.value)), '.2~f')",
        labelFontSize=8,
    )
    concentrations = altair.Axis(values=list(CONCENTRATION_TICKS), labelFontSize=8)
    domain = altair.Scale(domain=[float(x[0]), float(x[-1])], nice=False)
    logarithm = altair.Scale(type="log", domain=[float(y[0]), float(y[-1])], nice=False)
    return {
        "x": altair.X("x:Q", title="mode", scale=domain, axis=modes),
        "x2": "x2:Q",
        "y": altair.Y("y:Q", title="a + b", scale=logarithm, axis=concentrations),
        "y2": "y2:Q",
    }


def _faceted(rows: Rows, titles: Sequence[str], columns: Sequence[str], colour: Any) -> Picture:
    """Maps of cells below the marks of published and implied priors, one row of panels per title."""
    import altair as alt

    axes = _axes(alt)
    position = {"x": axes["x"], "y": axes["y"]}
    base = alt.Chart().properties(width=PANEL[0], height=PANEL[1])
    cells = base.transform_filter("datum.kind == 'cell'").mark_rect(clip=True).encode(**axes, color=colour)
    published = (
        base.transform_filter("datum.kind == 'mark'")
        .mark_point(filled=True, size=26, stroke="black", strokeWidth=0.8, opacity=1)
        .encode(
            **position,
            fill=alt.Fill(
                "level:N",
                title="published priors",
                sort=list(ALL_LEVELS),
                scale=alt.Scale(domain=list(ALL_LEVELS), range=["#ffffff", "#c7c7c7", "#7f7f7f", "#000000"]),
            ),
        )
    )
    implied = (
        base.transform_filter(f"datum.kind == '{IMPLIED}'")
        .mark_point(shape="diamond", filled=False, size=60, stroke="#d7191c", strokeWidth=1.6, opacity=1)
        .encode(**position)
    )
    chart = alt.layer(cells, published, implied, data=alt.NamedData("rows")).facet(
        row=alt.Row(
            "row:N",
            title=None,
            sort=list(titles),
            header=alt.Header(labelExpr="split(datum.label, '|')", labelFontSize=10, labelLineHeight=12),
        ),
        column=alt.Column("column:N", title=None, sort=list(columns), header=alt.Header(labelFontSize=11)),
        spacing={"row": 12, "column": 16},
    )
    return Picture(_finished(chart, "#eeeeee"), {"rows": rows})


def _row_title(prior_map: PriorMap, dataset: str | None) -> str:
    family = prior_map.family.title.replace(" selective", "|selective").replace(" top-k", "|top-k")
    parameter = prior_map.title.rpartition(": ")[2]
    last = f"prior of {parameter}"
    return f"{family}|{last}" if dataset is None else f"{parameter}|{dataset}"


def surfaces_chart(
    surfaces: pd.DataFrame, maps: Sequence[PriorMap], metrics: Mapping[str, str], datasets: Sequence[str] | None = None
) -> Picture:
    """Heat maps of mean tau over mode (log odds) and concentration (log), one column per metric.

    Args:
        surfaces: output of `summary.with_pooled`.
        maps: one row of panels each.
        metrics: titles by name, in order.
        datasets: one row of panels per map and data set; by default all data sets together.
    """
    import altair as alt

    titles: list[str] = []
    rows: Rows = []
    for prior_map in maps:
        for dataset in [POOLED] if datasets is None else datasets:
            title = _row_title(prior_map, None if datasets is None else dataset)
            titles.append(title)
            part = surfaces[
                (surfaces["dataset"] == dataset)
                & (surfaces["family"] == prior_map.family.name)
                & (surfaces["parameter"] == prior_map.parameter)
                & surfaces["metric"].isin(list(metrics))
            ]
            for cell, metric, tau in zip(_cells(part), part["metric"], part["mean"].tolist(), strict=True):
                if tau == tau:
                    rows.append({"kind": "cell", "row": title, "column": metrics[metric], "tau": tau, **cell})
            for metric, name in metrics.items():
                rows += [{"kind": "mark", "row": title, "column": name, **mark} for mark in _marks(prior_map)]
                implied = implied_by(prior_map.family.name, metric)
                if implied is not None:
                    place = {"x": float(log_odds(implied[0])), "y": implied[1]}
                    rows.append({"kind": IMPLIED, "row": title, "column": name, **place})
    colour = alt.Color(
        "tau:Q",
        title="Kendall's tau-b",
        scale=alt.Scale(domain=[-1, 1], scheme="blueorange", reverse=True),
        legend=alt.Legend(gradientLength=120),
    )
    return _faceted(rows, titles, list(metrics.values()), colour)


def best_chart(
    best: pd.DataFrame, maps: Sequence[PriorMap], metrics: Mapping[str, str], datasets: Sequence[str]
) -> Picture:
    """Which metric aligns best under which prior, one row of panels per map, one column per data set.

    Args:
        best: output of `summary.best_metrics`.
        maps: one row of panels each.
        metrics: titles by name, in order.
        datasets: one column each, after that of all data sets together.
    """
    import altair as alt

    columns = {POOLED: POOLED_TITLE, **{name: name for name in datasets}}
    rows: Rows = []
    titles = [_row_title(prior_map, None) for prior_map in maps]
    for prior_map, title in zip(maps, titles, strict=True):
        on_map = best[(best["family"] == prior_map.family.name) & (best["parameter"] == prior_map.parameter)]
        for dataset, column in columns.items():
            part = on_map[on_map["dataset"] == dataset]
            part = part.drop_duplicates(CELL)
            for cell, metric, alike in zip(_cells(part), part["metric"], part["alike"], strict=True):
                name = metrics[metric] if alike == 1 else SEVERAL
                rows.append({"kind": "cell", "row": title, "column": column, "metric": name, **cell})
            rows += [{"kind": "mark", "row": title, "column": column, **mark} for mark in _marks(prior_map)]
    colours = {name: METRIC_COLOURS[i % len(METRIC_COLOURS)] for i, name in enumerate(metrics.values())}
    colours[SEVERAL] = "#ffffff"
    shown = {row["metric"] for row in rows if row["kind"] == "cell"}
    names = [name for name in colours if name in shown]
    colour = alt.Color(
        "metric:N",
        title="best aligned metric",
        sort=names,
        scale=alt.Scale(domain=names, range=[colours[name] for name in names]),
        legend=alt.Legend(symbolStrokeColor="#bbb", symbolStrokeWidth=0.5),
    )
    return _faceted(rows, titles, list(columns.values()), colour)
