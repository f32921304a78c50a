"""Comparisons as people read them: the honest sentences, and the numbers they are about."""

import math

import numpy as np
import pandas as pd
import pytest

from uqalign.inference.comparison import pairwise_table, pooled_table, rank_table
from uqalign.reporting.ablations import ablation_frame, ablation_markdown
from uqalign.reporting.comparison import pairwise_markdown, pooled_markdown, ranks_markdown
from uqalign.reporting.stability import model_ranks_markdown, stability_markdown

TITLES = {"nll": "NLL", "pwu": "PWU", "ece": "ECE"}
METRICS = list(TITLES)


def matrices(datasets):
    rng = np.random.default_rng(0)
    return {f"d{i}": np.array([0.3, 0.8, -0.2]) + 0.02 * rng.normal(size=(10, 3)) for i in range(datasets)}


def test_pooled_says_when_there_are_too_few_data_sets():
    text = {n: pooled_markdown(pooled_table(matrices(n), METRICS), TITLES, "Top-k") for n in (1, 3, 8)}
    assert "nothing here carries over to others" in text[1]
    assert "trust *t*" in text[3]
    assert "There are 8 data sets" in text[8]
    rows = [line.split(" | ")[0] for line in text[3].splitlines()[-3:]]
    assert rows == ["| PWU", "| NLL", "| ECE"]
    assert "0 of 30 |" in text[3]


def test_pairs_say_what_no_p_value_can_reach():
    table = pairwise_table(matrices(3), METRICS, test_train_ratio=0.25)
    text = pairwise_markdown(table, TITLES, "Top-k")
    # Three data sets: 2 / 2^3 = 0.25, times three pairs, is above the level whatever the data.
    assert text.splitlines()[2].startswith("0 of 3 pairs of metrics differ over data sets (sign flips over 3 data sets")
    assert "no p-value can be below 0.25 before, nor 0.75 after the adjustment for 3 pairs" in text
    assert "9 of 9 differ on single data sets" in text
    assert "**PWU**" in text
    row = next(line for line in text.splitlines() if line.startswith("| NLL |"))
    assert row.count("**1.00** (10)") == 3
    ten = pairwise_markdown(pairwise_table(matrices(10), METRICS, test_train_ratio=0.25), TITLES, "Top-k")
    assert "3 of 3 pairs of metrics differ over data sets" in ten


def test_pairs_of_metrics_that_never_meet():
    empty = pairwise_table({"d": np.full((2, 3), math.nan)}, METRICS, test_train_ratio=0.25)
    assert "No two metrics have an alignment on the same data set." in pairwise_markdown(empty, TITLES, "x")


def test_probabilities_are_turned_to_the_better_metric():
    # ECE comes first in alphabetical and table order of neither: the sign must follow the named metric.
    table = pairwise_table({"d0": matrices(1)["d0"], "d1": matrices(2)["d1"]}, METRICS, test_train_ratio=0.25)
    text = pairwise_markdown(table, TITLES, "x")
    row = next(line for line in text.splitlines() if line.startswith("| ECE |"))
    assert float(row.split(" | ")[1]) == pytest.approx(1.0, abs=0.05)


def test_ranks():
    scores = np.array([[0.3, 0.8, math.nan], [0.2, 0.9, 0.1], [0.4, 0.7, 0.2]])
    text = ranks_markdown(rank_table(scores, METRICS, "metric"), TITLES, "Top-k")
    assert "Friedman's test of 2 on 3 data sets" in text
    assert "1 without a value on one of the data sets have no rank." in text
    assert text.splitlines()[-3:] == ["| PWU | 1.00 |", "| NLL | 2.00 |", "| ECE | -- |"]
    one = ranks_markdown(rank_table(scores[1:2], METRICS, "metric"), TITLES, "Top-k")
    assert "1 data set, 3 ranked: nothing to test." in one


def alignment(values):
    rows = [
        ("d", "top_k", metric, seed, "q=0.1", *agreements) for metric, agreements in values.items() for seed in range(2)
    ]
    columns = ["dataset", "family", "metric", "seed", "theta", "tau", "top_1", "top_3", "pearson"]
    return pd.DataFrame(rows, columns=columns)


def test_ablations():
    nan = math.nan
    frame = ablation_frame(
        alignment({"nll": (0.5, 1, 0.2, 0.9), "pwu": (0.8, 0, nan, 0.7), "ece": (-0.1, 0, 0.5, 0.1)})
    )
    assert list(frame["agreement"].unique()) == ["tau", "top_1", "top_3", "pearson"]
    assert len(frame) == 4 * 3
    row = frame[(frame["agreement"] == "top_3") & (frame["metric"] == "pwu")].iloc[0]
    assert (row["defined"], row["expected"]) == (0, 2)
    text = ablation_markdown(frame, {"top_k": "Top-k"}, {"top_k": TITLES})
    assert "| PWU | **0.80** | 0.00 | -- | 0.70 |" in text
    assert "| NLL | 0.50 | **1.00** | 0.20 | **0.90** |" in text
    # NLL, PWU, ECE by tau 0.5, 0.8, -0.1 and by top-3 0.2, --, 0.5: the one pair left is reversed.
    assert "top-3 -1.00 (2 of 6 undefined)" in text


def test_stability_and_model_ranks():
    rows = [("d", "metric", "nll", "", 0.9, 0.8, 10, 10, "mlp", 0.75, 5, 3),
            ("d", "utility", "top_k", "q=0.1", math.nan, math.nan, 0, 10, "", math.nan, 5, 3)]  # fmt: skip
    columns = ["dataset", "kind", "name", "theta", "kendall_w", "mean_tau", "defined", "pairs", "first", "first_share",
               "seeds", "models"]  # fmt: skip
    titles = {("utility", "top_k"): "Top-k", ("metric", "nll"): "NLL", ("metric", "absent"): "Absent"}
    text = stability_markdown(pd.DataFrame(rows, columns=columns), titles, "binary")
    assert "## d (5 seeds)" in text
    assert "| Top-k | -- | -- | 10 of 10 | -- |" in text
    assert "| NLL | 0.90 | 0.80 | 0 of 10 | mlp (0.75) |" in text
    ranks = rank_table(np.array([[1, 2.0], [1, 2]]), ["a", "b"], "model").assign(kind="metric", name="nll")
    text = model_ranks_markdown(ranks, titles, "binary")
    assert "| a | 2.00 |" in text
    assert "| NLL | 2 | 2 of 2 | 2.00 |" in text
