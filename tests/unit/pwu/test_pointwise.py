"""Pointwise prior-weighted utilities: closed forms against quadrature, test vectors, classical scores, Monte Carlo."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from uqalign.checks import UndefinedMetricWarning
from uqalign.priors import PRIOR_C, PRIOR_LAMBDA, Beta, Gamma, LogNormal, PointMass, Uniform
from uqalign.pwu import binary_decision_pwu, multivariate_selective_pwu, one_vs_rest_pwu, selective_pwu
from uqalign.utilities import (
    binary_decision_utility,
    multivariate_selective_utility,
    one_vs_rest_utility,
    selective_utility,
)

F = [0, 0.05, 0.1, 0.15, 0.5, 1]
LOSS_POSITIVE = [0.83333333, 0.73470012, 0.54916854, 0.36954966, 0.00264486, 0]
LOSS_NEGATIVE = [0, 0.00326138, 0.01847833, 0.04403032, 0.16345215, 0.16666667]


def within_four_standard_errors(exact, draws):
    error = np.std(draws, ddof=1) / math.sqrt(len(draws))
    assert abs(exact - np.mean(draws)) <= 4 * error


def test_binary_losses_of_the_default_prior():
    assert binary_decision_pwu([1] * 6, F, reduction="none") == pytest.approx(LOSS_POSITIVE, abs=5e-9)
    assert binary_decision_pwu([0] * 6, F, reduction="none") == pytest.approx(LOSS_NEGATIVE, abs=5e-9)


@pytest.mark.parametrize("a_b", [(2, 10), (1, 1), (10, 2), (1.2, 20.8), (3.5, 2.5), (10, 10)])
def test_binary_losses_equal_quadrature(a_b):
    density = stats.beta(*a_b).pdf
    p = np.concatenate([[0, 1, 1e-12, 1 - 1e-12, 0.5], np.random.default_rng(0).random(10)])
    positive = [integrate.quad(lambda c: (1 - c) * density(c), f, 1, epsabs=1e-13)[0] for f in p]
    negative = [integrate.quad(lambda c: c * density(c), 0, f, epsabs=1e-13)[0] for f in p]
    prior = Beta(*a_b)
    assert binary_decision_pwu([1] * 15, p, prior=prior, reduction="none") == pytest.approx(positive, abs=1e-11)
    assert binary_decision_pwu([0] * 15, p, prior=prior, reduction="none") == pytest.approx(negative, abs=1e-11)


def test_binary_loss_keeps_its_digits_far_in_the_tail():
    assert binary_decision_pwu([1], [0.9]) == pytest.approx(9.083333333e-11, rel=1e-9)
    # (1-c)^11 (1 + 11 c) * 10/12 at c = 1 - 1e-6: 1e-66 * 12 * 5/6 to leading order.
    assert binary_decision_pwu([1], [1 - 1e-6]) == pytest.approx(1e-65, rel=1e-4)


def test_binary_uniform_range_of_costs():
    # As briertools' bounded Brier score, which leaves out the term at the end of the range.
    prior = Uniform(0.2, 0.6)
    assert binary_decision_pwu([1], [0.9], prior=prior) == 0
    assert binary_decision_pwu([1], [0.1], prior=prior) == pytest.approx(0.6, rel=1e-14)
    p = np.linspace(0, 1, 21)
    for y, near in ((1, 0.6), (0, 0.2)):
        g = np.clip(p, 0.2, 0.6)
        expected = 0.5 * ((g - y) ** 2 - (near - y) ** 2) / 0.4
        assert binary_decision_pwu([y] * 21, p, prior=prior, reduction="none") == pytest.approx(expected, abs=1e-15)


def binary_problem(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.8, 2, n)
    return (rng.random(n) < p).astype(int), p


def test_classical_scores_are_binary_losses_under_their_weights():
    y, p = binary_problem()
    p[:3] = 0.5
    log_loss = -np.mean(np.where(y == 1, np.log(p), np.log1p(-p)))
    assert binary_decision_pwu(y, p, prior="implicit:nll") == pytest.approx(log_loss, rel=1e-12)
    assert binary_decision_pwu(y, p, prior="implicit:brier") == pytest.approx(np.mean((p - y) ** 2), rel=1e-12)
    assert binary_decision_pwu(y, p, prior="implicit:error_rate") == pytest.approx(
        np.mean((p > 0.5) != (y == 1)), rel=1e-12
    )
    assert binary_decision_pwu([1], [0.0], prior="implicit:nll") == math.inf
    assert binary_decision_pwu([1, 0], [1.0, 0.0], prior="implicit:nll") == 0


def test_flat_prior_is_half_the_brier_score():
    y, p = binary_problem()
    assert binary_decision_pwu(y, p, prior=Beta(1, 1)) == pytest.approx(np.mean((p - y) ** 2) / 2, rel=1e-13)


def test_multiclass_scores_are_sums_of_one_vs_rest_losses():
    rng = np.random.default_rng(1)
    p = rng.dirichlet([0.5, 1, 2, 1], 300)
    y = np.array([rng.choice(4, p=row) for row in p])
    log_loss = -np.mean(np.log(p[np.arange(300), y]))
    brier = np.mean(np.sum((p - np.eye(4)[y]) ** 2, axis=1))
    assert 4 * one_vs_rest_pwu(y, p, prior="implicit:multiclass_nll") == pytest.approx(log_loss, rel=1e-12)
    assert 4 * one_vs_rest_pwu(y, p, prior="implicit:brier") == pytest.approx(brier, rel=1e-12)


def test_point_prior_is_minus_the_utility():
    y, p = binary_problem()
    p[:20], y[:10] = 0.3, 1
    for c in (0.0, 0.3, 1.0):
        assert binary_decision_pwu(y, p, prior=PointMass(c)) == pytest.approx(
            -binary_decision_utility(y, p, c=c), abs=1e-15
        )


def test_binary_agrees_with_monte_carlo():
    y, p = binary_problem(300)
    costs = PRIOR_C.sample(20_000, np.random.default_rng(1))
    act = np.sort(p[y == 0])
    missed = np.searchsorted(np.sort(p[y == 1]), costs, side="right")
    false_alarms = len(act) - np.searchsorted(act, costs, side="right")
    draws = (missed * (1 - costs) + false_alarms * costs) / 300
    within_four_standard_errors(binary_decision_pwu(y, p), draws)


def test_one_vs_rest_agrees_with_monte_carlo():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(5), 50)
    y = rng.integers(0, 5, 50)
    draws = [
        -one_vs_rest_utility(y, p, j=int(j), c=c)
        for j, c in zip(rng.integers(0, 5, 5000), PRIOR_C.sample(5000, rng), strict=True)
    ]
    within_four_standard_errors(one_vs_rest_pwu(y, p), draws)


@given(p=st.floats(0, 1), q=st.floats(0, 1), a=st.floats(0.3, 20), b=st.floats(0.3, 20))
@settings(deadline=None)
def test_binary_loss_is_proper(p, q, a, b):
    losses = [binary_decision_pwu([1, 0], [f, f], prior=Beta(a, b), reduction="none") for f in (q, p)]
    honest, other = q * losses[0][0] + (1 - q) * losses[0][1], q * losses[1][0] + (1 - q) * losses[1][1]
    assert honest <= other + 1e-12


def test_binary_ignores_row_order_and_dtype():
    y, p = binary_problem(500)
    o = np.random.default_rng(3).permutation(500)
    weight = np.random.default_rng(4).random(500)
    assert binary_decision_pwu(y[o], p[o]) == binary_decision_pwu(y, p)
    assert binary_decision_pwu(y[o], p[o], sample_weight=weight[o]) == binary_decision_pwu(y, p, sample_weight=weight)
    single = p.astype(np.float32)
    assert binary_decision_pwu(y, single) == binary_decision_pwu(y, single.astype(np.float64))


def test_binary_edges():
    assert binary_decision_pwu([1], [1.0]) == binary_decision_pwu([0], [0.0]) == 0
    assert binary_decision_pwu([1, 1, 1], [0.0, 0.0, 0.0]) == pytest.approx(10 / 12, rel=1e-15)
    with_dropped = binary_decision_pwu([1, 0, 1], [0.2, 0.1, np.nan], sample_weight=[1, 1, 0])
    assert with_dropped == binary_decision_pwu([1, 0], [0.2, 0.1])
    with pytest.raises(ValueError, match=r"prior on the cost c must lie in \[0, 1\]"):
        binary_decision_pwu([1], [0.5], prior=LogNormal(0, 1))


@pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 1.0])
def test_binary_loss_stays_finite_at_trivial_costs(p):
    # rtichoke #43
    for y in (0, 1):
        assert binary_decision_pwu([y], [p], prior=PointMass(1)) == 0
        assert binary_decision_pwu([y], [p], prior=PointMass(0)) == float(y == 1 and p == 0)


def test_concentrating_costs_on_one_half_gives_the_error_rate():
    y, p = [1, 1, 0, 0], [0.4, 0.6, 0.4, 0.6]
    gaps = []
    for size in (10, 1e3, 1e5):
        rows = 2 * binary_decision_pwu(y, p, prior=Beta(size, size), reduction="none")
        gaps.append(np.abs(rows - [1, 0, 0, 1]).max())
    assert gaps[0] > 0.1
    assert gaps[1] < 1e-3
    assert gaps[2] < 1e-12


def test_selective_test_vectors():
    assert selective_pwu([2.0], [0.0], [0.2], target_variance=1) == pytest.approx(1.3620992307199997, rel=1e-14)
    assert selective_pwu([2.0], [0.0], [7.0], target_variance=1) == pytest.approx(1 / 6, rel=1e-15)


@pytest.mark.parametrize("prior", [PRIOR_LAMBDA, Beta(0.7, 3.3), Gamma(2, 9), LogNormal(-2, 0.7), Uniform(0, 2)])
def test_selective_losses_equal_quadrature(prior):
    density = prior.density
    for s in (0.0, 1e-9, 0.03, 0.2, 0.99, 1.0, 3.0):
        below = integrate.quad(lambda q: q * density(q), 0, s, epsabs=1e-12, limit=200)[0]
        mass_below = integrate.quad(density, 0, s, epsabs=1e-12, limit=200)[0]
        expected = 5.0 * (1 - mass_below) + 2.5 * below
        value = selective_pwu([math.sqrt(5)], [0.0], [2.5 * s], prior=prior, target_variance=2.5)
        assert value == pytest.approx(expected, abs=1e-8)


def regression_problem(n=200, seed=0):
    rng = np.random.default_rng(seed)
    mean, var = rng.normal(size=n), rng.gamma(1, 0.2, n)
    return mean + np.sqrt(var) * rng.normal(size=n), mean, var


def test_selective_agrees_with_monte_carlo():
    y, mean, var = regression_problem()
    costs = y.var() * PRIOR_LAMBDA.sample(10_000, np.random.default_rng(0))
    draws = [-selective_utility(y, mean, var, cost=cost) for cost in costs]
    within_four_standard_errors(selective_pwu(y, mean, var), draws)


def test_selective_weights_reach_rows_that_always_abstain():
    # scikit-learn #13412: a special-case branch forgot the weights.
    y, mean = [1.0, 2.0], [0.0, 0.0]
    for weight in ([1, 0], [1, 1]):
        value = selective_pwu(y, mean, [9.0, 9.0], target_variance=1, sample_weight=weight)
        assert value == pytest.approx(1 / 6, rel=1e-15)
    second = selective_pwu(y[1:], mean[1:], [0.01], target_variance=1)
    assert selective_pwu(y, mean, [9.0, 0.01], target_variance=1, sample_weight=[0, 1]) == second


def test_selective_never_abstaining_is_the_squared_error():
    y, mean, var = regression_problem()
    assert selective_pwu(y, mean, var, prior=PointMass(math.inf)) == pytest.approx(np.mean((y - mean) ** 2))


def test_selective_pareto_prior_is_the_gaussian_log_likelihood():
    y, mean, var = regression_problem()
    var, eps = var + 0.01, 0.01
    nll = np.mean(0.5 * np.log(2 * math.pi * var) + (y - mean) ** 2 / (2 * var))
    expected = 2 * eps * nll - eps * math.log(2 * math.pi * eps)
    assert selective_pwu(y, mean, var, prior="pareto:1,0.01", target_variance=1) == pytest.approx(expected, rel=1e-12)


def test_selective_on_constant_targets_abstains_for_free():
    # The targets' sum is not exactly three times their value, so a rounded variance would be 1e-34, not 0.
    y, mean = [0.1, 0.1, 0.1], [0.1, 1.1, 2.1]
    rows = selective_pwu(y, mean, [0.0, 0.0, 0.5], reduction="none")
    assert rows == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)
    # Nor does it cost anything under a prior whose mean is infinite.
    rows = selective_pwu(y, mean, [0.0, 0.0, 0.5], prior="pareto:1,0.01", reduction="none")
    assert rows == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)


def test_an_error_that_is_never_paid_costs_nothing_however_large():
    with np.errstate(over="ignore"):
        rows = selective_pwu([0.0, 1.0], [1e200, 0.0], [1e300, 0.0], target_variance=1, reduction="none")
        assert rows == pytest.approx([1 / 6, 1.0], rel=1e-15)
        assert selective_pwu([0.0, 1.0], [1e200, 0.0], [0.0, 0.0], target_variance=1) == math.inf
        cov = np.array([[[1e300]], [[0.0]]])
        value = multivariate_selective_pwu([[0.0], [1.0]], [[1e200], [0.0]], cov, target_variance=1)
        assert value == pytest.approx((1 / 6 + 1) / 2, rel=1e-15)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_selective_scales_with_the_squared_unit(unit):
    y, mean, var = regression_problem()
    scaled = selective_pwu(unit * y, unit * mean, unit**2 * var)
    assert scaled == pytest.approx(unit**2 * selective_pwu(y, mean, var), rel=1e-12)


def test_selective_refuses_bad_scales_and_priors():
    for bad in (-1, math.nan, "wide"):
        with pytest.raises(ValueError, match="target_variance"):
            selective_pwu([1.0], [1.0], [1.0], target_variance=bad)
    with pytest.raises(ValueError, match="abstention cost"):
        selective_pwu([1.0, 2.0], [1.0, 2.0], [1.0, 1.0], prior=Uniform(-1, 1))


def multivariate_problem(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, d, d)) / 2
    cov = half @ half.transpose(0, 2, 1)
    mean = rng.normal(size=(n, d))
    return mean + rng.normal(size=(n, d)) * [1, 5, 0.2], mean, cov


def test_multivariate_selective_is_the_mean_of_standardised_coordinates():
    y, mean, cov = multivariate_problem()
    expected = np.mean([selective_pwu(y[:, d], mean[:, d], cov[:, d, d]) / y[:, d].var() for d in range(3)])
    assert multivariate_selective_pwu(y, mean, cov) == pytest.approx(expected, rel=1e-13)


def test_multivariate_selective_of_one_coordinate_is_the_univariate_loss_in_its_unit():
    y, mean, var = regression_problem()
    value = multivariate_selective_pwu(y[:, None], mean[:, None], var[:, None, None])
    assert value == pytest.approx(selective_pwu(y, mean, var) / y.var(), rel=1e-13)


def test_multivariate_selective_agrees_with_monte_carlo():
    y, mean, cov = multivariate_problem()
    factors = PRIOR_LAMBDA.sample(5000, np.random.default_rng(0))
    draws = [-multivariate_selective_utility(y, mean, cov, cost=factor) for factor in factors]
    within_four_standard_errors(multivariate_selective_pwu(y, mean, cov), draws)


def test_multivariate_selective_of_a_constant_coordinate():
    y, mean, cov = multivariate_problem()
    y[:, 1] = 0.3
    with pytest.warns(UndefinedMetricWarning, match="coordinate 1 of y_true is constant"):
        assert math.isnan(multivariate_selective_pwu(y, mean, cov))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(multivariate_selective_pwu(y, mean, cov, reduction="none")).all()
    assert multivariate_selective_pwu(y, mean, cov, target_variance=[1, 1, 1]) > 0


def test_one_vs_rest_reads_labels_and_absent_classes():
    p = [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    value = one_vs_rest_pwu([2, 1], p)
    assert one_vs_rest_pwu(["c", "b"], p, labels=["a", "b", "c"]) == value
    rows = one_vs_rest_pwu([2, 1], p, reduction="none")
    assert np.mean(rows) == pytest.approx(value, rel=1e-15)
