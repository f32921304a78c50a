"""Tables as people read them."""

import math

import pandas as pd

from uqalign.reporting.tables import (
    alignment_frame,
    alignment_latex,
    alignment_markdown,
    leaderboard_markdown,
)

SUMMARY = pd.DataFrame(
    [
        ("sonar", "top_k", "pwu_k", 0.904, 0.5, 1.0, 15, 15),
        ("sonar", "top_k", "nll", 0.896, -0.001, 1.0, 15, 15),
        ("heart_2", "top_k", "pwu_k", math.nan, math.nan, math.nan, 0, 15),
        ("heart_2", "top_k", "nll", 0.1, -0.2, 0.3, 14, 15),
    ],
    columns=["dataset", "family", "metric", "median", "q05", "q95", "defined", "expected"],
)
FRAME = alignment_frame(SUMMARY, ["heart_2", "sonar"], ["nll", "pwu_k"])
TITLES = {"nll": "NLL", "pwu_k": "PWU & k"}


def test_rows_follow_the_given_order():
    assert list(zip(FRAME["dataset"], FRAME["metric"], strict=True)) == [
        ("heart_2", "nll"), ("heart_2", "pwu_k"), ("sonar", "nll"), ("sonar", "pwu_k"),
    ]  # fmt: skip


def test_markdown():
    lines = alignment_markdown(FRAME, TITLES, "Caption.").splitlines()
    assert lines == [
        "Caption.",
        "",
        "| data set | NLL | PWU & k |",
        "| --- | --- | --- |",
        "| heart_2 | **0.10** | -- |",
        "| | [-0.20, 0.30] |  |",
        # Bold is the highest as printed: two medians that look alike are both bold.
        "| sonar | **0.90** | **0.90** |",
        "| | [0.00, 1.00] | [0.50, 1.00] |",
        "",
        "Undefined, because a metric or utility is equal for all models: "
        "heart_2 NLL 1 of 15; heart_2 PWU & k 15 of 15.",
    ]


def test_gaps_that_all_metrics_share_are_told_once():
    frame = FRAME.assign(defined=[3, 3, 15, 15])
    assert alignment_markdown(frame, TITLES, "").splitlines()[-1].endswith(": heart_2 12 of 15 for every metric.")
    assert "Undefined" not in alignment_markdown(FRAME.assign(defined=15), TITLES, "")


def test_latex_compiles_in_principle():
    text = alignment_latex(FRAME, TITLES, "100 % of it.", "x")
    assert r"\caption{100 \% of it.}" in text
    assert r"NLL & PWU \& k \\" in text
    assert r"\multicolumn{2}{l}{heart\_2} \\" in text
    assert r"{[-0.20, 0.30]} & {} \\" in text
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin") == text.count(r"\end")


def test_leaderboard():
    frame = pd.DataFrame(
        [("d", "a", "nll", 0.5, True, 4, 5), ("d", "b", "nll", math.nan, False, 5, 5)],
        columns=["dataset", "model", "metric", "mean", "best", "fits", "expected"],
    )
    text = leaderboard_markdown(frame, {"nll": "NLL"})
    assert "| a | 4/5 | **0.5** |" in text
    assert "| b | 5/5 | -- |" in text
