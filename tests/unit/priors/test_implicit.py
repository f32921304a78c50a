"""Classical scores are prior-weighted utilities under improper weights: identities to 1e-12."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from uqalign.priors import (
    BRIER_WEIGHT,
    ERROR_RATE_WEIGHT,
    IMPLICIT_WEIGHTS,
    MULTICLASS_NLL_WEIGHT,
    NLL_WEIGHT,
    SQUARED_ERROR_PRIOR,
    Beta,
    NotAProbabilityError,
    Prior,
    gaussian_nll_prior,
)
from uqalign.priors.implicit import Scaled

RNG = np.random.default_rng(0)
F = np.concatenate([[0, 1e-300, 1e-12, 0.5, 0.9, 0.91, 1 - 1e-12, 1], RNG.random(500)])
Y = np.concatenate([np.zeros(8), (RNG.random(500) < 0.4).astype(float)])


def binary_loss(prior: Prior, y, f):
    """Per-row loss; the product is not taken, since an infinite loss on the other label would spoil it."""
    return np.where(y == 1, prior.upper_partial(f), prior.partial_mean(f))


@pytest.mark.parametrize("flip", [False, True])
def test_log_loss(flip: bool) -> None:
    y = 1 - Y if flip else Y
    with np.errstate(divide="ignore"):
        expected = np.where(y == 1, -np.log(F), -np.log1p(-F))
    np.testing.assert_allclose(binary_loss(NLL_WEIGHT, y, F), expected, rtol=1e-12)


@pytest.mark.parametrize("flip", [False, True])
def test_brier_score(flip: bool) -> None:
    y = 1 - Y if flip else Y
    np.testing.assert_allclose(binary_loss(BRIER_WEIGHT, y, F), (F - y) ** 2, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("flip", [False, True])
def test_error_rate_with_one_half_read_as_negative(flip: bool) -> None:
    y = 1 - Y if flip else Y
    np.testing.assert_array_equal(binary_loss(ERROR_RATE_WEIGHT, y, F), (F > 0.5) != (y == 1))


def one_vs_rest_sum(prior: Prior, y, p):
    truth = np.arange(p.shape[1]) == y[:, None]
    return binary_loss(prior, truth.astype(float), p).sum(axis=1)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_multiclass_scores(classes: int) -> None:
    p = RNG.dirichlet(np.ones(classes), 300)
    y = RNG.integers(0, classes, 300)
    rows = np.arange(300)
    np.testing.assert_allclose(one_vs_rest_sum(MULTICLASS_NLL_WEIGHT, y, p), -np.log(p[rows, y]), atol=1e-12)
    truth = np.eye(classes)[y]
    np.testing.assert_allclose(one_vs_rest_sum(BRIER_WEIGHT, y, p), ((p - truth) ** 2).sum(axis=1), rtol=1e-12)


def test_certain_and_impossible_classes() -> None:
    p = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(one_vs_rest_sum(MULTICLASS_NLL_WEIGHT, np.array([0, 0]), p), [0, math.inf])


def test_squared_error_never_abstains() -> None:
    variance = np.array([0, 0.1, 3, 1e300])
    np.testing.assert_array_equal(SQUARED_ERROR_PRIOR.tail(variance), 1)
    np.testing.assert_array_equal(SQUARED_ERROR_PRIOR.partial_mean(variance), 0)


def test_gaussian_nll_is_a_selective_loss_under_pareto() -> None:
    eps = 0.01
    prior = gaussian_nll_prior(eps)
    variance = np.array([0.01, 0.02, 0.3, 5, 1e6])
    residual = np.array([0.3, 0, 2, 0.1, 40])
    loss = residual * prior.tail(variance) + prior.partial_mean(variance)
    nll = 0.5 * (np.log(2 * np.pi * variance) + residual / variance)
    np.testing.assert_allclose(loss, 2 * eps * nll - eps * math.log(2 * math.pi * eps), rtol=1e-12)


def test_below_its_scale_the_pareto_prior_is_no_log_likelihood() -> None:
    # Nobody abstains from a variance of eps / 2: the loss is the squared error, not 2 eps NLL - eps log(2 pi eps).
    eps, residual = 0.05, 0.3
    prior = gaussian_nll_prior(eps)
    assert residual * prior.tail(eps / 2) + prior.partial_mean(eps / 2) == 0.3
    nll = 0.5 * (math.log(2 * math.pi * eps / 2) + residual / (eps / 2))
    assert 2 * eps * nll - eps * math.log(2 * math.pi * eps) == pytest.approx(0.565, abs=5e-4)


DENSITIES = {
    "nll": lambda c: 1 / (c * (1 - c)),
    "brier": lambda c: 2.0,
    "multiclass_nll": lambda c: 1 / c,
}


@pytest.mark.parametrize("name", DENSITIES)
@pytest.mark.parametrize(("low", "high"), [(0.1, 0.4), (0.4, 0.95), (0.3, 0.3)])
def test_partial_integrals_equal_quadrature(name: str, low: float, high: float) -> None:
    weight, density = IMPLICIT_WEIGHTS[name], DENSITIES[name]
    mass, _ = integrate.quad(density, low, high, epsabs=1e-13)
    assert weight.interval_mass(low, high) == pytest.approx(mass, rel=1e-11)
    partial, _ = integrate.quad(lambda c: c * density(c), 0, low, epsabs=1e-13)
    assert weight.partial_mean(low) == pytest.approx(partial, rel=1e-11)
    upper, _ = integrate.quad(lambda c: (1 - c) * density(c), low, 1, epsabs=1e-13)
    assert weight.upper_partial(low) == pytest.approx(upper, rel=1e-11)
    assert weight.density(0.37) == pytest.approx(density(0.37), rel=1e-14)
    np.testing.assert_array_equal(weight.density([-0.1, 1.1]), 0)


def test_masses_that_are_infinite_say_so() -> None:
    np.testing.assert_array_equal(NLL_WEIGHT.cdf([-1, 0, 0.2]), [0, 0, math.inf])
    np.testing.assert_array_equal(NLL_WEIGHT.tail([0.2, 1, 2]), [math.inf, 0, 0])
    np.testing.assert_array_equal(NLL_WEIGHT.interval_mass([0, 0.5, 1], [0.5, 1, 2]), [math.inf, math.inf, 0])
    np.testing.assert_array_equal(MULTICLASS_NLL_WEIGHT.interval_mass([-1, -2], [0.5, 0]), [math.inf, 0])
    assert MULTICLASS_NLL_WEIGHT.tail(0.5) == pytest.approx(math.log(2), rel=1e-15)
    assert MULTICLASS_NLL_WEIGHT.upper_mean(0.25) == 0.75
    assert NLL_WEIGHT.upper_mean(0.5) == math.inf
    assert NLL_WEIGHT.total_mass == math.inf
    np.testing.assert_array_equal(NLL_WEIGHT.density([0, 1]), math.inf)


def test_one_sided_weight_near_one_does_not_cancel() -> None:
    for y in (1e-9, 1e-3, 0.05, 0.0999, 0.1001, 0.3):
        f = 1 - y
        exact = math.fsum((1 - f) ** k / k for k in range(2, 400))
        assert MULTICLASS_NLL_WEIGHT.upper_partial(f) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("weight", IMPLICIT_WEIGHTS.values(), ids=IMPLICIT_WEIGHTS)
def test_no_probability_is_pretended(weight: Prior) -> None:
    assert not weight.is_probability
    with pytest.raises(NotAProbabilityError, match=r"has no mean.*Beta\(2, 10\)"):
        _ = weight.mean
    with pytest.raises(NotAProbabilityError, match="quantiles"):
        weight.quantile(0.5)
    with pytest.raises(NotAProbabilityError, match="samples"):
        weight.sample(3, np.random.default_rng(0))
    assert 0 <= weight.mode <= 1
    assert weight.support in ((0, 1), (0.5, 0.5))


def test_scaled_multiplies_every_integral() -> None:
    scaled, prior = Scaled(Beta(2, 10), 3), Beta(2, 10)
    x = np.linspace(-0.1, 1.1, 13)
    for name in ("cdf", "tail", "partial_mean", "upper_mean", "upper_partial", "density"):
        np.testing.assert_allclose(getattr(scaled, name)(x), 3 * getattr(prior, name)(x), rtol=1e-15)
    assert scaled.total_mass == 3
    assert scaled.interval_mass(0.1, 0.3) == pytest.approx(3 * prior.interval_mass(0.1, 0.3), rel=1e-15)
    with pytest.raises(NotAProbabilityError):
        Scaled(NLL_WEIGHT, 2)
    with pytest.raises(ValueError, match="factor"):
        Scaled(prior, 0)


def test_log_loss_is_the_limit_of_beta_priors() -> None:
    tiny = 1e-9
    prior = Beta(tiny, tiny)
    normaliser = 2 / tiny
    for f in (0.03, 0.4, 0.99):
        assert normaliser * prior.upper_partial(f) == pytest.approx(-math.log(f), rel=1e-7)
        assert normaliser * prior.partial_mean(f) == pytest.approx(-math.log1p(-f), rel=1e-7)
