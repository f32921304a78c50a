"""Risk-averse top-k: the crossing sweep against slabs, row orders, Monte Carlo and quadrature; properness."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqalign.checks import UndefinedMetricWarning
from uqalign.priors import (
    PRIOR_GAMMA,
    PRIOR_K,
    Beta,
    Gamma,
    Mixture,
    Pareto,
    PointMass,
    Truncated,
    Uniform,
    rank_weights,
)
from uqalign.priors.composite import parts
from uqalign.pwu import risk_averse, risk_averse_top_k_pwu, top_k_pwu
from uqalign.pwu.crossings import crossings_up_to
from uqalign.pwu.lines import Lines
from uqalign.utilities import risk_averse_top_k_utility


def problem(n, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=n)
    var = scale * rng.gamma(2, 0.5, n)
    return mean + np.sqrt(var) * rng.normal(size=n), mean, var


def slabs(y, mean, var, *, prior=PRIOR_GAMMA, prior_k=PRIOR_K, scale=None, payoff="reported", order=None):
    """The same integral slab by slab between all crossings, ranking the rows afresh in each slab."""
    scale = 1 / y.std() if scale is None else scale
    order = np.arange(len(y)) if order is None else np.asarray(order)
    y, mean, var = y[order], mean[order], var[order]
    charge = var if payoff == "reported" else (y - mean) ** 2
    i, j = np.triu_indices(len(y), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (mean[i] - mean[j]) / (scale * (var[i] - var[j]))
    low, high = prior.support
    inner = np.unique(at[(at > max(low, 0)) & (at < high)])
    edges = np.concatenate([[max(low, 0)], inner, [high]])
    worth = rank_weights(prior_k, len(y))
    total = []
    for a, b in itertools.pairwise(edges):
        middle = (a + b) / 2 if math.isfinite(b) else a + 1
        ranked = np.argsort(-(mean - middle * scale * var), kind="stable")
        mass = prior.tail(a) - prior.tail(b)
        first = prior.upper_mean(a) - prior.upper_mean(b)
        total.append(np.sum(worth * (y[ranked] * mass - scale * charge[ranked] * first)))
    return -math.fsum(total)


@pytest.mark.parametrize("n", [2, 5, 30, 60])
@pytest.mark.parametrize("scale", [1, 10])
@pytest.mark.parametrize("payoff", ["reported", "residual"])
def test_exact_equals_slab_by_slab(n, scale, payoff):
    y, mean, var = problem(n, scale, seed=n)
    value = risk_averse_top_k_pwu(y, mean, var, method="exact", payoff=payoff)
    assert value == pytest.approx(slabs(y, mean, var, payoff=payoff), abs=1e-13)


@pytest.mark.parametrize(
    "prior", [Beta(1.5, 4.5), Beta(0.7, 0.4), Gamma(2, 5), Uniform(0.2, 0.6), Uniform(0, 3), Beta(2, 6)]
)
def test_exact_for_other_priors(prior):
    y, mean, var = problem(25, 3, seed=7)
    value = risk_averse_top_k_pwu(y, mean, var, prior_aversion=prior, prior_k=Beta(2, 5), method="exact")
    assert value == pytest.approx(slabs(y, mean, var, prior=prior, prior_k=Beta(2, 5)), abs=1e-12)


def test_published_scale():
    y, mean, var = problem(30, seed=2)
    value = risk_averse_top_k_pwu(y, mean, var, aversion_scale=y.var())
    assert value == pytest.approx(slabs(y, mean, var, scale=y.var()), abs=1e-12)
    assert risk_averse_top_k_pwu(y, mean, var, target_variance=4.0) == risk_averse_top_k_pwu(
        y, mean, var, aversion_scale=0.5
    )


def test_blocks_of_pairs_change_nothing(monkeypatch):
    y, mean, var = problem(40, seed=3)
    whole = risk_averse_top_k_pwu(y, mean, var)
    monkeypatch.setattr("uqalign.pwu.crossings.PAIRS_AT_ONCE", 90)
    assert risk_averse_top_k_pwu(y, mean, var) == pytest.approx(whole, abs=1e-13)


def test_duplicates_equal_the_mean_over_every_row_order():
    rng = np.random.default_rng(4)
    y = rng.normal(size=5)
    mean, var = np.array([1.0, 1.0, 0.5, 1.0, 0.5]), np.array([2.0, 2.0, 0.5, 2.0, 0.5])
    orders = [slabs(y, mean, var, order=order) for order in itertools.permutations(range(5))]
    assert risk_averse_top_k_pwu(y, mean, var) == pytest.approx(np.mean(orders), abs=1e-13)
    assert np.ptp(orders) > 0.1


def test_lines_through_one_point_change_places_at_once():
    var = np.array([3.0, 2.0, 1.0, 0.0, 5.0])
    mean = np.array([1.5, 1.0, 0.5, 0.0, 2.5])  # all four lines of slope mean/var meet at gamma = 1/2
    y = np.array([1.0, -2.0, 0.5, 3.0, 1.7])
    value = risk_averse_top_k_pwu(y, mean, var, aversion_scale=1.0)
    assert value == pytest.approx(slabs(y, mean, var, scale=1.0), abs=1e-13)


@given(
    rows=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=9),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
def test_lattices_of_ties_and_crossings(rows, seed):
    y, mean, var = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    # Rows that agree in mean and var are tied everywhere: their mean payoff stands for each of them.
    shared = np.array([y[(mean == m) & (var == v)].mean() for m, v in zip(mean, var, strict=True)])
    value = risk_averse_top_k_pwu(y, mean, var, aversion_scale=0.7)
    assert value == pytest.approx(slabs(shared, mean, var, scale=0.7), abs=1e-12)
    o = np.random.default_rng(seed).permutation(len(y))
    assert risk_averse_top_k_pwu(y[o], mean[o], var[o], aversion_scale=0.7) == value


def test_agrees_with_monte_carlo():
    y, mean, var = problem(50, 2, seed=5)
    rng = np.random.default_rng(0)
    n = 20_000
    gamma, share = PRIOR_GAMMA.sample(n, rng) / y.std(), PRIOR_K.sample(n, rng)
    draws = [
        -risk_averse_top_k_utility(y, mean, var, k=math.ceil(50 * q), aversion=g)
        for g, q in zip(gamma, share, strict=True)
    ]
    error = np.std(draws) / math.sqrt(n)
    assert abs(risk_averse_top_k_pwu(y, mean, var) - np.mean(draws)) <= 4 * error


def test_homoscedastic_ranking_is_by_mean_alone():
    y, mean, _ = problem(40)
    worth = rank_weights(PRIOR_K, 40)
    expected = -(np.sum(worth * y[np.argsort(-mean)]) - PRIOR_GAMMA.mean / y.std() * 2.0 * worth.sum())
    assert risk_averse_top_k_pwu(y, mean, np.full(40, 2.0)) == pytest.approx(expected, abs=1e-13)


def test_without_variances_it_is_the_top_k_metric():
    rng = np.random.default_rng(6)
    y, score = rng.integers(0, 2, 30).astype(float), np.round(rng.normal(size=30), 1)
    assert risk_averse_top_k_pwu(y, score, np.zeros(30)) == pytest.approx(top_k_pwu(y, score), abs=1e-14)


def test_point_prior_resolves_ties_at_its_value():
    y, mean, var = np.array([1.0, 4.0, -2.0]), np.array([2.0, 1.5, 1.0]), np.array([2.0, 1.0, 0.0])
    # At gamma = 1/2 all three score 1.
    value = risk_averse_top_k_pwu(y, mean, var, prior_aversion=PointMass(0.5), aversion_scale=1)
    masses = PRIOR_K.interval_mass(np.arange(3) / 3, np.arange(1, 4) / 3)
    utilities = [risk_averse_top_k_utility(y, mean, var, k=k, aversion=0.5) for k in (1, 2, 3)]
    assert value == pytest.approx(-np.dot(masses, utilities), abs=1e-14)


def test_atoms_resolve_ties_within_truncations_and_mixtures_too():
    y, mean, var = np.array([1.0, 4.0, -2.0]), np.array([2.0, 1.5, 1.0]), np.array([2.0, 1.0, 0.0])

    def value(prior):
        return risk_averse_top_k_pwu(y, mean, var, prior_aversion=prior, aversion_scale=1)

    point, smooth = PointMass(0.5), Truncated(Beta(2, 6), 0.1, 0.9)
    assert value(Truncated(point, 0, 1)) == value(point)
    within = Truncated(Mixture([point, Beta(2, 6), PointMass(0.95)], [0.3, 0.3, 0.4]), 0.1, 0.9)
    share = 0.3 / (0.3 + 0.3 * float(Beta(2, 6).interval_mass(0.1, 0.9)))
    assert value(within) == pytest.approx(share * value(point) + (1 - share) * value(smooth), abs=1e-14)
    assert [type(part) for _, part in parts(within)] == [PointMass, Truncated]
    assert value(Truncated(Truncated(Beta(2, 6), 0, 0.95), 0.1, 0.9)) == pytest.approx(value(smooth), abs=1e-14)


@pytest.mark.parametrize("payoff", ["reported", "residual"])
def test_charges_beyond_the_largest_float_leave_it_undefined(payoff):
    rows = ([1.0, 2.0, 3.0], [5.0, 1e200, 1.0], [0.0, 1e308, 1.0])
    with pytest.warns(UndefinedMetricWarning, match="exceeds the largest float"), np.errstate(over="ignore"):
        assert math.isnan(risk_averse_top_k_pwu(*rows, target_variance=1e-6, payoff=payoff))


def test_mixture_is_the_mean_of_its_components():
    y, mean, var = problem(30)
    parts = [PointMass(0.2), Beta(2, 6)]
    mixed = risk_averse_top_k_pwu(y, mean, var, prior_aversion=Mixture(parts, [0.3, 0.7]))
    single = [risk_averse_top_k_pwu(y, mean, var, prior_aversion=part) for part in parts]
    assert mixed == pytest.approx(0.3 * single[0] + 0.7 * single[1], abs=1e-14)


@pytest.mark.parametrize("n", [200, 1500])
@pytest.mark.parametrize("prior", [Beta(2, 6), Beta(150, 100), Gamma(2, 5)], ids=str)
def test_quadrature_reports_an_honest_error(n, prior):
    for scale in (0.3, 3):
        y, mean, var = problem(n, scale)
        exact, none = risk_averse_top_k_pwu(y, mean, var, prior_aversion=prior, method="exact", return_error=True)
        value, error = risk_averse_top_k_pwu(y, mean, var, prior_aversion=prior, method="quadrature", return_error=True)
        assert none == 0
        assert abs(value - exact) <= error
        assert error < 2e-4 * y.std()


def test_quadrature_stops_once_it_is_accurate_enough():
    y, mean, var = problem(5000)
    exact = risk_averse_top_k_pwu(y, mean, var, method="exact")
    value, error = risk_averse_top_k_pwu(y, mean, var, method="quadrature", return_error=True)
    assert abs(value - exact) <= error <= 5e-6 * y.std()
    assert abs(value - exact) <= 1e-6 * y.std()


def test_quadrature_is_exact_without_crossings():
    y, mean, _ = problem(100)
    exact = risk_averse_top_k_pwu(y, mean, np.ones(100), method="exact")
    value, error = risk_averse_top_k_pwu(y, mean, np.ones(100), method="quadrature", return_error=True)
    assert value == pytest.approx(exact, abs=1e-12)
    assert error < 1e-12


def test_auto_is_exact_while_crossings_are_few(monkeypatch):
    monkeypatch.setattr(risk_averse, "ALWAYS_EXACT", 10)
    y, mean, var = problem(100)
    count = crossings_up_to(Lines.from_rows(y, mean, var, var, None, 1 / y.std()), 1.0, 10**9)
    monkeypatch.setattr(risk_averse, "EXACT_CROSSINGS", count)
    assert risk_averse_top_k_pwu(y, mean, var, return_error=True)[1] == 0
    monkeypatch.setattr(risk_averse, "EXACT_CROSSINGS", count - 1)
    assert risk_averse_top_k_pwu(y, mean, var, return_error=True)[1] > 0


@pytest.mark.parametrize("n", [1, 2, 3, 17, 64])
@pytest.mark.parametrize("high", [0.5, 1.0, math.inf])
def test_crossings_are_counted_right(n, high):
    y, mean, var = problem(n, 4, seed=n)
    lines = Lines.from_rows(y, mean, var, var, None, 1.0)
    i, j = np.triu_indices(n, 1)
    at = (mean[i] - mean[j]) / (var[i] - var[j])
    assert crossings_up_to(lines, high, 10**9) == np.count_nonzero((at > 0) & (at < high))


def test_row_order_changes_no_bit():
    y, mean, var = problem(300, 3)
    mean[:60], var[:60] = mean[60:120], var[60:120]
    weight = np.random.default_rng(8).random(300)
    for options in ({}, {"method": "quadrature"}, {"sample_weight": weight}, {"payoff": "residual"}):
        value = risk_averse_top_k_pwu(y, mean, var, **options)
        o = np.random.default_rng(9).permutation(300)
        moved = dict(options)
        if "sample_weight" in moved:
            moved["sample_weight"] = weight[o]
        assert risk_averse_top_k_pwu(y[o], mean[o], var[o], **moved) == value


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
def test_scales_with_the_unit_of_the_targets(unit):
    y, mean, var = problem(60, 2)
    for payoff in ("reported", "residual"):
        scaled = risk_averse_top_k_pwu(unit * y, unit * mean, unit**2 * var, payoff=payoff)
        assert scaled == pytest.approx(unit * risk_averse_top_k_pwu(y, mean, var, payoff=payoff), rel=1e-11)


def test_shifts_of_the_targets_shift_the_metric():
    y, mean, var = problem(60, 2)
    shifted = risk_averse_top_k_pwu(y + 1e6, mean + 1e6, var)
    assert shifted == pytest.approx(risk_averse_top_k_pwu(y, mean, var) - 1e6, abs=1e-7)


def test_whole_weights_repeat_rows():
    y, mean, var = problem(25, 2)
    weight = np.random.default_rng(0).integers(0, 4, 25)
    repeated = risk_averse_top_k_pwu(*(np.repeat(v, weight) for v in (y, mean, var)))
    assert risk_averse_top_k_pwu(y, mean, var, sample_weight=weight) == pytest.approx(repeated, abs=1e-13)
    nan = np.where(weight > 0, y, np.nan)
    assert risk_averse_top_k_pwu(nan, mean, var, sample_weight=weight) == pytest.approx(repeated, abs=1e-13)


def test_fractional_weights_are_continuous_in_whole_ones():
    y, mean, var = problem(20, 2)
    whole = risk_averse_top_k_pwu(y, mean, var, aversion_scale=1)
    weight = np.ones(20)
    weight[0], weight[1] = 1 + 1e-7, 1 - 1e-7
    assert risk_averse_top_k_pwu(y, mean, var, aversion_scale=1, sample_weight=weight) == pytest.approx(whole, abs=1e-5)
    quadrature = risk_averse_top_k_pwu(y, mean, var, aversion_scale=1, sample_weight=weight, method="quadrature")
    assert quadrature == pytest.approx(whole, abs=1e-3)


def test_fractional_weights_agree_with_quadrature():
    y, mean, var = problem(200, 2)
    weight = np.random.default_rng(3).random(200)
    exact = risk_averse_top_k_pwu(y, mean, var, sample_weight=weight, method="exact")
    value, error = risk_averse_top_k_pwu(y, mean, var, sample_weight=weight, method="quadrature", return_error=True)
    assert abs(value - exact) <= min(error, 1e-4)


def test_constant_targets_have_no_scale():
    with pytest.warns(UndefinedMetricWarning, match="aversion has no scale"):
        assert math.isnan(risk_averse_top_k_pwu([0.1] * 3, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]))
    with pytest.warns(UndefinedMetricWarning):
        value, error = risk_averse_top_k_pwu([2.0], [1.0], [1.0], return_error=True)
    assert math.isnan(value)
    assert math.isnan(error)
    assert risk_averse_top_k_pwu([2.0], [1.0], [1.0], aversion_scale=1) == pytest.approx(-1.75, rel=1e-15)


def test_bad_arguments_are_named():
    rows = ([1.0, 2.0], [1.0, 2.0], [1.0, 1.0])
    for options, message in (
        ({"method": "sample"}, "method must be"),
        ({"payoff": "sd"}, "payoff must be"),
        ({"prior_aversion": Uniform(-1, 1)}, "aversion factor"),
        ({"prior_aversion": Pareto(1, 0.1)}, "finite mean"),
        ({"prior_k": Gamma(1, 1)}, "selected share"),
        ({"aversion_scale": -1}, "aversion_scale"),
        ({"target_variance": -1}, "target_variance"),
    ):
        with pytest.raises(ValueError, match=message):
            risk_averse_top_k_pwu(*rows, **options)


def expected_utility(mean, var, reported_mean, reported_var, k, gamma, payoff):
    """Expectation over y ~ N(mean, var) of the utility of a report: both payoffs are linear in E[y] or E[(y - m)^2]."""
    chosen = np.argsort(-(reported_mean - gamma * reported_var))[:k]
    if payoff == "reported":
        return np.mean(mean[chosen] - gamma * reported_var[chosen])
    squared = var + (mean - reported_mean) ** 2
    return np.mean(mean[chosen] - gamma * squared[chosen])


@pytest.mark.parametrize(
    ("k", "gamma", "truth", "lie"), [(5, 0.3, 1.006, 1.231), (10, 1.0, 0.262, 0.943), (20, 0.1, 0.469, 0.559)]
)
def test_residual_payoff_is_proper_and_reported_payoff_is_gamed(k, gamma, truth, lie):
    rng = np.random.default_rng(0)
    mean, var = rng.normal(size=40), rng.gamma(2, 0.5, 40)
    honest = {payoff: expected_utility(mean, var, mean, var, k, gamma, payoff) for payoff in ("reported", "residual")}
    assert honest["reported"] == pytest.approx(truth, abs=5e-4)
    assert expected_utility(mean, var, mean, np.zeros(40), k, gamma, "reported") == pytest.approx(lie, abs=5e-4)
    for _ in range(2000):
        spread = rng.choice([0.01, 0.3, 2.0])
        report = mean + spread * rng.normal(size=40), var * np.exp(spread * rng.normal(size=40))
        assert expected_utility(mean, var, *report, k, gamma, "residual") <= honest["residual"] + 1e-12


def test_understating_variance_pays_in_the_reported_metric_only():
    rng = np.random.default_rng(1)
    n, repeats = 60, 200
    mean, var = rng.normal(size=n), rng.gamma(2, 0.5, n)
    gain = {"reported": [], "residual": []}
    for _ in range(repeats):
        y = mean + np.sqrt(var) * rng.normal(size=n)
        for payoff, gains in gain.items():
            honest, lie = (
                risk_averse_top_k_pwu(y, mean, v, payoff=payoff, prior_aversion=Uniform(0, 2), aversion_scale=1)
                for v in (var, np.zeros(n))
            )
            gains.append(honest - lie)
    for payoff, gains in gain.items():
        z = np.mean(gains) / (np.std(gains) / math.sqrt(repeats))
        assert z > 5 if payoff == "reported" else z < -5
