"""Draws the pictures of README.md and docs/concepts.md from a finished run: python docs/pictures.py results"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from uqalign.contracts.alignment import read_alignment
from uqalign.contracts.scores import read_scores
from uqalign.families import FAMILIES
from uqalign.models.base import REGISTRY
from uqalign.priors import PRIOR_C
from uqalign.report.curves import ALWAYS, GRID, NEVER
from uqalign.report.frames import CURVE_COLUMNS, read_frames

IMAGES = Path(__file__).parent / "img"
DATASET = "heart_complete"

OWN = {
    "binary_decision": "pwu_c",
    "top_k": "pwu_k",
    "one_vs_rest": "pwu_jc",
    "selective": "pwu_lambda",
    "risk_averse_top_k": "pwu_phi",
    "multivariate_selective": "pwu_lambda",
}
"""The prior-weighted utility made for each family."""

OWN_TITLE = "PWU"
SHOWN = {
    "nll": "NLL",
    "brier": "Brier or MSE",
    "mse": "Brier or MSE",
    "ece": "ECE",
    "mce": "MCE",
    "rauc": "R-AUC",
    "edet": "E-Det",
}

# Okabe and Ito's colours: told apart by readers with any kind of colour vision.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

PADDING = {"left": 40, "top": 12, "right": 50, "bottom": 12}
"""Room beside: a reader's fonts may be wider than those the picture was measured with."""


def styled(chart: alt.LayerChart | alt.Chart | alt.VConcatChart) -> alt.TopLevelMixin:
    """On white, with text that stays legible where the picture is scaled down."""
    return (
        chart.configure(background="white", padding=PADDING, font="sans-serif")
        .configure_axis(labelFontSize=13, titleFontSize=13, titleFontWeight="normal", labelLimit=260)
        .configure_title(fontSize=15, anchor="start", fontWeight="normal", offset=12)
        .configure_legend(labelFontSize=13, titleFontSize=13, titleFontWeight="normal", labelLimit=260)
        .configure_view(strokeWidth=0)
    )


def alignment(results: Path) -> alt.TopLevelMixin:
    """Mean tau of every metric with every family: decisions, then repeats, then data sets averaged."""
    frame = read_alignment(sorted(results.glob("alignment/*/*.parquet")))
    frame["title"] = frame["metric"].map(SHOWN)
    own = frame["metric"] == frame["family"].map(OWN)
    frame.loc[own, "title"] = OWN_TITLE
    frame = frame.dropna(subset=["title"])
    by_dataset = frame.groupby(["family", "title", "dataset"])["tau"].mean()
    taus = frame.groupby(["family", "title"])["tau"].agg(defined="count", expected="size")
    means = by_dataset.groupby(["family", "title"]).mean().to_frame().join(taus).reset_index()
    means["decision"] = means["family"].map(lambda name: FAMILIES[name].title)
    means["share"] = [
        f"{row.defined} of {row.expected}" if row.defined < row.expected else "" for row in means.itertuples()
    ]
    rows = [family.title for family in FAMILIES.values()]
    base = alt.Chart(means).encode(
        alt.X(
            "title:N",
            sort=[*dict.fromkeys(SHOWN.values()), OWN_TITLE],
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0),
        ),
        alt.Y("decision:N", sort=rows, title=None),
    )
    scale = alt.Scale(domain=[-1, 0, 1], range=["#D55E00", "#f7f7f7", "#0072B2"])
    tiles = base.mark_rect(stroke="white", strokeWidth=2).encode(
        alt.Color("tau:Q", scale=scale, title=["Kendall's", "tau-b"])
    )
    ink = alt.condition("abs(datum.tau) > 0.55", alt.value("white"), alt.value("#222"))
    text = base.mark_text(fontSize=14).encode(alt.Text("tau:Q", format=".2f"), color=ink)
    share = base.mark_text(fontSize=10, dy=14).encode(alt.Text("share:N"), color=ink)
    models, datasets, seeds = (_count(results, name) for name in ("model", "dataset", "seed"))
    return styled(
        (tiles + text + share).properties(
            width=620,
            height=290,
            title={
                "text": "How far metrics (columns) rank models as decisions (rows) do",
                "subtitle": [
                    f"Default run: {models} models, {datasets} data sets, {seeds} repeats. 1: the same ranking, 0: no "
                    "relation.",
                    "PWU: the prior-weighted utility of the row's decisions. Small: taus that are defined.",
                ],
                "subtitleFontSize": 13,
                "subtitlePadding": 6,
            },
        )
    )


def _scores(results: Path, pattern: str = "*/*") -> pd.DataFrame:
    return read_scores(sorted(results.glob(f"scores/{pattern}/*/*/*.parquet")))[0]


def _count(results: Path, column: str) -> int:
    return _scores(results)[column].nunique()


def rankings(results: Path) -> alt.TopLevelMixin:
    """Places of the models on one data set, by metrics and by what decisions realise."""
    scores = _scores(results, f"binary/{DATASET}")
    signs = {"accuracy": 1, "nll": -1, "ece": -1, "pwu_c": -1, "binary_decision": 1}
    titles = {
        "accuracy": "by accuracy", "nll": "by NLL", "ece": "by ECE", "pwu_c": "by PWU c",
        "binary_decision": "by realised utility",
    }  # fmt: skip
    means = scores[scores["name"].isin(signs)].groupby(["name", "model"])["value"].mean().reset_index()
    means["signed"] = means["value"] * means["name"].map(signs)
    means["place"] = means.groupby("name")["signed"].rank(ascending=False)
    means["title"] = means["name"].map(titles)
    means["label"] = means["model"].map(lambda name: REGISTRY.get(name).title)
    order = means[means["name"] == "binary_decision"].sort_values("place")["label"].tolist()
    base = alt.Chart(means).encode(
        alt.X("title:N", sort=[*titles.values()], title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        alt.Y(
            "place:Q",
            title="place",
            scale=alt.Scale(domain=[0.7, len(order) + 0.3], reverse=True, nice=False),
            axis=alt.Axis(values=[*range(1, len(order) + 1)]),
        ),
        alt.Color("label:N", sort=order, scale=alt.Scale(range=COLOURS), title=None),
    )
    return styled(
        (base.mark_line(strokeWidth=3, opacity=0.8) + base.mark_point(size=140, filled=True, opacity=1)).properties(
            width=520, height=240, title="Yes/no decisions on heart disease: who is best?"
        )
    )


def decision_curves(results: Path) -> alt.TopLevelMixin:
    """What models add along the cost, above the density of the prior."""
    path = results / f"report/data/binary/{DATASET}/curves.parquet"
    curves = read_frames([path], "curves", CURVE_COLUMNS)
    curves = curves[(curves["family"] == "binary_decision") & (curves["parameter"] == "c")]
    wide = curves.pivot_table(index="x", columns="model", values="y")
    gain = wide.drop(columns=[NEVER, ALWAYS]).sub(wide[[NEVER, ALWAYS]].max(axis=1), axis=0)
    long = gain.reset_index().melt("x", var_name="model", value_name="gain")
    long["label"] = long["model"].map(lambda name: REGISTRY.get(name).title)
    lines = (
        alt.Chart(long)
        .mark_line(strokeWidth=2.5)
        .encode(
            alt.X("x:Q", title=None, axis=alt.Axis(labels=False), scale=alt.Scale(domain=[0, 1])),
            alt.Y("gain:Q", title="utility gained"),
            alt.Color("label:N", scale=alt.Scale(range=COLOURS), title=None),
        )
        .properties(
            width=520,
            height=240,
            title="What acting on a model gains over the better of never and always acting",
        )
    )
    shade = (
        alt.Chart(pd.DataFrame({"x": GRID, "density": PRIOR_C.density(GRID)}))
        .mark_area(color="#999", opacity=0.6)
        .encode(
            alt.X("x:Q", title="cost c of acting in vain (1 - c: of missing a case)", scale=alt.Scale(domain=[0, 1])),
            alt.Y("density:Q", title="prior"),
        )
        .properties(width=520, height=70)
    )
    return styled(alt.vconcat(lines, shade, spacing=8))


def implied_priors(_: Path) -> alt.TopLevelMixin:
    """Weights over the cost that metrics put on decisions."""
    c = np.linspace(0.005, 0.995, 199)
    weights = {
        "Beta(2, 10), the default": PRIOR_C.density(c),
        "NLL: 1 / (c (1 - c))": 1 / (c * (1 - c)),
        "Brier score: 2": np.full_like(c, 2.0),
    }
    frame = pd.concat(pd.DataFrame({"c": c, "weight": w, "metric": name}) for name, w in weights.items())
    names = [*weights, "accuracy: all at 1/2"]
    colour = alt.Color("metric:N", sort=names, scale=alt.Scale(domain=names, range=COLOURS), title=None)
    lines = (
        alt.Chart(frame)
        .mark_line(strokeWidth=2.5, clip=True)
        .encode(
            alt.X("c:Q", title="cost c of acting in vain", scale=alt.Scale(domain=[0, 1])),
            alt.Y("weight:Q", title="weight", scale=alt.Scale(domain=[0, 12])),
            colour,
        )
    )
    atom = (
        alt.Chart(pd.DataFrame({"c": [0.5], "metric": [names[-1]]}))
        .mark_rule(strokeWidth=2.5, strokeDash=[6, 3])
        .encode(x="c:Q", color=colour)
    )
    return styled((lines + atom).properties(width=520, height=240, title="Which decisions a metric cares about"))


PICTURES = {
    "alignment": alignment,
    "rankings": rankings,
    "decision-curves": decision_curves,
    "implied-priors": implied_priors,
}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        picture(Path(sys.argv[1])).save(IMAGES / f"{name}.svg")
