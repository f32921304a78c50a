"""Truncation and mixtures: atoms, sums, far tails."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqalign.priors import (
    NLL_WEIGHT,
    Beta,
    Gamma,
    LogNormal,
    Mixture,
    NotAProbabilityError,
    Pareto,
    PointMass,
    Truncated,
    Uniform,
)

VALUES = np.array([0.1, 0.3, 0.3, 0.7, 1.0])
WEIGHTS = np.array([0.2, 0.1, 0.15, 0.35, 0.2])
SCENARIOS = Mixture([PointMass(v) for v in VALUES], WEIGHTS)


@given(x=st.one_of(st.floats(-0.5, 1.5), st.sampled_from(VALUES.tolist())))
def test_mixture_of_points_is_a_weighted_sum(x: float) -> None:
    close = {"rel": 1e-14, "abs": 1e-16}
    assert SCENARIOS.cdf(x) == pytest.approx(WEIGHTS[x >= VALUES].sum(), **close)
    assert SCENARIOS.tail(x) == pytest.approx(WEIGHTS[x <= VALUES].sum(), **close)
    assert SCENARIOS.partial_mean(x) == pytest.approx((WEIGHTS * VALUES)[x > VALUES].sum(), **close)
    assert SCENARIOS.upper_mean(x) == pytest.approx((WEIGHTS * VALUES)[x <= VALUES].sum(), **close)
    assert SCENARIOS.upper_partial(x) == pytest.approx((WEIGHTS * (1 - VALUES))[x <= VALUES].sum(), **close)
    inside = (x < VALUES) & (VALUES <= 0.8)
    if x <= 0.8:
        assert SCENARIOS.interval_mass(x, 0.8) == pytest.approx(WEIGHTS[inside].sum(), **close)


def test_mixture_quantiles_find_atoms_exactly() -> None:
    np.testing.assert_array_equal(
        SCENARIOS.quantile([0, 0.1, 0.2, 0.21, 0.44, 0.46, 0.9, 1]), [0.1, 0.1, 0.1, 0.3, 0.3, 0.7, 1.0, 1.0]
    )
    assert SCENARIOS.mode == 0.7
    assert SCENARIOS.support == (0.1, 1.0)
    assert SCENARIOS.mean == pytest.approx(float(WEIGHTS @ VALUES), rel=1e-15)


def test_mode_prefers_the_heavier_atom_and_atoms_to_densities() -> None:
    two = Mixture([PointMass(0.4), PointMass(0.4), PointMass(0.2), Beta(50, 50)], [0.1, 0.1, 0.15, 0.65])
    assert two.mode == 0.4
    assert Mixture([Beta(2, 10), PointMass(math.inf)], [0.5, 0.5]).mode == math.inf
    smooth = Mixture([Beta(20, 80), Beta(2, 2)], [0.5, 0.5])
    grid = np.linspace(0.1, 0.3, 200_001)
    assert smooth.mode == pytest.approx(grid[np.argmax(smooth.density(grid))], abs=2e-6)


def test_mixture_of_one_is_that_one() -> None:
    x = np.linspace(-0.2, 1.2, 57)
    alone = Mixture([Beta(2, 10)], [1])
    for name in ("cdf", "tail", "partial_mean", "upper_mean", "upper_partial", "density"):
        np.testing.assert_array_equal(getattr(alone, name)(x), getattr(Beta(2, 10), name)(x))
    q = np.linspace(0.01, 0.99, 21)
    np.testing.assert_allclose(alone.quantile(q), Beta(2, 10).quantile(q), rtol=1e-14)


def test_component_of_weight_zero_vanishes_even_if_infinite() -> None:
    prior = Mixture([Beta(2, 10), Pareto(1, 0.01)], [1, 0])
    assert prior.mean == Beta(2, 10).mean
    assert prior.support == (0, 1)
    assert prior.upper_partial(0.3) == Beta(2, 10).upper_partial(0.3)


def test_mixture_reaches_into_unbounded_tails() -> None:
    prior = Mixture([LogNormal(-2, 0.5), Gamma(2, 8)], [0.5, 0.5])
    q = np.array([1e-10, 1e-3, 0.5, 0.999])
    np.testing.assert_allclose(prior.cdf(prior.quantile(q)), q, rtol=1e-10)
    assert prior.quantile(1) == math.inf
    np.testing.assert_allclose(prior._above(prior._upper_quantile(q)), q, rtol=1e-10)


def test_truncation_keeps_digits_in_either_tail() -> None:
    cases = [(0.0, 1e-6, 3e-7), (0.9, 0.97, 0.95), (1e-9, 2e-9, 1.5e-9)]
    for low, high, x in cases:
        prior = Truncated(Beta(2, 10), low, high)
        with mpmath.workdps(50):
            lo, hi, at = (mpmath.mpf(v) for v in (low, high, x))

            def density(t):
                return t * (1 - t) ** 9

            mass = mpmath.quad(density, [lo, hi])
            below = mpmath.quad(lambda t: t * density(t), [lo, at]) / mass
            above = mpmath.quad(lambda t: (1 - t) * density(t), [at, hi]) / mass
        assert prior.partial_mean(x) == pytest.approx(float(below), rel=1e-12)
        assert prior.upper_partial(x) == pytest.approx(float(above), rel=1e-12)
        np.testing.assert_allclose(prior.cdf(prior.quantile([0.2, 0.6])), [0.2, 0.6], rtol=1e-10)


@settings(deadline=None)
@given(low=st.floats(0, 0.98), width=st.floats(0.01, 1), x=st.floats(-0.2, 1.2))
def test_truncated_identities(low: float, width: float, x: float) -> None:
    high = min(low + width, 1.0)
    prior = Truncated(Beta(2, 3), low, high)
    assert prior.tail(low) == pytest.approx(1, abs=1e-14)
    assert prior.cdf(high) == 1
    assert prior.cdf(low - 1e-3) == 0
    assert prior.tail(high + 1e-3) == 0
    assert prior.cdf(x) + prior.tail(x) == pytest.approx(1, abs=1e-9)
    assert prior.partial_mean(x) + prior.upper_mean(x) == pytest.approx(prior.mean, abs=1e-9)
    assert low <= prior.mean <= high
    assert low <= prior.mode <= high


def test_truncated_keeps_atoms_on_both_of_its_ends() -> None:
    prior = Truncated(SCENARIOS, 0.3, 0.7)
    share = np.array([0.25, 0.35]) / 0.6
    np.testing.assert_allclose(prior.cdf([0.2, 0.3, 0.5, 0.7]), [0, share[0], share[0], 1], rtol=1e-14)
    np.testing.assert_allclose(prior.tail([0.2, 0.3, 0.5, 0.7, 0.8]), [1, 1, share[1], share[1], 0], rtol=1e-14)
    np.testing.assert_allclose(prior.partial_mean([0.3, 0.7, 0.8]), [0, 0.3 * share[0], prior.mean], rtol=1e-14)
    np.testing.assert_allclose(prior.upper_partial([0.5, 0.7, 0.8]), [0.3 * share[1], 0.3 * share[1], 0])
    np.testing.assert_array_equal(prior.quantile([0, 0.4, 0.42, 1]), [0.3, 0.3, 0.7, 0.7])
    assert prior.interval_mass(0.3, 0.7) == pytest.approx(share[1], rel=1e-14)
    assert prior.mean == pytest.approx(float(share @ [0.3, 0.7]), rel=1e-14)
    assert prior.mode == 0.7


def test_truncating_to_the_whole_support_changes_nothing() -> None:
    x = np.linspace(0, 1, 31)
    np.testing.assert_allclose(Truncated(Beta(2, 10), 0, 1).upper_partial(x), Beta(2, 10).upper_partial(x), rtol=1e-13)
    half_open = Truncated(LogNormal(-2, 0.5), 0.1, math.inf)
    assert half_open.quantile(1) == math.inf
    assert half_open.mean > LogNormal(-2, 0.5).mean
    assert half_open.upper_mean(3) == pytest.approx(
        LogNormal(-2, 0.5).upper_mean(3) / LogNormal(-2, 0.5).tail(0.1), rel=1e-13
    )


def test_truncated_uniform_is_uniform() -> None:
    x = np.linspace(0, 1, 31)
    truncated, plain = Truncated(Uniform(0, 1), 0.2, 0.6), Uniform(0.2, 0.6)
    for name in ("cdf", "tail", "partial_mean", "upper_mean", "upper_partial", "density"):
        np.testing.assert_allclose(getattr(truncated, name)(x), getattr(plain, name)(x), rtol=1e-13, atol=1e-15)


def test_mode_of_a_truncated_tail_is_its_nearer_end() -> None:
    assert Truncated(Beta(2, 10), 0.3, 0.9).mode == 0.3
    assert Truncated(Beta(0.5, 0.5), 0.2, 0.9).mode == 0.9
    assert Truncated(Beta(2, 10), 0.05, 0.5).mode == 0.1


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Truncated(Beta(2, 10), 0.5, 0.2), ValueError, "must be < high"),
        (lambda: Truncated(Uniform(0, 0.5), 0.6, 0.9), ValueError, "no mass"),
        (lambda: Truncated(NLL_WEIGHT, 0.1, 0.9), NotAProbabilityError, "proper prior"),
        (lambda: Truncated("beta:2,10", 0.1, 0.9), TypeError, "as_prior"),
        (lambda: Mixture([Beta(2, 10)], [0.5]), ValueError, "sum to one"),
        (lambda: Mixture([Beta(2, 10), Beta(1, 1)], [1.5, -0.5]), ValueError, ">= 0"),
        (lambda: Mixture([Beta(2, 10)], [0.5, 0.5]), ValueError, "one weight per component"),
        (lambda: Mixture([], []), ValueError, "one weight per component"),
        (lambda: Mixture([NLL_WEIGHT], [1]), NotAProbabilityError, "proper prior"),
    ],
)
def test_bad_compositions_are_named(build, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build()
