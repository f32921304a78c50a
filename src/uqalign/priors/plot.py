"""The density of a prior as an Altair chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from uqalign.priors.base import Prior
from uqalign.priors.defaults import Parameter
from uqalign.priors.render import cell_masses, short_text

CELLS = 200
PLOT_SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json")

AXIS: dict[Parameter, str] = {
    "c": "cost of a false positive, c",
    "lambda": "abstention cost / variance of the target, lambda",
    "k": "selected fraction, k/n",
    "gamma": "risk aversion, gamma (rescaled)",
}


def _rows(altair: Any, rows: list[dict[str, Any]]) -> Any:
    return altair.Data(values=rows)


def density_chart(prior: Prior, parameter: Parameter) -> Any:
    """Chart of the density (mass per cell, so that poles and atoms stay finite) with the three quantiles.

    Raises:
        ImportError: altair is not installed.
    """
    try:
        import altair as alt
    except ImportError as error:
        raise ImportError("plots need altair: pip install 'uqalign[report]'") from error
    edges, mass = cell_masses(prior, CELLS)
    centres = (edges[:-1] + edges[1:]) / 2
    density = mass / np.diff(edges)
    curve = [{"x": x, "density": d} for x, d in zip(centres.tolist(), density.tolist(), strict=True)]
    levels = (0.05, 0.5, 0.95)
    marks = [
        {"x": x, "label": f"{100 * level:g} %: {x:.3g}"}
        for level, x in zip(levels, np.asarray(prior.quantile(levels)).tolist(), strict=True)
        if np.isfinite(x)
    ]
    x_axis = alt.X("x:Q", title=AXIS[parameter], scale=alt.Scale(domain=[edges[0], edges[-1]], nice=False))
    area = (
        alt.Chart(_rows(alt, curve))
        .mark_area(opacity=0.35, line={"color": "#3b6ea5"}, color="#3b6ea5", clip=True)
        .encode(x=x_axis, y=alt.Y("density:Q", title="density"))
    )
    rules = alt.Chart(_rows(alt, marks)).mark_rule(strokeDash=[4, 3], color="#555", clip=True).encode(x="x:Q")
    labels = (
        alt.Chart(_rows(alt, marks))
        .mark_text(angle=270, align="right", dy=-5, color="#555", clip=True)
        .encode(x="x:Q", y=alt.value(4), text="label:N")
    )
    return alt.layer(area, rules, labels).properties(width=420, height=220, title=short_text(prior))


def save_chart(chart: Any, path: str | Path) -> Path:
    """Write `chart` in the format of the path's suffix: svg, png, pdf, html or json (Vega-Lite).

    Raises:
        ValueError: another suffix.
        FileNotFoundError: the folder does not exist.
    """
    target = Path(path)
    if target.suffix not in PLOT_SUFFIXES:
        raise ValueError(f"plot {str(target)!r}: end the name in one of {', '.join(PLOT_SUFFIXES)}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"folder {str(target.parent)!r} of the plot does not exist: create it first")
    chart.save(str(target), **({"scale_factor": 2} if target.suffix == ".png" else {}))
    return target
