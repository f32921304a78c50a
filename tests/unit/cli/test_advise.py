"""The advice: the right family, a prior that says what was said, and calls that work."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from uqalign.advice import DECISIONS, KINDS, advise
from uqalign.cli import app
from uqalign.errors import UserError

NUMBERS = {
    "act": {"false_positive": 1, "false_negative": 9},
    "pick": {"chosen": 20, "of": 400},
    "act_on_class": {"false_positive": 2, "false_negative": 3},
    "abstain": {"tolerated_error": 3, "target_std": 8},
    "pick_wary": {"chosen": 5, "of": 80},
    "abstain_each": {"tolerated_error": 1, "target_std": 2},
}


def data(task: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    if task == "binary":
        p = rng.uniform(size=60)
        return {"y": rng.binomial(1, p), "p": p}
    if task == "multiclass":
        p = rng.dirichlet(np.ones(3), size=60)
        return {"y": rng.integers(0, 3, 60), "p": p}
    if task == "regression":
        mean, var = rng.normal(size=60), rng.uniform(0.2, 1, 60)
        return {"y": mean + rng.normal(size=60), "mean": mean, "var": var}
    mean = rng.normal(size=(60, 2))
    return {"y": mean + rng.normal(size=(60, 2)), "mean": mean, "cov": np.tile(np.eye(2), (60, 1, 1))}


def columns(values: dict[str, np.ndarray], task: str) -> pd.DataFrame:
    if task == "binary":
        return pd.DataFrame(values)
    if task == "multiclass":
        return pd.DataFrame({"y": values["y"], **{f"p_{k}": values["p"][:, k] for k in range(3)}})
    if task == "regression":
        return pd.DataFrame({"y": values["y"], "mu": values["mean"], "var": values["var"]})
    frame = {f"y_{d}": values["y"][:, d] for d in range(2)} | {f"mu_{d}": values["mean"][:, d] for d in range(2)}
    lower = {f"cov_{i}_{j}": values["cov"][:, i, j] for i in range(2) for j in range(i + 1)}
    return pd.DataFrame(frame | lower)


@pytest.mark.parametrize("decision", DECISIONS)
def test_both_calls_work_and_agree(decision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advice = advise(decision, NUMBERS[decision])
    values = data(advice.kind.task)
    names = dict(values)
    exec(advice.python, names)
    columns(values, advice.kind.task).to_csv(tmp_path / "predictions.csv", index=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*shlex.split(advice.shell)[1:], "--format", "csv"])
    assert result.exit_code == 0, result.output
    value = float(result.output.splitlines()[1].split(",")[result.output.splitlines()[0].split(",").index("value")])
    assert value == pytest.approx(names["loss"], rel=1e-12)


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_prior_says_what_was_said(decision: str) -> None:
    advice = advise(decision, NUMBERS[decision])
    assert advice.low < advice.centre < advice.high
    assert float(advice.prior.cdf(advice.low)) == pytest.approx(0.05, abs=0.01)
    assert float(advice.prior.cdf(advice.high)) == pytest.approx(0.95, abs=0.01)
    surer = advise(decision, NUMBERS[decision], off_by=1.2)
    assert surer.high - surer.low < advice.high - advice.low
    assert surer.centre == advice.centre


def test_numbers_become_parameters() -> None:
    assert advise("act", NUMBERS["act"]).centre == pytest.approx(0.1)
    assert advise("act", {"false_positive": 5, "false_negative": 5}).centre == pytest.approx(0.5)
    assert advise("pick", NUMBERS["pick"]).centre == pytest.approx(0.05)
    assert advise("abstain", NUMBERS["abstain"]).centre == pytest.approx(9 / 64)
    # Odds scale with costs, so a factor moves both ends of the range as odds.
    advice = advise("act", NUMBERS["act"], off_by=3)
    assert advice.low / (1 - advice.low) == pytest.approx(1 / 27)
    assert advice.high / (1 - advice.high) == pytest.approx(1 / 3)
    nearly_all = advise("pick", {"chosen": 90, "of": 100}, off_by=5)
    assert nearly_all.high < 1


@pytest.mark.parametrize(
    ("decision", "numbers", "off_by", "message"),
    [
        ("akt", {}, 2, "did you mean 'act'"),
        ("act", {"false_positive": 1}, 2, "needs false_positive: .*; false_negative: .*; got false_positive"),
        ("act", {"false_positive": 0, "false_negative": 1}, 2, "false_positive = 0: a positive number"),
        ("act", {"false_positive": float("nan"), "false_negative": 1}, 2, "a positive number"),
        ("pick", {"chosen": 10, "of": 10}, 2, "fewer must be picked"),
        ("abstain", {"tolerated_error": 9, "target_std": 8}, 2, "abstaining never pays"),
        ("pick", {"chosen": 1, "of": 10}, 1, "a factor above 1"),
    ],
)
def test_impossible_requests(decision: str, numbers: dict, off_by: float, message: str) -> None:
    with pytest.raises(UserError, match=message):
        advise(decision, numbers, off_by=off_by)


def test_command_with_flags() -> None:
    options = ["advise", "--decision", "act", "--false-positive", "1", "--false-negative", "9"]
    answer = json.loads(CliRunner().invoke(app, [*options, "--json"]).output)
    assert answer["family"] == "binary_decision"
    assert answer["value"] == pytest.approx(0.1)
    shown = CliRunner().invoke(app, options).output
    assert "from uqalign.pwu import binary_decision_pwu" in shown
    assert "uqalign score predictions.csv" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a matter of Unix")
def test_command_asks_on_a_terminal() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "uqalign", "advise"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        os.close(theirs)
        os.write(ours, b"7\n2\nmany\n10\n300\n")  # neither 7 nor "many" is an answer
        output = process.communicate(timeout=60)[0].decode()
    os.close(ours)
    assert process.returncode == 0, output
    assert "There is room for a few" in output
    assert "top_k_pwu(y, p, prior=" in output


def test_command_without_a_terminal_lists_the_decisions() -> None:
    result = CliRunner().invoke(app, ["advise"])
    assert isinstance(result.exception, UserError)
    assert all(f"{name}: {kind.question}" in str(result.exception) for name, kind in KINDS.items())
