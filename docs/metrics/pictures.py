"""Draws the pictures of the decision-family pages: python docs/metrics/pictures.py"""

from __future__ import annotations

from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from uqalign.priors import PRIOR_C, PRIOR_K, Beta, rank_weights
from uqalign.pwu import binary_decision_pwu, multivariate_selective_pwu, one_vs_rest_pwu, selective_pwu

IMAGES = Path(__file__).parent / "img"
SIZE = {"width": 320, "height": 220}
PADDING = {"left": 5, "top": 5, "right": 45, "bottom": 5}
"""Room on the right: a reader's fonts may be wider than those the picture was measured with."""


def binary_picture() -> alt.Chart:
    p = np.linspace(0, 1, 201)
    priors = {"Beta(2, 10), a miss is dear": PRIOR_C, "Beta(1, 1), half the Brier score": Beta(1, 1)}
    frame = pd.concat(
        pd.DataFrame(
            {"p": p, "loss": binary_decision_pwu([y] * 201, p, prior=prior, reduction="none"), "prior": name, "y": y}
        )
        for name, prior in priors.items()
        for y in (0, 1)
    )
    return (
        alt.Chart(frame, title="Expected loss of acting iff p > c")
        .mark_line()
        .encode(
            alt.X("p", title="predicted probability p"),
            alt.Y("loss", title="loss"),
            alt.Color("prior", title="prior of c", legend=alt.Legend(orient="bottom", columns=1, labelLimit=300)),
            alt.StrokeDash("y:N", title="outcome y", legend=alt.Legend(orient="bottom")),
        )
        .properties(**SIZE)
    )


def top_k_picture() -> alt.Chart:
    frame = pd.concat(
        pd.DataFrame({"place": np.arange(1, 61), "worth": np.pad(rank_weights(PRIOR_K, n), (0, 60))[:60], "n": n})
        for n in (42, 154, 1625)
    )
    frame = frame[frame["worth"] > 1e-5]
    return (
        alt.Chart(frame, title="Worth of a place in the ranking")
        .mark_line(interpolate="step")
        .encode(
            alt.X("place", title="place j in the ranking"),
            alt.Y("worth", title="W_j, log scale", scale=alt.Scale(type="log", domain=[1e-5, 1])),
            alt.Color("n:N", title="test rows n"),
        )
        .properties(**SIZE)
    )


def selective_picture() -> alt.Chart:
    reported = np.linspace(0, 0.6, 241)
    frame = pd.concat(
        pd.DataFrame(
            {
                "reported": reported,
                "loss": selective_pwu(
                    np.full(241, np.sqrt(true)), np.zeros(241), reported, target_variance=1, reduction="none"
                ),
                "true": f"{true:g}",
            }
        )
        for true in (0.02, 0.1, 0.3)
    )
    return (
        alt.Chart(frame, title="Loss by reported variance: lowest at the squared error")
        .mark_line()
        .encode(
            alt.X("reported", title="reported variance / Var(y)"),
            alt.Y("loss", title="loss / Var(y)"),
            alt.Color("true", title="squared error"),
        )
        .properties(**SIZE)
    )


def risk_averse_picture() -> alt.LayerChart:
    mean, var = np.array([2.0, 1.7, 1.3, 1.0, 0.8]), np.array([3.0, 1.4, 1.9, 0.3, 0.9])
    frame = pd.DataFrame(
        [
            {"gamma": gamma, "score": m - gamma * v, "row": f"{i + 1}"}
            for i, (m, v) in enumerate(zip(mean, var, strict=True))
            for gamma in (0.0, 1.0)
        ]
    )
    top = pd.DataFrame({"gamma": np.linspace(0, 1, 201)})
    top["score"] = [np.sort(mean - gamma * var)[-2] for gamma in top["gamma"]]
    lines = (
        alt.Chart(frame, title="Ranking lines: who is among the top two depends on the aversion")
        .mark_line()
        .encode(
            alt.X("gamma", title="aversion factor"),
            alt.Y("score", title="mean - gamma var"),
            alt.Color("row", title="row"),
        )
    )
    edge = alt.Chart(top).mark_line(strokeDash=[2, 2], color="black").encode(x="gamma", y="score")
    return (lines + edge).properties(**SIZE)


def one_vs_rest_picture() -> alt.Chart:
    right = np.linspace(0, 1, 201)
    spread = np.stack([right, (1 - right) / 2, (1 - right) / 2], axis=1)
    on_one = np.stack([right, 1 - right, np.zeros(201)], axis=1)
    frame = pd.concat(
        pd.DataFrame({"right": right, "loss": one_vs_rest_pwu([0] * 201, p, reduction="none"), "rest": name})
        for name, p in (("spread evenly", spread), ("on one wrong class", on_one))
    )
    return (
        alt.Chart(frame, title="Loss by the probability given to what happened, K = 3")
        .mark_line()
        .encode(
            alt.X("right", title="probability of the true class"),
            alt.Y("loss", title="loss"),
            alt.Color("rest", title="remaining probability"),
        )
        .properties(**SIZE)
    )


def multivariate_picture() -> alt.LayerChart:
    rng = np.random.default_rng(0)
    n, spread = 20_000, np.array([0.3, 0.5])
    mean = rng.normal(size=(n, 2))
    y = mean + spread * rng.normal(size=(n, 2))
    rows = []
    for factor in np.geomspace(0.05, 20, 41):
        for correlation in (0.0, 0.9):
            cov = np.outer(spread, spread) * [[1, correlation], [correlation, 1]] * factor
            loss = multivariate_selective_pwu(y, mean, np.broadcast_to(cov, (n, 2, 2)))
            rows.append({"factor": factor, "loss": loss, "correlation": f"{correlation:g}"})
    frame = pd.DataFrame(rows)
    base = alt.Chart(frame, title="Honest variances are best; correlations do not count").encode(
        alt.X("factor", title="reported / true variances", scale=alt.Scale(type="log", domain=[0.05, 20])),
        alt.Y("loss", title="mean loss", scale=alt.Scale(zero=False)),
        alt.Color("correlation", title="reported correlation"),
    )
    line = base.mark_line().transform_filter(alt.datum.correlation == "0")
    points = base.mark_point().transform_filter(alt.datum.correlation == "0.9")
    return (line + points).properties(**SIZE)


PICTURES = {
    "binary-decision": binary_picture,
    "top-k": top_k_picture,
    "selective": selective_picture,
    "risk-averse-top-k": risk_averse_picture,
    "one-vs-rest": one_vs_rest_picture,
    "multivariate-selective": multivariate_picture,
}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        picture().configure(padding=PADDING).save(IMAGES / f"{name}.svg")
