"""Draws the pictures of the metric pages: python docs/metrics/curve_pictures.py"""

from __future__ import annotations

from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from uqalign.metrics.curves import (
    coverage_curve,
    decision_curve,
    regression_retention_curve,
    reliability_curve,
    retention_curve,
)
from uqalign.priors import PRIOR_C

IMAGES = Path(__file__).parent / "img"
SIZE = {"width": 300, "height": 220}
PADDING = {"left": 5, "top": 5, "right": 45, "bottom": 5}
"""Room on the right: a reader's fonts may be wider than those the picture was measured with."""
DIAGONAL = pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0]})


def forecasts() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and three forecasts of them: honest, overconfident, blurred."""
    rng = np.random.default_rng(0)
    logit = rng.normal(-1, 1.3, 4000)
    honest = 1 / (1 + np.exp(-logit))
    y = (rng.random(4000) < honest).astype(int)
    return y, {
        "honest": honest,
        "overconfident": 1 / (1 + np.exp(-2.5 * logit)),
        "blurred": 1 / (1 + np.exp(-(logit + rng.normal(0, 1.5, 4000)))),
    }


def gaussians() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Targets, means, and three reports of the variance."""
    rng = np.random.default_rng(1)
    std = rng.uniform(0.3, 2, 2000)
    mean = rng.normal(size=2000)
    y = mean + std * rng.normal(size=2000)
    return y, mean, {"honest": std**2, "too narrow": std**2 / 4, "constant": np.full(2000, np.mean(std**2))}


def scores_picture() -> alt.Chart:
    p = np.linspace(0.005, 1, 200)
    losses = {"log score": -np.log(p), "Brier score": (1 - p) ** 2, "error": (p <= 0.5).astype(float)}
    frame = pd.concat(pd.DataFrame({"p": p, "loss": loss, "score": name}) for name, loss in losses.items())
    return (
        alt.Chart(frame, title="Loss when the event happens")
        .mark_line(clip=True)
        .encode(
            alt.X("p", title="forecast probability of what happened"),
            alt.Y("loss", scale=alt.Scale(domain=[0, 3])),
            alt.Color("score", title=None, sort=list(losses)),
        )
        .properties(**SIZE)
    )


def reliability_picture() -> alt.LayerChart:
    y, models = forecasts()
    frame = pd.concat(reliability_curve(y, p).assign(model=name) for name, p in models.items()).dropna()
    points = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            alt.X("forecast", title="mean forecast in the bin", scale=alt.Scale(domain=[0, 1])),
            alt.Y("observed", title="observed frequency", scale=alt.Scale(domain=[0, 1])),
            alt.Color("model", title=None, sort=list(models)),
        )
    )
    diagonal = alt.Chart(DIAGONAL).mark_line(color="gray", strokeDash=[4, 4]).encode(x="x", y="y")
    return (diagonal + points).properties(title="Reliability", **SIZE)


def retention_picture() -> alt.HConcatChart:
    y, models = forecasts()
    left = pd.concat(retention_curve(y, p)[::20].assign(model=name) for name, p in models.items())
    target, mean, variances = gaussians()
    right = pd.concat(
        regression_retention_curve(target, mean, var)[::10].assign(model=name) for name, var in variances.items()
    )

    def chart(frame: pd.DataFrame, title: str, names: list[str]) -> alt.Chart:
        return (
            alt.Chart(frame[frame["kept"] > 0.02], title=title)
            .mark_line()
            .encode(
                alt.X("kept", title="share of rows kept, least uncertain first"),
                alt.Y("retained", title="mean error among the kept"),
                alt.Color("model", title=None, sort=names),
            )
            .properties(**SIZE)
        )

    return alt.hconcat(
        chart(left, "Classification: error rate", list(models)),
        chart(right, "Regression: squared error", list(variances)),
    ).resolve_scale(color="independent")


def coverage_picture() -> alt.LayerChart:
    target, mean, variances = gaussians()
    frame = pd.concat(coverage_curve(target, mean, var).assign(model=name) for name, var in variances.items())
    lines = (
        alt.Chart(frame)
        .mark_line()
        .encode(
            alt.X("nominal", title="nominal level of the interval"),
            alt.Y("empirical", title="share of targets inside"),
            alt.Color("model", title=None, sort=list(variances)),
        )
    )
    diagonal = alt.Chart(DIAGONAL).mark_line(color="gray", strokeDash=[4, 4]).encode(x="x", y="y")
    return (diagonal + lines).properties(title="Coverage", **SIZE)


def decision_picture() -> alt.VConcatChart:
    y, models = forecasts()
    grid = np.linspace(0, 1, 201)
    curves = {name: decision_curve(y, p, thresholds=grid, prior=PRIOR_C) for name, p in models.items()}
    anyone = curves["honest"]
    frame = pd.concat(
        [
            *(curve[["threshold", "cost"]].assign(model=name) for name, curve in curves.items()),
            anyone[["threshold"]].assign(cost=anyone["never"], model="never act"),
            anyone[["threshold"]].assign(cost=anyone["always"], model="always act"),
        ]
    )
    names = [*models, "never act", "always act"]
    costs = (
        alt.Chart(frame, title="Expected cost of acting iff p > c")
        .mark_line(clip=True)
        .encode(
            alt.X("threshold", title=None),
            alt.Y("cost", scale=alt.Scale(domain=[0, 0.2])),
            alt.Color("model", title=None, sort=names),
        )
        .properties(**SIZE)
    )
    density = (
        alt.Chart(anyone)
        .mark_area(opacity=0.4)
        .encode(alt.X("threshold", title="cost c of acting in vain"), alt.Y("density", title="prior"))
        .properties(width=SIZE["width"], height=70)
    )
    return alt.vconcat(costs, density)


PICTURES = {
    "scores": scores_picture,
    "reliability": reliability_picture,
    "retention": retention_picture,
    "coverage": coverage_picture,
    "decision": decision_picture,
}


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        picture().configure(padding=PADDING).save(IMAGES / f"{name}.svg")


if __name__ == "__main__":
    main()
