"""Pictures of priors: those of the metrics, those implied by classical scores, and those moved away from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors import PERTURBED, PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA, Beta
from uqalign.priors.defaults import Parameter
from uqalign.priors.implicit import IMPLICIT_WEIGHTS, gaussian_nll_prior
from uqalign.priors.render import short_text
from uqalign.reporting.figures import styled

# Okabe and Ito's colours, and dashes for readers of a grey print.
COLOURS = ["#000000", "#0072B2", "#E69F00", "#D55E00"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2]]

BASE: Mapping[Parameter, Beta] = {"c": PRIOR_C, "lambda": PRIOR_LAMBDA, "k": PRIOR_K, "gamma": PRIOR_GAMMA}
AXES: Mapping[Parameter, str] = {
    "c": "cost of a false positive, c",
    "lambda": "abstention cost / Var(y), lambda",
    "k": "selected fraction, k/n",
    "gamma": "risk aversion, gamma",
}
POINTS = np.linspace(0.0005, 0.9995, 500)


def _curve(name: str, x: FloatArray, density: FloatArray) -> list[dict[str, Any]]:
    return [{"x": a, "density": b, "prior": name} for a, b in zip(x.tolist(), density.tolist(), strict=True)]


def _panel(
    title: str, axis: str, curves: list[dict[str, Any]], atoms: list[dict[str, Any]], top: float, right: float = 1.0
) -> Any:
    """Densities as lines, atoms as arrows' stems with a label, clipped to [0, right] x [0, top]."""
    import altair as alt
    import pandas as pd

    names = list(dict.fromkeys(row["prior"] for row in [*curves, *atoms]))
    colour = alt.Color("prior:N", title=None, sort=names, scale=alt.Scale(domain=names, range=COLOURS[: len(names)]))
    dash = alt.StrokeDash("prior:N", title=None, sort=names, scale=alt.Scale(domain=names, range=DASHES[: len(names)]))
    x = alt.X("x:Q", title=axis, scale=alt.Scale(domain=[0, right], nice=False))
    y = alt.Y("density:Q", title="density", scale=alt.Scale(domain=[0, top], nice=False))
    lines = alt.Chart(pd.DataFrame(curves)).mark_line(clip=True, strokeWidth=2).encode(x, y, colour, dash)
    layers = [lines]
    if atoms:
        stems = alt.Chart(pd.DataFrame(atoms).assign(floor=0))
        layers.append(stems.mark_rule(strokeWidth=2).encode(x=x, y="floor:Q", y2="density:Q", color=colour))
        layers.append(
            stems.mark_point(shape="triangle-up", filled=True, size=90, opacity=1).encode(x=x, y=y, color=colour)
        )
    return (
        alt.layer(*layers)
        .properties(width=270, height=180, title=alt.TitleParams(title, anchor="start"))
        .resolve_scale(color="shared", strokeDash="shared")
    )


def _beside(panels: list[Any]) -> Any:
    import altair as alt

    grid = alt.concat(*panels, columns=2, spacing=24)
    return styled(grid.resolve_scale(color="independent", strokeDash="independent"))


def base_priors_figure() -> Any:
    """The priors of the prior-weighted utilities (the paper's Figure 1)."""
    panels = []
    for parameter, prior in BASE.items():
        curve = _curve(short_text(prior), POINTS, np.asarray(prior.density(POINTS)))
        top = 1.1 * max(row["density"] for row in curve)
        panels.append(_panel(parameter, AXES[parameter], curve, [], top))
    return _beside(panels)


def implicit_priors_figure(eps: float = 0.1) -> Any:
    """The priors under which classical scores are decision-aligned (the paper's Figure G.1).

    Args:
        eps: smallest predicted variance and abstention cost in the panel of the Gaussian NLL, which are not bounded
            above; its Pareto prior is in their unit.
    """
    nll, brier = (np.asarray(IMPLICIT_WEIGHTS[name].density(POINTS)) for name in ("nll", "brier"))
    binary = _panel(
        "Binary decisions",
        AXES["c"],
        [*_curve("NLL: 1 / (c (1 - c))", POINTS, nll), *_curve("Brier: 2", POINTS, brier)],
        [{"x": 0.5, "density": 14.0, "prior": "accuracy: atom of mass 2 at 0.5"}],
        15.0,
    )
    right = 1.0
    x = np.linspace(eps, right, 300)
    pareto = np.asarray(gaussian_nll_prior(eps).density(x))
    regression = _panel(
        "Selective prediction",
        "abstention cost, lambda",
        _curve(f"Gaussian NLL: Pareto(1, {eps:g})", x, pareto),
        [{"x": right * 0.985, "density": 0.93 * pareto.max(), "prior": "MSE: atom at infinity"}],
        1.05 * float(pareto.max()),
        right,
    )
    return _beside([binary, regression])


def perturbed_priors_figure() -> Any:
    """The priors from which misspecified utilities are drawn, beside the base ones (the paper's Figure J.7)."""
    panels = []
    for parameter, base in BASE.items():
        members = {"base": base, **PERTURBED[parameter]}
        curves = [
            row
            for level, prior in members.items()
            for row in _curve(f"{level}: {short_text(prior)}", POINTS, np.asarray(prior.density(POINTS)))
        ]
        panels.append(_panel(parameter, AXES[parameter], curves, [], 1.1 * max(row["density"] for row in curves)))
    return _beside(panels)
