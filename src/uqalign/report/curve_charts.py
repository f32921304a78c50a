"""Vega-Lite specifications of charts of lines by model; see `charts`."""

from __future__ import annotations

from collections.abc import Sequence

from uqalign.report.charts import Spec, field, model_colour, model_dash, panels


def _among(models: Sequence[str]) -> Spec:
    return {"filter": {"field": "model", "oneOf": list(models)}}


def _model_lines(
    models: Sequence[str], everyone: Sequence[str], x: Spec, y: Spec, tooltip: Sequence[Spec], points: bool = False
) -> list[Spec]:
    """Lines by model, of which a click on the legend keeps one, and points that tell their values."""
    colour, dash = model_colour(models, everyone), model_dash(models, everyone)
    opacity = {"condition": {"param": "chosen", "value": 1}, "value": 0.12}
    lines = {
        "transform": [_among(models)],
        "params": [{"name": "chosen", "select": {"type": "point", "fields": ["model"]}, "bind": "legend"}],
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash, "opacity": opacity},
    }
    shown = {"opacity": opacity} if points else {"opacity": {"value": 0}}
    marks = {
        "transform": [_among(models)],
        "mark": {"type": "point", "filled": True, "size": 36 if points else 70},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": list(tooltip), **shown},
    }
    return [lines, marks]


def decision_curve(
    data: str,
    prior: str,
    datasets: Sequence[str],
    models: Sequence[str],
    everyone: Sequence[str],
    references: Sequence[str],
    parameter: str,
    *,
    repeated: bool,
) -> Spec:
    """Realised utility along a decision's parameter, the prior as a shade behind, one panel a data set."""
    x: Spec = {"field": "x", "type": "quantitative", "title": parameter, "scale": {"domain": [0, 1]}}
    y: Spec = {"field": "y", "type": "quantitative", "title": "realised utility", "scale": {"zero": False}}
    tooltip = [field("model", "model"), field("x", parameter, ".2f"), field("y", "utility", ".4g")]
    if repeated:
        tooltip += [field("low", "5 % of repeats", ".4g"), field("high", "95 % of repeats", ".4g")]
    shade: Spec = {
        "data": {"name": prior},
        "mark": {"type": "area", "color": "@muted", "opacity": 0.28, "tooltip": False},
        "encoding": {
            "x": x,
            "y": {"field": "density", "type": "quantitative", "axis": None, "scale": {"zero": True}},
        },
    }
    reference: Spec = {
        "transform": [_among(references)],
        "mark": {"type": "line", "color": "@muted", "strokeDash": [3, 3], "strokeWidth": 1.5},
        "encoding": {
            "x": x,
            "y": y,
            "detail": {"field": "model", "type": "nominal"},
            "tooltip": [field("model", "model")],
        },
    }
    curves = {"layer": [*([reference] if references else []), *_model_lines(models, everyone, x, y, tooltip)]}
    spec = panels(data, datasets, [shade, curves])
    spec["spec"]["resolve"] = {"scale": {"y": "independent"}}
    spec["resolve"] = {"scale": {"y": "independent"}, "axis": {"y": "independent"}}
    return spec


_DIAGONAL: Spec = {
    "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
    "mark": {"type": "line", "color": "@muted", "strokeDash": [4, 4]},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
}


def quality_curve(
    data: str,
    datasets: Sequence[str],
    models: Sequence[str],
    everyone: Sequence[str],
    *,
    x: str,
    y: str,
    unit_square: bool,
    rows: bool = False,
) -> Spec:
    """Lines by model, one panel a data set.

    Args:
        x, y: titles of the axes.
        unit_square: both axes from 0 to 1, with the diagonal.
        rows: points that tell the rows behind them.
    """
    scale: Spec = {"domain": [0, 1]}
    across: Spec = {"field": "x", "type": "quantitative", "title": x, "scale": scale}
    up: Spec = {"field": "y", "type": "quantitative", "title": y, "scale": scale if unit_square else {"zero": True}}
    tooltip = [field("model", "model"), field("x", x, ".2f"), field("y", y, ".3g")]
    if rows:
        tooltip.append(field("rows", "rows a repeat", ".0f"))
    layers = [*([_DIAGONAL] if unit_square else []), *_model_lines(models, everyone, across, up, tooltip, points=rows)]
    if unit_square:
        return panels(data, datasets, layers)
    return panels(data, datasets, layers, scale={"y": "independent"}, axis={"y": "independent"})
