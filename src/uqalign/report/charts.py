"""Vega-Lite specifications of the page's charts, without their data.

Colours are left to the page, which knows whether it is light or dark: `@ink` stands for the colour of text, `@muted`
for that of reference lines, `@card` for the background, and categories and diverging scales take the theme's own.
Panels of a data set each are laid out by the page, in as many columns as fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
KINDS = ("classical", "prior-weighted")
DASHES: Sequence[Sequence[int]] = ([1, 0], [6, 3], [2, 2])
COLOURS = 7
"""Categories that the theme has colours for; beyond them, lines are dashed too."""

PANEL = 210
STEP = 22


_TAU_COLOURS: Spec = {"domain": [-1, 1], "range": "diverging", "interpolate": "rgb"}
_TAU_LEGEND: Spec = {"orient": "bottom", "gradientLength": 160, "values": [-1, -0.5, 0, 0.5, 1], "format": ".1f"}


def _margin(labels: Sequence[str]) -> int:
    """Pixels beside the marks: the longest label of an axis, and the border."""
    return 40 + min(170, 7 * max((len(label) for label in labels), default=0))


def _spec(data: str, **parts: Any) -> Spec:
    return {"$schema": SCHEMA, "data": {"name": data}, **parts}


def field(name: str, title: str, form: str = "") -> Spec:
    """An entry of a tooltip; numbers take a format."""
    return {
        "field": name,
        "title": title,
        **({"type": "quantitative", "format": form} if form else {"type": "nominal"}),
    }


def _kind_colour(legend: bool = True) -> Spec:
    shown = {"orient": "bottom", "title": None, "symbolType": "square", "symbolOpacity": 1}
    return {"field": "kind", "type": "nominal", "scale": {"domain": list(KINDS)}, "legend": shown if legend else None}


def model_colour(models: Sequence[str], everyone: Sequence[str], legend: bool = True) -> Spec:
    """A model's colour, the same in all charts of a page: by its place among `everyone`."""
    shown = {
        "orient": "bottom", "title": None, "columns": 4, "symbolType": "stroke", "symbolStrokeWidth": 3,
        "values": list(models),
    }  # fmt: skip
    scale = {"domain": list(everyone)}
    return {"field": "model", "type": "nominal", "scale": scale, "legend": shown if legend else None}


def model_dash(models: Sequence[str], everyone: Sequence[str]) -> Spec:
    dashes = [list(DASHES[i // COLOURS % len(DASHES)]) for i in range(len(everyone))]
    legend = {"orient": "bottom", "title": None, "columns": 4, "values": list(models)}
    scale = {"domain": list(everyone), "range": dashes}
    return {"field": "model", "type": "nominal", "scale": scale, "legend": legend}


def _zero(channel: str) -> Spec:
    return {"mark": {"type": "rule", "color": "@muted"}, "encoding": {channel: {"datum": 0, "type": "quantitative"}}}


def heat_map(
    data: str, *, x: str, xs: Sequence[Any], y: str, ys: Sequence[str], value: str, titles: Mapping[str, str],
    tooltip: Sequence[Spec],
) -> Spec:  # fmt: skip
    """Cells coloured from -1 to 1 with their numbers.

    Args:
        x, y: columns; xs, ys: their values in order.
        value: the column to show.
        titles: of the scale and the axes, by `value`, `x` and `y`.
    """
    base: Spec = {
        "x": {
            "field": x,
            "type": "ordinal",
            "sort": list(xs),
            "title": titles.get("x"),
            "axis": {"labelAngle": -40, "orient": "top"},
        },
        "y": {"field": y, "type": "nominal", "sort": list(ys), "title": titles.get("y")},
        "tooltip": list(tooltip),
    }
    colour = {
        "field": value, "type": "quantitative", "title": titles["value"],
        "scale": _TAU_COLOURS,
        "legend": _TAU_LEGEND,
    }  # fmt: skip
    strong = {"test": f"abs(datum['{value}']) > 0.7", "value": "white"}
    return _spec(
        data,
        width={"step": 58},
        height={"step": STEP + 2},
        layer=[
            {"mark": {"type": "rect", "cornerRadius": 2}, "encoding": {**base, "color": colour}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    **base,
                    "text": {"field": value, "type": "quantitative", "format": ".2f"},
                    "color": {"condition": strong, "value": "@ink"},
                },
            },
        ],
    )


def box_plot(data: str, metrics: Sequence[str]) -> Spec:
    """Boxes of tau, one line a metric, coloured by kind."""
    box = {
        "type": "boxplot", "extent": 1.5, "size": 13, "median": {"color": "@card", "strokeWidth": 2},
        "rule": {"color": "@muted"},
        "outliers": {"size": 10, "opacity": 0.5},
    }  # fmt: skip
    return _spec(
        data,
        usermeta={"margin": _margin(metrics)},
        height={"step": STEP},
        layer=[
            _zero("x"),
            {
                "mark": box,
                "encoding": {
                    "y": {"field": "title", "type": "nominal", "sort": list(metrics), "title": None},
                    "x": {
                        "field": "tau", "type": "quantitative", "title": "Kendall's tau-b",
                        "scale": {"domain": [-1, 1]},
                        "axis": {"values": [-1, -0.5, 0, 0.5, 1]},
                    },
                    "color": _kind_colour(),
                },
            },
        ],
    )  # fmt: skip


def _dot_and_reach(line: Spec, x: Spec, reaching: bool = True) -> list[Spec]:
    """A dot at the column mean and, if there are intervals, a line from low to high."""
    reach = {**line, "x": {**x, "field": "low"}, "x2": {"field": "high"}}
    dot = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {**line, "x": {**x, "field": "mean"}},
    }
    return [{"mark": {"type": "rule", "strokeWidth": 2}, "encoding": reach}, dot] if reaching else [dot]


def intervals(
    data: str, *, y: str, ys: Sequence[str], colour: Spec, domain: Sequence[float], tooltip: Sequence[Spec]
) -> Spec:
    """Dots with intervals (columns mean, low, high), one line a value of `y`."""
    line: Spec = {
        "y": {"field": y, "type": "nominal", "sort": list(ys), "title": None},
        "color": colour,
        "tooltip": list(tooltip),
    }
    x: Spec = {"type": "quantitative", "title": "mean tau", "scale": {"domain": list(domain)}, "axis": {"tickCount": 5}}
    return _spec(
        data,
        usermeta={"margin": _margin(ys)},
        height={"step": STEP},
        layer=[
            _zero("x"),
            *_dot_and_reach(line, x),
        ],
    )  # fmt: skip


def pooled(data: str, metrics: Sequence[str]) -> Spec:
    """Mean tau over data sets with the interval over data sets."""
    tooltip = [
        field("title", "metric"), field("mean", "mean tau", ".2f"), field("low", "from", ".2f"),
        field("high", "to", ".2f"), field("datasets", "data sets", "d"),
    ]  # fmt: skip
    return intervals(data, y="title", ys=metrics, colour=_kind_colour(), domain=(-1, 1), tooltip=tooltip)


def panels(data: str, datasets: Sequence[str], layers: Sequence[Spec], margin: int = 70, **resolve: Any) -> Spec:
    """Panels by data set; `usermeta` tells the page how wide one is, and what its axis and the gap need beside."""
    return _spec(
        data,
        usermeta={"panel": PANEL, "margin": margin},
        facet={"field": "dataset", "type": "nominal", "sort": list(datasets), "title": None},
        columns=3,
        spec={"width": PANEL, "height": 170, "layer": list(layers)},
        **({"resolve": resolve} if resolve else {}),
    )


def standing(
    data: str, datasets: Sequence[str], models: Sequence[str], everyone: Sequence[str], intervals: bool
) -> Spec:
    """Mean utility with its interval, if there are any, one panel a data set, one line a model."""
    tooltip = [
        field("model", "model"), field("mean", "utility", ".4g"), field("low", "from", ".4g"),
        field("high", "to", ".4g"), field("behind", "behind the best", ".3g"), field("seeds", "repeats", "d"),
    ]  # fmt: skip
    line: Spec = {
        "y": {"field": "model", "type": "nominal", "sort": list(models), "title": None},
        "color": model_colour(models, everyone, legend=False),
        "tooltip": tooltip,
    }
    x: Spec = {"type": "quantitative", "title": "realised utility", "scale": {"zero": False}, "axis": {"tickCount": 4}}
    layers = _dot_and_reach(line, x, intervals)
    spec = panels(data, datasets, layers, 150, scale={"x": "independent"}, axis={"x": "independent"})
    spec["spec"]["height"] = {"step": STEP}
    return spec


def surface(data: str, metrics: Sequence[str]) -> Spec:
    """Mean tau over priors (mode along, concentration up), one panel a metric; a ring marks the published prior."""
    place: Spec = {
        "x": {
            "field": "mode",
            "type": "ordinal",
            "title": "mode of the prior",
            "axis": {"labelExpr": "format(datum.value, '.2f')", "labelAngle": -60, "labelOverlap": True},
        },
        "y": {
            "field": "concentration",
            "type": "ordinal",
            "sort": "descending",
            "title": "a + b",
            "axis": {"labelExpr": "format(datum.value, '.0f')"},
        },
    }
    colour = {
        "field": "tau",
        "type": "quantitative",
        "title": "mean tau",
        "scale": _TAU_COLOURS,
        "legend": _TAU_LEGEND,
    }
    tooltip = [
        field("title", "metric"), field("mode", "mode", ".2f"), field("concentration", "a + b", ".3g"),
        field("tau", "mean tau", ".2f"),
    ]  # fmt: skip
    ring = {"type": "point", "size": 60, "color": "@ink", "strokeWidth": 2}
    return _spec(
        data,
        usermeta={"panel": PANEL, "margin": 60},
        facet={"field": "title", "type": "nominal", "sort": list(metrics), "title": None},
        columns=3,
        spec={
            "width": PANEL,
            "height": 120,
            "layer": [
                {"mark": "rect", "encoding": {**place, "color": colour, "tooltip": tooltip}},
                {"transform": [{"filter": "datum.published"}], "mark": ring, "encoding": place},
            ],
        },
    )


def seconds(data: str, models: Sequence[str]) -> Spec:
    """Seconds of a fit, a dot per data set, one line a model, on a logarithmic scale."""
    tooltip = [
        field("model", "model"), field("dataset", "data set"), field("seconds", "median seconds", ".3g"),
        field("fits", "fits", "d"), field("device", "device"),
    ]  # fmt: skip
    return _spec(
        data,
        usermeta={"margin": _margin(models)},
        height={"step": STEP},
        mark={"type": "point", "filled": True, "size": 70, "opacity": 0.8},
        encoding={
            "y": {"field": "model", "type": "nominal", "sort": list(models), "title": None},
            "x": {
                "field": "seconds",
                "type": "quantitative",
                "title": "median seconds of a fit",
                "scale": {"type": "log"},
            },
            "color": {"field": "device", "type": "nominal", "legend": {"orient": "bottom", "title": None}},
            "tooltip": tooltip,
        },
    )
