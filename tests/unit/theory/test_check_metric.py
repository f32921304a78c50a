"""The check on metrics whose faults are known, and on their absence."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from uqalign.metrics import brier_score, calibration_error, gaussian_nll
from uqalign.metrics.registry import get
from uqalign.priors import Beta
from uqalign.pwu import binary_decision_pwu, risk_averse_top_k_pwu
from uqalign.theory import check_metric

ORDER = "independent of row order"
ZERO = "weights: 1 as none, 0 as left out"
TWICE = "weights: 2 as listed twice"
LABELS = "independent of the order of classes or coordinates"
ROWS = "judges each row independently of the others"


def status(report, name: str) -> str:
    return report[name].status


def test_brier_is_proper_and_aligned_under_the_uniform_prior_only() -> None:
    report = check_metric("brier", "binary", family="binary_decision", prior="uniform:0,1")
    assert report.violated == ()
    assert report["proper"].trials > 100
    assert report.checks[-2].name == "aligned with binary_decision under c ~ uniform:0,1"
    other = check_metric("brier", "binary", family="binary_decision", prior=Beta(2, 10))
    assert [check.name for check in other.violated] == ["aligned with binary_decision under c ~ beta:2,10"]
    # What it quotes is a fact.
    text = other.violated[0].text
    y, a, b = (np.array(json.loads(part)) for part in re.findall(r"\[[^\]]*\]", text)[:3])
    brier = [brier_score(y, side) for side in (a, b)]
    loss = [binary_decision_pwu(y, side) for side in (a, b)]
    assert np.sign(np.round(brier[0] - brier[1], 12)) != np.sign(loss[0] - loss[1])


def test_a_prior_weighted_utility_is_aligned_with_its_own_prior() -> None:
    def mine(y, p):
        return 7 * binary_decision_pwu(y, p, prior=Beta(10, 2)) ** 3  # any increasing function of it will do

    def own(y, p):
        return binary_decision_pwu(y, p, prior=Beta(10, 2))

    report = check_metric(mine, "binary", family="binary_decision", prior=Beta(10, 2))
    assert status(report, "aligned with binary_decision under c ~ beta:10,2") == "no violation found"
    assert status(report, "aligned with binary_decision under some prior") == "no violation found"
    assert status(report, "proper") == "violated"  # the cube of a mean over rows is not
    assert status(check_metric(own, "binary", family="binary_decision"), "proper") == "no violation found"


def test_calibration_error_is_neither_proper_nor_aligned_under_any_prior() -> None:
    report = check_metric(calibration_error, "binary", family="binary_decision")
    assert status(report, "proper") == "violated"
    assert status(report, ROWS) == "violated"
    assert status(report, "aligned with binary_decision under some prior") == "violated"
    assert status(report, ORDER) == status(report, ZERO) == status(report, TWICE) == "no violation found"
    truth, lie = re.findall(r"\[([0-9.]+)\]", report["proper"].text)[:2]
    truth, lie = float(truth), float(lie)
    expected = [truth * (1 - report_) + (1 - truth) * report_ for report_ in (truth, lie)]
    assert expected[1] < expected[0]  # one row: the smallest counterexample there is


def test_a_metric_that_reads_the_row_order() -> None:
    def position_weighted(y, p):
        return float(np.dot(np.arange(1, len(y) + 1), (np.asarray(y) - p) ** 2))

    report = check_metric(position_weighted, "binary", family="top_k")
    assert status(report, ORDER) == "violated"
    assert status(report, ZERO) == status(report, TWICE) == "not applicable"
    assert "in the order [" in report[ORDER].text
    assert status(report, "proper") == "no violation found"


def test_wrong_weights_are_seen() -> None:
    def ignores_weights(y, p, *, sample_weight=None):
        return brier_score(y, p)

    def halves(y, p, *, sample_weight=None):
        value = brier_score(y, p, sample_weight=sample_weight)
        return value if sample_weight is None else value / 2

    def squares(y, p, *, sample_weight=None):
        weight = None if sample_weight is None else np.asarray(sample_weight) ** 2
        return brier_score(y, p, sample_weight=weight)

    assert status(check_metric(ignores_weights, "binary", family="top_k"), ZERO) == "violated"
    assert "with weights of 1" in check_metric(halves, "binary", family="top_k")[ZERO].text
    squared = check_metric(squares, "binary", family="top_k")
    assert (status(squared, ZERO), status(squared, TWICE)) == ("no violation found", "violated")


def test_labels_and_coordinates() -> None:
    def first_class(y, p):
        return float(np.mean((p[:, 0] - (np.asarray(y) == 0)) ** 2))

    def first_coordinate(y, mean, cov):
        return gaussian_nll(y[:, 0], mean[:, 0], cov[:, 0, 0])

    assert status(check_metric(first_class, "multiclass", budget=60), LABELS) == "violated"
    assert status(check_metric("brier", "multiclass", budget=60), LABELS) == "no violation found"
    assert status(check_metric(first_coordinate, "multivariate", budget=60), LABELS) == "violated"
    assert status(check_metric("nll", "regression", budget=4), LABELS) == "not applicable"


def test_orientation() -> None:
    def skill(y, p):
        return 1 - brier_score(y, p)

    right = check_metric(skill, "binary", family="binary_decision", prior="uniform:0,1", higher_is_better=True)
    assert right.violated == ()
    wrong = check_metric(skill, "binary", family="binary_decision", prior="uniform:0,1")
    assert len(wrong.violated) >= 2


def test_regressions_are_searched_by_simulation() -> None:
    report = check_metric("nll", "regression", family="selective", budget=80)
    assert status(report, "proper") == "no violation found"
    assert status(report, "aligned with selective under lambda_factor ~ beta:2,10") == "violated"
    assert status(report, "aligned with selective under some prior") == "no violation found"

    def overconfident(y, mean, var):
        return gaussian_nll(y, mean, 4 * np.asarray(var))

    lying = check_metric(overconfident, "regression", family="selective", budget=80)
    assert status(lying, "proper") == "violated"
    assert "standard errors" in lying["proper"].text


def test_the_published_risk_averse_utility_is_improper_and_the_residual_one_is_not() -> None:
    prior = {"gamma_factor": "point:1"}

    def published(y, mean, var):
        return risk_averse_top_k_pwu(y, mean, var, prior_aversion="point:1")

    def residual(y, mean, var):
        return risk_averse_top_k_pwu(y, mean, var, prior_aversion="point:1", payoff="residual", aversion_scale=1.0)

    report = check_metric(published, "regression", family="risk_averse_top_k", prior=prior, budget=60)
    assert [check.name for check in report.violated] == ["proper", ROWS]
    assert status(check_metric(residual, "regression", family="selective", budget=40), "proper") == "no violation found"


def test_multivariate_metrics() -> None:
    report = check_metric("pwu_lambda", "multivariate", budget=40)
    assert report.violated == ()
    blind = check_metric("mse", "multivariate", budget=200)
    assert blind["aligned with multivariate_selective under lambda_factor ~ beta:2,10"].violated


def test_metrics_without_values() -> None:
    def never(y, p):
        return float("nan")

    def refuses(y, p):
        raise ValueError("two classes needed")

    for metric in (never, refuses):
        report = check_metric(metric, "binary", budget=10)
        assert {check.status for check in report} == {"undefined", "not applicable"}
    assert status(check_metric("edet", "binary", budget=40), "proper") == "undefined"


def test_programming_errors_are_not_hidden() -> None:
    def broken(y, p):
        return p.nonsense

    with pytest.raises(AttributeError):
        check_metric(broken, "binary", budget=10)


def test_report() -> None:
    report = check_metric(get("binary", "brier"), "binary", budget=20, rng=np.random.default_rng(3))
    lines = report.text().splitlines()
    assert lines[0] == "brier (binary)"
    assert len(lines) == len(report.checks) + 1
    assert "no violation found in" in lines[1]
    assert "proved" not in report.text()
    assert len(report.to_frame()) == len(report.checks)
    json.dumps(report.to_dict(), allow_nan=False)
    assert [check.name for check in check_metric("brier", "binary", budget=20, rng=3)] == [c.name for c in report]
    again = check_metric("ece", "binary", budget=20, rng=3)
    assert again == check_metric("ece", "binary", budget=20, rng=3)
    with pytest.raises(KeyError, match="checked were 'proper'"):
        report["propper"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "brierr", "task": "binary"}, "did you mean 'brier'"),
        ({"metric": "brier", "task": "binry"}, "did you mean 'binary'"),
        ({"metric": "brier", "task": "binary", "family": "topk"}, "did you mean 'top_k'"),
        ({"metric": "brier", "task": "binary", "family": "selective"}, "it is a regression family"),
        ({"metric": "brier", "task": "binary", "prior": "beta:2,10"}, "prior needs a family"),
        ({"metric": "brier", "task": "binary", "budget": 0}, "at least 1"),
        ({"metric": get("regression", "nll"), "task": "binary"}, "is a regression metric"),
        (
            {"metric": "nll", "task": "regression", "family": "risk_averse_top_k", "prior": "beta:2,10"},
            "give prior as a mapping with q, gamma_factor",
        ),
        (
            {"metric": "nll", "task": "regression", "family": "risk_averse_top_k", "prior": {"gamma": "beta:2,6"}},
            "did you mean 'gamma_factor'",
        ),
    ],
)
def test_bad_arguments(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_metric(**arguments)


def test_something_that_is_no_metric() -> None:
    with pytest.raises(TypeError, match="a Metric, a function or a name, got int"):
        check_metric(3, "binary")
