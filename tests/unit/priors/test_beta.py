"""The Beta prior: published vectors, both far tails, and the polynomial for integer parameters."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from uqalign.priors import PRIOR_C, PRIOR_K, Beta, Truncated, Uniform
from uqalign.priors.beta import POLYNOMIAL_LIMIT, lower_beta, upper_beta

F = [0, 0.05, 0.1, 0.15, 0.5, 1]


def exact(x: float, a: float, b: float) -> tuple[float, float]:
    """I_x(a, b) and its complement with 60 digits."""
    with mpmath.workdps(60):
        lower = mpmath.betainc(a, b, 0, mpmath.mpf(x), regularized=True)
        upper = mpmath.betainc(b, a, 0, 1 - mpmath.mpf(x), regularized=True)
        return float(lower), float(upper)


def test_binary_losses_under_beta_2_10() -> None:
    positive = [0.83333333, 0.73470012, 0.54916854, 0.36954966, 0.00264486, 0]
    negative = [0, 0.00326138, 0.01847833, 0.04403032, 0.16345215, 0.16666667]
    np.testing.assert_allclose(PRIOR_C.upper_partial(F), positive, atol=5e-9)
    np.testing.assert_allclose(PRIOR_C.partial_mean(F), negative, atol=5e-9)


def test_far_tail_does_not_cancel() -> None:
    assert PRIOR_C.upper_partial(0.9) == pytest.approx(9.083333333e-11, rel=1e-9)
    assert PRIOR_C.upper_partial(1 - 1e-6) == pytest.approx(1e-65, rel=1e-5)
    assert PRIOR_C.partial_mean(1e-100) == pytest.approx(1e-300 * 110 / 3, rel=1e-12)


def test_selective_loss_vector() -> None:
    squared_error, variance = 4.0, 0.2
    loss = squared_error * PRIOR_C.tail(variance) + PRIOR_C.partial_mean(variance)
    assert loss == pytest.approx(1.3620992307199997, rel=1e-15)
    assert PRIOR_C.partial_mean(1.0) == pytest.approx(1 / 6, rel=1e-15)
    assert PRIOR_C.tail(1.0) == 0


def test_top_k_probabilities_vector() -> None:
    edges = np.arange(6) / 5
    mass = PRIOR_K.interval_mass(edges[:-1], edges[1:])
    np.testing.assert_allclose(mass[:3], [0.985492302, 0.0144665091, 4.11793833e-05], rtol=1e-8)
    assert mass[3] == pytest.approx(9.64e-9, rel=1e-3)
    assert mass[4] == pytest.approx(5.6e-15, rel=1e-2)
    assert mass.sum() == pytest.approx(1, abs=1e-15)


@settings(max_examples=150, deadline=None)
@given(
    a=st.integers(1, 30),
    b=st.integers(1, 30),
    x=st.one_of(st.floats(1e-12, 1 - 1e-12), st.floats(1e-9, 1e-3), st.floats(0.999, 1 - 1e-9)),
)
def test_polynomial_is_accurate_in_both_tails(a: int, b: int, x: float) -> None:
    lower, upper = exact(x, a, b)
    at = np.array([x])
    assert lower_beta(at, float(a), float(b))[0] == pytest.approx(lower, rel=2e-14, abs=1e-300)
    assert upper_beta(at, float(a), float(b))[0] == pytest.approx(upper, rel=2e-14, abs=1e-300)


@settings(max_examples=150, deadline=None)
@given(
    a=st.one_of(st.floats(0.01, 2), st.floats(2, 50)),
    b=st.floats(0.01, 50),
    x=st.one_of(st.floats(1e-12, 1 - 1e-12), st.floats(1e-12, 0.02), st.floats(0.999, 1 - 1e-12)),
)
def test_upper_tail_of_real_parameters(a: float, b: float, x: float) -> None:
    expected = special.betaincc(a, b, x)
    assert upper_beta(np.array([x]), a, b)[0] == pytest.approx(expected, rel=5e-14, abs=1e-290)
    assert lower_beta(np.array([x]), a, b)[0] == pytest.approx(special.betainc(a, b, x), rel=5e-14, abs=1e-290)


@pytest.mark.parametrize(("a", "b"), [(1.2, 20.8), (0.7, 0.4), (2, 10), (40, 60), (3.5, 1)])
@pytest.mark.parametrize("x", [1e-8, 0.01, 0.3, 0.9, 1 - 1e-6])
def test_partial_means_against_mpmath(a: float, b: float, x: float) -> None:
    prior = Beta(a, b)
    assert prior.partial_mean(x) == pytest.approx(a / (a + b) * exact(x, a + 1, b)[0], rel=1e-12)
    assert prior.upper_mean(x) == pytest.approx(a / (a + b) * exact(x, a + 1, b)[1], rel=1e-12)
    assert prior.upper_partial(x) == pytest.approx(b / (a + b) * exact(x, a, b + 1)[1], rel=1e-12, abs=1e-300)
    assert prior._lower_partial(np.array([x]))[0] == pytest.approx(b / (a + b) * exact(x, a, b + 1)[0], rel=1e-12)


def test_polynomial_meets_the_general_routine_at_its_limit() -> None:
    x = np.linspace(0, 1, 1001)
    half = POLYNOMIAL_LIMIT / 2
    np.testing.assert_allclose(lower_beta(x, half, half), special.betainc(half, half, x), rtol=1e-12)
    np.testing.assert_allclose(upper_beta(x, half, half + 1), special.betaincc(half, half + 1, x), rtol=1e-12)


def test_values_stay_within_their_limits() -> None:
    x = np.linspace(0, 1, 10001)
    for prior in (PRIOR_C, PRIOR_K, Beta(10, 10)):
        assert prior.cdf(x).max() == 1
        assert prior.tail(x).max() == 1
        assert prior.partial_mean(x).max() == prior.mean
        assert (np.diff(prior.cdf(x)) >= -1e-15).all()


@pytest.mark.parametrize(
    ("prior", "mode"),
    [
        (Beta(2, 10), 0.1),
        (Beta(1.2, 20.8), 0.01),
        (Beta(1, 1), 0.5),
        (Beta(1, 3), 0.0),
        (Beta(3, 1), 1.0),
        (Beta(0.5, 0.5), 0.0),
        (Beta(0.5, 0.2), 1.0),
        (Beta(0.2, 0.5), 0.0),
    ],
)
def test_modes(prior: Beta, mode: float) -> None:
    assert prior.mode == pytest.approx(mode, rel=1e-12)


def test_density_at_the_ends() -> None:
    np.testing.assert_array_equal(Beta(0.5, 2).density([0, 1, -0.1, 1.1]), [np.inf, 0, 0, 0])
    np.testing.assert_allclose(Beta(1, 3).density([0, 1]), [3, 0], rtol=1e-15)


def test_flat_beta_is_half_the_brier_score() -> None:
    f = np.linspace(0, 1, 101)
    np.testing.assert_allclose(Beta(1, 1).upper_partial(f), (1 - f) ** 2 / 2, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(Beta(1, 1).partial_mean(f), f**2 / 2, rtol=1e-13)


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.5), (0, 0.2), (0.3, 1), (0.8, 0.95)])
def test_truncated_closed_form(low: float, high: float) -> None:
    a, b = 2.0, 10.0
    prior = Truncated(Beta(a, b), low, high)
    mass = special.betainc(a, b, high) - special.betainc(a, b, low)
    if low > 0.5:
        mass = special.betaincc(a, b, low) - special.betaincc(a, b, high)
    for f in (0, 0.04, 0.1, 0.3, 0.5, 0.85, 0.97, 1):
        g = np.clip(f, low, high)
        positive = b / (a + b) * (special.betaincc(a, b + 1, g) - special.betaincc(a, b + 1, high)) / mass
        negative = a / (a + b) * (special.betaincc(a + 1, b, low) - special.betaincc(a + 1, b, g)) / mass
        assert prior.upper_partial(f) == pytest.approx(positive, rel=1e-9, abs=1e-15)
        assert prior.partial_mean(f) == pytest.approx(negative, rel=1e-9, abs=2e-15)


def test_uniform_on_a_range_of_costs() -> None:
    low, high = 0.2, 0.6
    prior = Uniform(low, high)
    assert prior.upper_partial(0.9) == 0
    assert prior.upper_partial(0.1) == pytest.approx(0.6, rel=1e-15)
    for f in (0, 0.1, 0.3, 0.6, 0.9, 1):
        g = np.clip(f, low, high)
        positive = 0.5 * ((g - 1) ** 2 - (high - 1) ** 2) / (high - low)
        negative = 0.5 * (g**2 - low**2) / (high - low)
        assert prior.upper_partial(f) == pytest.approx(positive, abs=1e-15)
        assert prior.partial_mean(f) == pytest.approx(negative, abs=1e-15)
