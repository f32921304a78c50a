"""Every switch on an example worked out by hand, next to the definition on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from uqalign.checks import UndefinedMetricWarning
from uqalign.families import FAMILIES, Theta
from uqalign.priors import PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA
from uqalign.protocol import evaluate_utility, metrics_under, thetas_published
from uqalign.protocol.rankings import (
    fold_mean_published,
    kendall_published,
    kendall_under,
    pearson_published,
    published_positions,
    published_row_order,
    top_overlap_published,
)


def value(task: str, name: str, y, prediction, *switches: str) -> float:
    return metrics_under(task, switches)[name].evaluate(np.asarray(y), tuple(np.asarray(part) for part in prediction))


def test_abstention_cost_grows_with_the_number_of_abstained_rows() -> None:
    y, mean, var = [0.0, 4.0, 0.0, 4.0], [1.0, 4.0, 0.0, 4.0], [0.1, 3.0, 3.0, 3.0]  # Var(y) = 4
    theta = Theta(lambda_factor=0.25)  # lambda = 1: three rows abstain, one errs by 1
    assert evaluate_utility("selective", y, (mean, var), theta) == pytest.approx(-(1 + 3 * 1) / 4)
    assert evaluate_utility("selective", y, (mean, var), theta, ["abstention_cost"]) == -(1 + 3 * (3 * 1)) / 4


def test_abstention_cost_in_the_exact_metric_is_the_average_of_the_utility() -> None:
    rng = np.random.default_rng(1)
    y, mean, var = rng.normal(size=9), rng.normal(size=9), rng.uniform(0, 0.6, 9)
    exact = value("regression", "pwu_lambda", y, (mean, var), "abstention_cost")
    nodes, weights = np.polynomial.legendre.leggauss(60)
    edges = np.concatenate([[0], np.sort(var / y.var()), [1]])
    total = 0.0
    for low, high in zip(edges, np.minimum(edges[1:], 1), strict=False):
        if low < high:
            factor = (low + high) / 2 + (high - low) / 2 * nodes
            utilities = [
                evaluate_utility("selective", y, (mean, var), Theta(lambda_factor=f), ["abstention_cost"])
                for f in factor
            ]
            total -= (high - low) / 2 * float(np.sum(weights * utilities * PRIOR_LAMBDA.density(factor)))
    assert exact == pytest.approx(total, abs=1e-12)


def test_gamma_scale_multiplies_by_the_variance() -> None:
    y, mean, var = [0.0, 4.0], [1.0, 1.2], [0.1, 0.2]  # Var(y) = 4
    theta = Theta(q=0.5, gamma_factor=0.4)
    # gamma = 0.4 / 2 = 0.2: scores .98, 1.16. gamma = 0.4 x 4 = 1.6: scores .84, .88.
    assert evaluate_utility("risk_averse_top_k", y, (mean, var), theta) == pytest.approx(4 - 0.2 * 0.2)
    published = evaluate_utility("risk_averse_top_k", y, (mean, var), theta, ["gamma_scale"])
    assert published == pytest.approx(4 - 1.6 * 0.2)
    strong = Theta(q=0.5, gamma_factor=0.9)  # 3.6: scores .64, .48
    assert evaluate_utility("risk_averse_top_k", y, (mean, var), strong, ["gamma_scale"]) == pytest.approx(-3.6 * 0.1)


def test_gamma_scale_makes_the_metric_depend_on_the_unit() -> None:
    rng = np.random.default_rng(2)
    y, mean, var = rng.normal(size=30), rng.normal(size=30), rng.uniform(0.1, 1, 30)
    unit = 10.0
    for switches, equivariant in (((), True), (("gamma_scale",), False)):
        here = value("regression", "pwu_phi", y, (mean, var), *switches)
        there = value("regression", "pwu_phi", unit * y, (unit * mean, unit**2 * var), *switches)
        assert (there == pytest.approx(unit * here, rel=1e-9)) is equivariant


def test_rauc_oracle_corrects_the_most_uncertain() -> None:
    y, p = [1, 1, 1, 0], [0.9, 0.8, 0.4, 0.3]  # one error, the most uncertain row
    assert value("binary", "rauc", y, (p,)) == pytest.approx((0 + 0 + 0 + 1 / 4) / 4)
    # The error stays while round(4 f) = 0: f = 0, .01, ..., .12 (round(.48) = 0, round(.52) = 1), trapezoid.
    corrected = value("binary", "rauc", y, (p,), "rauc_oracle")
    assert corrected == pytest.approx(0.25 * (0.12 + 0.005))


def test_rauc_int_drops_the_fractions() -> None:
    y, mean, var = [2.9, -1.9], [2.1, -0.9], [1.0, 2.0]  # whole parts 2, -1 and 2, 0
    assert value("regression", "rauc", y, (mean, var)) == pytest.approx((0.64 + (0.64 + 1) / 2) / 2)
    assert value("regression", "rauc", y, (mean, var), "rauc_int") == pytest.approx((0 + 1 / 2) / 2)


def test_ece_drop_one_closes_bins_on_the_left_and_loses_certain_rows() -> None:
    y, p = [1, 0, 0, 1], [1.0, 1.0, 0.2, 0.15]
    # Published: 1.0 in no bin; 0.2 in [.2, .3), 0.15 in [.1, .2).
    assert value("binary", "ece", y, (p,), "ece_drop_one") == pytest.approx(0.2 / 4 + 0.85 / 4)
    assert value("binary", "mce", y, (p,), "ece_drop_one") == pytest.approx(0.85)
    # Definition: (.9, 1] holds both certain rows, (.1, .2] the two others.
    assert value("binary", "ece", y, (p,)) == pytest.approx(2 / 4 * 0.5 + 2 / 4 * (0.5 - 0.175))
    assert value("binary", "mce", y, (p,)) == pytest.approx(0.5)


def test_ece_drop_one_with_certain_rows_only() -> None:
    assert value("binary", "mce", [0, 1], ([1.0, 1.0],), "ece_drop_one") == 0.0


def test_edet_degenerate_is_zero_where_no_prediction_is_off() -> None:
    y, mean, var = [10.0, 20.0], [10.1, 20.1], [1.0, 2.0]
    assert value("regression", "edet", y, (mean, var), "edet_degenerate") == 0.0
    with pytest.warns(UndefinedMetricWarning, match="no relative error"):
        assert math.isnan(value("regression", "edet", y, (mean, var)))
    off = [12.0, 20.1]
    switched = value("regression", "edet", y, (off, var), "edet_degenerate")
    assert switched == value("regression", "edet", y, (off, var)) == 0.0
    assert value("regression", "edet", y, (off, [3.0, 2.0]), "edet_degenerate") == 1.0


def test_edet_rounding_lets_the_last_bit_decide() -> None:
    y, p = [1, 1], [0.04, 0.96]  # one error; 1 - 0.96 is a hair above 0.04
    assert value("binary", "edet", y, (p,)) == 0.5
    q = np.array([[1 - 0.04, 0.04], [1 - 0.96, 0.96]])
    first, second = (-float((row * np.log(row)).sum()) for row in q)
    assert first != second
    assert value("binary", "edet", y, (p,), "edet_rounding") == float(first > second)
    with pytest.warns(UndefinedMetricWarning, match="no label is wrong"):
        assert math.isnan(value("binary", "edet", [1, 0], ([0.8, 0.1],), "edet_rounding"))


def test_threshold_geq_acts_at_the_threshold_and_sums() -> None:
    y, p = [1, 0, 0], [0.3, 0.3, 0.1]
    theta = Theta(c=0.3)
    assert evaluate_utility("binary_decision", y, (p,), theta) == pytest.approx(-0.7 / 3)  # nobody acts
    assert evaluate_utility("binary_decision", y, (p,), theta, ["threshold_geq"]) == pytest.approx(-0.3)
    metric = value("binary", "pwu_c", y, (p,))
    assert value("binary", "pwu_c", y, (p,), "threshold_geq") == pytest.approx(3 * metric, rel=1e-15)


def test_argsort_order_takes_tied_rows_as_they_are_stored() -> None:
    y, score = np.array([1, 0, 0]), np.array([0.5, 0.5, 0.2])
    theta = Theta(q=1 / 3)
    assert evaluate_utility("top_k", y, (score,), theta) == 0.5
    results = {evaluate_utility("top_k", rows, (score,), theta, ["argsort_order"]) for rows in (y, y[[1, 0, 2]])}
    assert results == {0.0, 1.0}
    metrics = {value("binary", "pwu_k", rows, (score,), "argsort_order") for rows in (y, y[[1, 0, 2]])}
    assert len(metrics) == 2
    assert np.mean(list(metrics)) == pytest.approx(value("binary", "pwu_k", y, (score,)), rel=1e-14)


def test_argsort_order_in_risk_averse_selection() -> None:
    y, mean, var = np.array([3.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5])
    theta = Theta(q=1 / 3, gamma_factor=0.0)
    assert evaluate_utility("risk_averse_top_k", y, (mean, var), theta) == 2.0
    swapped = y[[1, 0, 2]]
    results = {
        evaluate_utility("risk_averse_top_k", rows, (mean, var), theta, ["argsort_order"]) for rows in (y, swapped)
    }
    assert results == {1.0, 3.0}


def test_argsort_order_in_the_retention_curve() -> None:
    y, p = np.array([1, 0]), np.array([0.7, 0.7])
    assert value("binary", "rauc", y, (p,)) == pytest.approx((0.5 + 0.5) / 2)
    results = {value("binary", "rauc", rows, (p,), "argsort_order") for rows in (y, y[::-1])}
    assert results == {(0 + 0.5) / 2, (1 + 0.5) / 2}


def test_pwu_mc_averages_utilities_over_the_published_draws() -> None:
    rng = np.random.default_rng(42)
    costs = PRIOR_C.sample(10_000, rng)
    y, p = np.array([1, 0, 1, 0]), np.array([0.05, 0.3, 0.12, 0.0])
    mean = -np.mean([FAMILIES["binary_decision"].evaluate(y, (p,), Theta(c=c)) for c in costs])
    assert value("binary", "pwu_c", y, (p,), "pwu_mc") == pytest.approx(mean, rel=1e-13)
    summed = -np.mean([evaluate_utility("binary_decision", y, (p,), Theta(c=c), ["threshold_geq"]) for c in costs])
    assert value("binary", "pwu_c", y, (p,), "pwu_mc", "threshold_geq") == pytest.approx(summed, rel=1e-13)
    assert abs(mean - value("binary", "pwu_c", y, (p,))) < 5e-3


def test_pwu_mc_top_k() -> None:
    shares = PRIOR_K.sample(10_000, np.random.default_rng(42))
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, 40), np.round(rng.uniform(size=40), 1)
    for switches in ([], ["argsort_order"]):
        mean = -np.mean([evaluate_utility("top_k", y, (p,), Theta(q=q), switches) for q in shares])
        assert value("binary", "pwu_k", y, (p,), "pwu_mc", *switches) == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("switches", [[], ["abstention_cost"]])
def test_pwu_mc_selective(switches: list[str]) -> None:
    factors = PRIOR_LAMBDA.sample(10_000, np.random.default_rng(42))
    rng = np.random.default_rng(4)
    y, mean, var = rng.normal(size=12), rng.normal(size=12), np.round(rng.uniform(0, 0.5, 12), 1)
    utilities = [evaluate_utility("selective", y, (mean, var), Theta(lambda_factor=f), switches) for f in factors]
    sampled = value("regression", "pwu_lambda", y, (mean, var), "pwu_mc", *switches)
    assert sampled == pytest.approx(-np.mean(utilities), rel=1e-12)
    assert sampled == pytest.approx(value("regression", "pwu_lambda", y, (mean, var), *switches), rel=0.05)


@pytest.mark.parametrize("switches", [[], ["gamma_scale"], ["gamma_scale", "argsort_order"]])
@pytest.mark.parametrize("duplicate", [False, True])
def test_pwu_mc_risk_averse(switches: list[str], duplicate: bool) -> None:
    rng = np.random.default_rng(42)
    shares = PRIOR_K.sample(10_000, rng)
    factors = PRIOR_GAMMA.sample(10_000, rng)
    rng = np.random.default_rng(6)
    y, mean, var = rng.normal(size=8), rng.normal(size=8), rng.uniform(0.1, 1, 8)
    if duplicate:
        mean[1], var[1] = mean[0], var[0] = 2.0, 0.1
    sampled = value("regression", "pwu_phi", y, (mean, var), "pwu_mc", *switches)
    utilities = [
        evaluate_utility("risk_averse_top_k", y, (mean, var), Theta(q=q, gamma_factor=g), switches)
        for q, g in zip(shares, factors, strict=True)
    ]
    assert sampled == pytest.approx(-np.mean(utilities), rel=1e-12)
    exact = [switch for switch in switches if switch != "argsort_order"]
    if not (duplicate and "argsort_order" in switches):
        assert sampled == pytest.approx(value("regression", "pwu_phi", y, (mean, var), *exact), rel=0.02)


def test_pwu_mc_multiclass_and_multivariate_agree_with_the_exact_metrics_within_their_error() -> None:
    rng = np.random.default_rng(7)
    p = rng.dirichlet(np.ones(4), 60)
    y = rng.integers(0, 4, 60)
    exact = value("multiclass", "pwu_jc", y, (p,))
    sampled = value("multiclass", "pwu_jc", y, (p,), "pwu_mc")
    assert exact != sampled == pytest.approx(exact, rel=0.02)
    mean, target = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    cov = rng.uniform(0.05, 0.5, (20, 1, 1)) * np.eye(2)
    exact = value("multivariate", "pwu_lambda", target, (mean, cov))
    sampled = value("multivariate", "pwu_lambda", target, (mean, cov), "pwu_mc")
    assert exact != sampled == pytest.approx(exact, rel=0.02)


def test_jitter_always_depends_on_the_unit() -> None:
    y, mean, cov = [[0.001, 0.0]], [[0.0, 0.0]], [[[1e-6, 0.0], [0.0, 1e-6]]]
    assert value("multivariate", "nll", y, (mean, cov)) == pytest.approx(math.log(2 * math.pi * 1e-6) + 0.5)
    jittered = value("multivariate", "nll", y, (mean, cov), "jitter_always")
    assert jittered == pytest.approx(math.log(2 * math.pi * 2e-6) + 0.25)


def test_energy_mc_scatters_around_the_closed_form() -> None:
    rng = np.random.default_rng(8)
    y, mean = rng.normal(size=(300, 2)), np.zeros((300, 2))
    cov = np.broadcast_to(np.eye(2), (300, 2, 2))
    exact = value("multivariate", "energy_score", y, (mean, cov))
    sampled = value("multivariate", "energy_score", y, (mean, cov), "energy_mc")
    # Counting each draw's distance to itself, 0, lowers E||X - X'|| by 1 %: sqrt(pi) / 2 x 0.01 is added.
    assert exact != sampled == pytest.approx(exact + 0.01 * math.sqrt(math.pi) / 2, abs=0.015)
    point = value("multivariate", "energy_score", [[3.0, 4.0]], ([[0.0, 0.0]], [np.zeros((2, 2))]), "energy_mc")
    assert point == pytest.approx(5)


def test_theta_label_lets_the_later_of_two_equal_labels_stand_for_both() -> None:
    thetas = [Theta(q=0.031), Theta(q=0.1), Theta(q=0.0349)]
    assert thetas_published(thetas) == (Theta(q=0.0349), Theta(q=0.1), Theta(q=0.0349))


def test_nan_last() -> None:
    assert fold_mean_published([1.0, math.nan, 3.0]) == 2.0
    assert math.isnan(fold_mean_published([math.nan, math.nan]))
    metric, utility = [1.0, math.nan, 2.0], [3.0, 1.0, 2.0]
    assert published_positions(metric, higher_is_better=False).tolist() == [0, 2, 1]
    assert kendall_under(metric, utility, [], higher_is_better=False) == 1.0
    assert kendall_under(metric, utility, ["nan_last"], higher_is_better=False) == 1.0
    best_is_undefined = [3.0, 9.0, 2.0]
    assert kendall_under(metric, best_is_undefined, [], higher_is_better=False) == 1.0
    assert kendall_under(metric, best_is_undefined, ["nan_last"], higher_is_better=False) == pytest.approx(-1 / 3)
    both = ["nan_last", "tau_row_order"]
    assert kendall_under(metric, best_is_undefined, both, higher_is_better=False) == pytest.approx(-1 / 3)


def test_tau_row_order_has_no_ties() -> None:
    metric, utility = [1.0, 2.0, 3.0], [5.0, 5.0, 5.0]
    assert math.isnan(kendall_under(metric, utility, [], higher_is_better=False))
    # Which of the tied models comes first is up to numpy's sort; that they all get a place of their own is not.
    places = published_positions(utility, higher_is_better=True)
    assert sorted(places) == [0, 1, 2]
    concordant = sum(1 if places[i] < places[j] else -1 for i, j in ((0, 1), (0, 2), (1, 2)))
    assert kendall_under(metric, utility, ["tau_row_order"], higher_is_better=False) == pytest.approx(concordant / 3)
    assert kendall_published(metric, utility, higher_is_better=True) == pytest.approx(-concordant / 3)
    assert published_positions([2.0, 1.0, 3.0], higher_is_better=True).tolist() == [1, 2, 0]
    assert published_positions([2.0, 1.0, 3.0], higher_is_better=False).tolist() == [1, 0, 2]
    assert published_positions([2.0, 1.0, 2.0], higher_is_better=True)[1] == 2


def test_models_tie_in_the_order_of_their_published_names() -> None:
    models = ["resnet", "random_forest", "linreg", "gradient_boosting", "my_model"]
    assert published_row_order(models) == ["gradient_boosting", "linreg", "random_forest", "resnet", "my_model"]


def test_overlap_and_correlation() -> None:
    metric, utility = [1.0, 2.0, 3.0, 4.0], [4.0, 1.0, 3.0, 2.0]
    assert top_overlap_published(metric, utility, 1, higher_is_better=False) == 1.0
    assert top_overlap_published(metric, utility, 1, higher_is_better=True) == 0.0
    assert top_overlap_published(metric, utility, 3, higher_is_better=False) == 0.5
    assert pearson_published([1.0, 2.0], [5.0, 3.0], higher_is_better=False) == pytest.approx(1)
    assert math.isnan(pearson_published([1.0, 1.0], [5.0, 3.0], higher_is_better=False))


def test_unknown_family_and_switch() -> None:
    with pytest.raises(ValueError, match="did you mean 'top_k'"):
        evaluate_utility("topk", [1], ([0.5],), Theta(q=0.5))
    with pytest.raises(ValueError, match="did you mean 'gamma_scale'"):
        evaluate_utility("top_k", [1], ([0.5],), Theta(q=0.5), ["gamma_scal"])


def test_constant_targets_have_no_aversion_scale() -> None:
    with pytest.warns(UndefinedMetricWarning, match="constant"):
        assert math.isnan(value("regression", "pwu_phi", [1.0, 1.0], ([1.0, 2.0], [1.0, 1.0]), "pwu_mc"))
