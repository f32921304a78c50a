"""Decisions by name, under a prior, and of one's own."""

import sys

import numpy as np
import pandas as pd
import pytest

from prediction_tables import long_table, written
from uqalign.cases.lending import CASES
from uqalign.cases.lending.policy import funded
from uqalign.cases.loans import interest_earned
from uqalign.compare.decisions import decisions_of, priors_of
from uqalign.compare.outcome import compare
from uqalign.compare.predictions import read_predictions
from uqalign.errors import UserError
from uqalign.families import families_of, published_thetas, theta_id
from uqalign.priors import Beta, PointMass, as_prior
from uqalign.tasks import TASKS

OWN = """
import numpy as np
from uqalign.cases.case import Arm, Case

def Profit(split):
    return np.sum((split.prediction[0] > 0.3) * (split.side["price"].to_numpy() * split.y - 1.0))

def text(split):
    return "much"

def top_k(split):
    return 1.0

def _1(split):
    return 1.0

NUMBER = 3

def _decide(split):
    return split.prediction[0] > split.options["threshold"]

def _earned(split, act):
    return float((act * split.y).sum() - split.options["threshold"] * act.sum())

def _side(table, frame):
    return frame

CASE = Case("acting", "Acting", "binary", (Arm("a", "A", ("x",)),), _side, _decide, _earned,
            options={"threshold": 0.4})
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_decisions_here.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "own_decisions_here"
    sys.modules.pop("own_decisions_here", None)


@pytest.fixture
def found(tmp_path):
    table = long_table("binary").assign(price=lambda t: 1.0 + t["row"] % 5)
    return table, read_predictions([written(table, tmp_path / "t.parquet")], "binary", side=None)


def utilities(found, names):
    outcome = compare(found, [], decisions_of(names, "binary", 2, {}), dataset="d")
    return outcome.scores.set_index(["name", "model", "seed", "fold"])["value"]


@pytest.mark.parametrize("task", TASKS)
def test_by_default_the_published_decisions(task):
    found = decisions_of((), task, 3, {})
    assert [d.family.name for d in found] == [f.name for f in families_of(task)]
    published = published_thetas(task, 3)
    for decision in found:
        assert list(decision.takes) == [theta_id(theta) for theta in published[decision.family]]


def test_a_function_sees_predictions_outcomes_and_side_information(own, found):
    table, predictions = found
    value = utilities(predictions, [f"{own}:Profit"])
    for (model, seed, fold), part in table.groupby(["model", "seed", "fold"]):
        expected = ((part["p"] > 0.3) * (part["price"] * part["y"] - 1)).sum()
        assert value["profit", model, seed, fold - 1] == pytest.approx(expected, rel=1e-12)


def test_a_case_decides_and_earns(own, found):
    table, predictions = found
    value = utilities(predictions, [f"{own}:CASE", "all"])
    part = table.query("model == 'fair' and seed == 1 and fold == 2")
    act = part["p"] > 0.4
    assert value["acting"]["fair", 1, 1] == pytest.approx((act * part["y"]).sum() - 0.4 * act.sum())
    assert {"acting", "binary_decision", "top_k"} == set(value.index.get_level_values("name"))


def test_a_case_study_by_name(found, tmp_path):
    table, _ = found
    options = CASES[0].options
    rng = np.random.default_rng(0)
    terms = pd.DataFrame({"amount": rng.uniform(1e3, 4e4, 60), "interest": rng.uniform(0.05, 0.25, 60), "months": 36.0})
    one = table.query("seed == 0 and fold == 1").reset_index(drop=True)
    one = one.assign(**{name: terms[name][one["row"]].to_numpy() for name in terms}).drop(columns="price")
    predictions = read_predictions([written(one, tmp_path / "l.parquet")], "binary", side=None)
    value = utilities(predictions, ["lending"])
    for model, part in one.groupby("model"):
        lent = funded(part["p"], part["amount"], budget=float(options["budget"]))
        rate = float(options["cost_of_funds"]) / 12
        earned = interest_earned(
            part["amount"].to_numpy(), part["interest"].to_numpy() / 12, part["months"].to_numpy(), funds_rate=rate
        )
        expected = (lent * np.where(part["y"] == 1, earned, -part["amount"])).sum()
        assert value["lending", model, 0, 0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("topk", r"unknown utility 'topk': did you mean 'top_k'\?; your own is module:function"),
        ("selective", r"--utility selective is for regression predictions, not binary"),
        ("electricity", r"electricity.* needs more than test rows|is for regression predictions"),
        ("credit", r"--utility credit needs more than test rows"),
        ("absent_module_of_nobody:f", r"cannot be loaded: No module"),
        ("{own}:absent", r"cannot be loaded: .*absent"),
        ("{own}:NUMBER", r"NUMBER is a int: a function of a split, or a Case"),
        ("{own}:top_k", r"is called like the decision family 'top_k': rename it"),
        ("{own}:_1", r"name that begins with a letter"),
    ],
)
def test_what_is_no_decision(own, name, message):
    with pytest.raises(UserError, match=message):
        decisions_of([name.format(own=own)], "binary", 2, {})


def test_what_a_function_may_return_and_look_at(own, found, tmp_path):
    table, predictions = found
    with pytest.raises(UserError, match=r"text returned str, not a number"):
        utilities(predictions, [f"{own}:text"])
    bare = read_predictions([written(table.drop(columns="price"), tmp_path / "b.parquet")], "binary", side=None)
    with pytest.raises(UserError, match=r"Profit looks for 'price'; columns of side information: none"):
        utilities(bare, [f"{own}:Profit"])


def test_two_decisions_of_one_name(own, tmp_path):
    (tmp_path / "other_decisions_here.py").write_text("def profit(split):\n    return 1.0\n")
    with pytest.raises(UserError, match="two decisions are called 'profit'"):
        decisions_of([f"{own}:Profit", "other_decisions_here:profit"], "binary", 2, {})


def test_priors_by_parameter_or_alone():
    assert priors_of(["beta:2,3", "k=beta:4,5"], "binary") == {"c": Beta(2.0, 3.0), "k": Beta(4.0, 5.0)}
    assert priors_of(["beta:2,3"], "regression") == {"lambda": Beta(2.0, 3.0)}
    weibull = "scipy:weibull_min:1.5,scale=0.2"
    assert priors_of([weibull], "binary") == {"c": as_prior(weibull)}
    with pytest.raises(UserError, match="given twice"):
        priors_of(["beta:2,3", "c=beta:4,5"], "binary")
    with pytest.raises(UserError, match=r"--prior bata:2,3: .*beta"):
        priors_of(["bata:2,3"], "binary")
    with pytest.raises(UserError, match=r"--prior lambda=: no binary decision has such a parameter"):
        decisions_of((), "binary", 2, {"lambda": Beta(2.0, 3.0)})


def test_a_certain_cost_is_one_decision():
    (decision,) = decisions_of(["binary_decision"], "binary", 2, {"c": PointMass(0.25)})
    assert list(decision.takes) == ["c=0.25"]
