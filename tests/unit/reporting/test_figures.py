"""Pictures: what they show, and that they are drawn."""

import math

import numpy as np
import pandas as pd
import pytest

from uqalign.inference.comparison import pairwise_table, rank_table
from uqalign.reporting.comparison_figures import better_figure, critical_difference_figure, model_rank_figure
from uqalign.reporting.figures import alignment_boxplot, save_figure
from uqalign.reporting.prior_figures import base_priors_figure, implicit_priors_figure, perturbed_priors_figure

TITLES = {"nll": "NLL", "pwu": "PWU"}


def values_of(chart):
    """Every row of data in a chart."""
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def texts_of(node):
    """Every title and subtitle in a chart."""
    if isinstance(node, list):
        return [text for item in node for text in texts_of(item)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("text", "subtitle", "title") if isinstance(node.get(key), str)]
    return own + [text for key, item in node.items() if key != "datasets" for text in texts_of(item)]


def is_drawn(chart, tmp_path):
    save_figure(chart, tmp_path / "chart.png")
    png = (tmp_path / "chart.png").read_bytes()
    return png.startswith(b"\x89PNG") and len(png) > 3000


def test_boxplots_count_what_is_undefined(tmp_path):
    rows = [("d", "top_k", metric, seed, value) for metric in TITLES for seed, value in enumerate([0.5, 0.7, math.nan])]
    means = pd.DataFrame(rows, columns=["dataset", "family", "metric", "seed", "top_1"])
    chart = alignment_boxplot(means, TITLES, {"top_k": "Top-k"}, ["pwu"], "top_1")
    assert {"Top-k", "1 data set, 4 values, 2 undefined", "top-1 agreement"} <= set(texts_of(chart.to_dict()))
    assert {row["kind"] for row in values_of(chart) if "kind" in row} == {"classical", "prior-weighted"}
    assert is_drawn(chart, tmp_path)


def test_critical_difference(tmp_path):
    scores = np.array([[0.1, 0.5, math.nan], [0.2, 0.6, 0.3], [0.3, 0.9, 0.3]])
    titles = {**TITLES, "ece": "ECE"}
    chart = critical_difference_figure(rank_table(scores, list(titles), "metric"), titles, ["pwu"], "Top-k")
    assert any(text.startswith("3 data sets, critical difference 1.13") for text in texts_of(chart.to_dict()))
    shown = [row for row in values_of(chart) if "mean_rank" in row]
    assert [(row["title"], row["mean_rank"]) for row in shown] == [("PWU", 1), ("NLL", 2)]
    assert [(row["from"], row["to"]) for row in values_of(chart) if "group" in row] == [("PWU", "NLL")]
    assert is_drawn(chart, tmp_path)


def test_model_ranks(tmp_path):
    ranks = rank_table(np.array([[1, 2.0]]), ["a", "b"], "model").assign(kind="metric", name="nll")
    chart = model_rank_figure(ranks, {("metric", "nll"): "NLL", ("utility", "absent"): "Absent"})
    assert "one data set: no test" in texts_of(chart.to_dict())
    assert is_drawn(chart, tmp_path)


@pytest.mark.parametrize("datasets", [0, 1, 3])
def test_heat_map(datasets, tmp_path):
    rng = np.random.default_rng(0)
    data = {f"d{i}": np.array([0.1, 0.8]) + 0.1 * rng.normal(size=(5, 2)) for i in range(datasets)}
    data = data or {"d": np.full((1, 2), math.nan)}
    chart = better_figure(pairwise_table(data, list(TITLES), test_train_ratio=0.25), TITLES, "Top-k")
    panels = {"d0", "d1", "d2", "over data sets"} & set(texts_of(chart.to_dict()))
    assert len(panels) == {0: 0, 1: 1, 3: 4}[datasets]
    for row in values_of(chart):
        if row.get("scope") == "dataset":
            assert (row["prob_a_better"] > 0.5) == (row["a"] == "PWU")
    assert is_drawn(chart, tmp_path)


def test_prior_figures(tmp_path):
    from uqalign.priors import PRIOR_C

    base, implicit, moved = base_priors_figure(), implicit_priors_figure(), perturbed_priors_figure()
    curve = [row for row in values_of(base) if row["prior"] == "beta:2,10"]
    assert max(curve, key=lambda row: row["density"])["x"] == pytest.approx(PRIOR_C.mode, abs=0.003)
    at_half = min(
        (row for row in values_of(implicit) if row["prior"].startswith("NLL")), key=lambda row: row["density"]
    )
    assert (at_half["x"], at_half["density"]) == pytest.approx((0.5, 4), abs=2e-3)
    assert {"base: beta:2,10", "extreme: beta:9,3"} <= {row["prior"] for row in values_of(moved)}
    assert is_drawn(implicit, tmp_path)
