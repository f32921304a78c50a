"""What looks wrong is found, and what is right is not called wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from toy_data import content_of, toy
from uqalign.data.build import build_table
from uqalign.data.declare import LocalFile
from uqalign.data.inspection import inspect_table
from uqalign.data.table import Table

N = 60
RNG = np.random.default_rng(1)
CLEAN = pd.DataFrame(
    {
        "x": RNG.normal(size=N),
        "c": RNG.choice(["u", "v", "w"], N),
        "y": np.tile(["no", "yes", "yes"], N // 3),
    }
)


def made(frame: pd.DataFrame, **changes: Any) -> Table:
    return build_table(toy(LocalFile((content_of(b"").at(),)), **changes), frame)


def findings(frame: pd.DataFrame, **changes: Any) -> dict[str, str]:
    return {one.subject: f"{one.severity}: {one.message}" for one in inspect_table(made(frame, **changes))}


def test_clean_data_give_no_findings() -> None:
    assert findings(CLEAN) == {}


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([None] * N, "wrong: is missing in every row: drop it"),
        ([1.5] * N, r"look: is constant \(1.5\)"),
        (["k"] * (N - 1) + [None], r"look: is constant \('k'\)"),
        ([np.nan] * 40 + list(RNG.normal(size=20)), "look: is missing in 67% of the rows"),
        (np.arange(N) + 7, "wrong: numbers the rows: drop it"),
        ([f"id{row}" for row in range(N)], "wrong: has another level in every row: an identifier"),
        ([f"id{row % 55}" for row in range(N)], "look: has 55 levels, each of which becomes a column"),
        (RNG.permutation(np.arange(N) % 3), "look: holds 3 whole numbers: if they are codes"),
        (["Yes", "yes ", "no"] * 20, "look: has levels that differ only in case or blanks: 'Yes', 'yes '"),
    ],
)
def test_columns(column: Any, message: str) -> None:
    if isinstance(column, list):
        column = pd.Series(RNG.permutation(np.array(column, dtype=object))).infer_objects()
    assert re.match(message, findings(CLEAN.assign(z=column))["z"])


@pytest.mark.parametrize(
    ("leak", "message"),
    [
        ((CLEAN["y"] == "yes").astype(float), "equals the target 'y'"),
        (CLEAN["y"].map({"no": "B", "yes": "A"}), "is a one-to-one image of the target"),
        (CLEAN["y"].map({"no": 3.0, "yes": -1.0}), "is a one-to-one image of the target"),
        ((CLEAN["y"] == "yes") * 10 + RNG.uniform(size=N), "separates all classes of the target"),
    ],
)
def test_features_that_give_the_target_away(leak: Any, message: str) -> None:
    assert (
        findings(CLEAN.assign(z=leak))["z"]
        == f"wrong: {message}" + ("" if message.endswith("'y'") else " 'y'") + ": does it leak?"
    )


def test_features_that_almost_give_the_target_away_are_not_accused() -> None:
    nearly = (CLEAN["y"] == "yes") * 10 + RNG.uniform(size=N)
    nearly.iloc[0] = 10.5
    tied = (CLEAN["y"] == "yes").astype(float) * 0.5 + 0.5
    tied.iloc[0] = 1.0
    found = findings(CLEAN.assign(nearly=nearly, tied=tied))
    assert found == {}


def test_a_regression_target_in_disguise() -> None:
    target = RNG.normal(size=N)
    frame = CLEAN.assign(y=target, same=target, scaled=3 * target + 1, noisy=target + RNG.normal(size=N))
    found = findings(frame, task="regression")
    assert found["same"] == "wrong: equals the target 'y': does it leak?"
    assert found["scaled"] == "wrong: is a one-to-one image of the target 'y': does it leak?"
    assert "noisy" not in found


def test_continuous_features_are_not_images_of_a_continuous_target() -> None:
    """Two columns of distinct numbers pair up one to one by nature; only an order-preserving pairing tells."""
    frame = CLEAN.assign(y=RNG.normal(size=N))
    assert findings(frame, task="regression") == {}


def test_repeated_rows_across_folds() -> None:
    frame = CLEAN.iloc[np.arange(N) % 30].assign(y=CLEAN["y"]).reset_index(drop=True)
    found = findings(frame)
    assert found["rows"].startswith("look: 30 repeat the features of an earlier row; with 5 shuffled folds ")
    from uqalign.data.splits import fold_assignment

    folds = fold_assignment(made(frame), n_folds=5, seed=0)
    seen = sum(folds[row] != folds[(row + 30) % 60] for row in range(60))
    assert f"{seen} of 60 rows are tested" in found["rows"]


def test_targets() -> None:
    rare = CLEAN.assign(y=["no"] * 57 + ["yes"] * 3)
    assert findings(rare)["target"] == "wrong: class 'yes' has 3 rows, too few for 5 folds"
    many = pd.concat([CLEAN.assign(x=RNG.normal(size=N)) for _ in range(20)], ignore_index=True)
    many = many.assign(y=["no"] * 1190 + ["yes"] * 10)
    assert findings(many)["target"] == "look: class 'yes' has 10 of 1200 rows"
    subjects = [one.message for one in inspect_table(made(CLEAN.assign(y="no"), classes=("no", "yes")))]
    assert "has one class only: there is nothing to predict" in subjects
    assert findings(CLEAN.assign(y=1.5), task="regression")["y"] == "wrong: is constant: there is nothing to predict"
    steps = CLEAN.assign(y=np.arange(N) % 7)
    assert findings(steps, task="regression")["y"] == "look: takes 7 values only: a regression all the same?"


def test_groups_and_times() -> None:
    frame = CLEAN.assign(g=np.arange(N) // 6, few=np.arange(N) % 3, own=np.arange(N), t=np.arange(N))
    rest = {"drop": ("few", "own")}
    assert findings(frame, group="g", time="t", **rest) == {
        "group": "look: 10 groups: compare `split: grouped` with shuffled folds",
        "time": "look: rows are ordered in time: compare `split: blocked` with shuffled folds",
    }
    assert findings(frame, group="few", drop=("g", "own", "t"))["group"].startswith("wrong: has 3 groups")
    assert "one row per group" in findings(frame, group="own", drop=("g", "few", "t"))["group"]


def test_grave_findings_come_first() -> None:
    frame = CLEAN.assign(a=1.0, b=np.arange(N))
    assert [one.severity for one in inspect_table(made(frame))] == ["wrong", "look"]
