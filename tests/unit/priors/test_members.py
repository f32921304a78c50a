"""Every member against independent quadrature of its density, scipy.stats and sampling."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from uqalign.priors import (
    Beta,
    FrozenScipy,
    Gamma,
    LogNormal,
    Mixture,
    Pareto,
    PointMass,
    Prior,
    Truncated,
    Uniform,
)

CONTINUOUS: list[Prior] = [
    Beta(2, 10),
    Beta(1, 1),
    Beta(1.2, 20.8),
    Beta(0.7, 1.3),
    Beta(30, 3),
    Uniform(0, 1),
    Uniform(0.1, 0.5),
    LogNormal(-2, 0.5),
    LogNormal(0.5, 1.5),
    Gamma(2, 8),
    Gamma(0.6, 3),
    Pareto(2.5, 0.01),
    Pareto(1, 0.01),
    Truncated(Beta(2, 10), 0.05, 0.5),
    Truncated(LogNormal(-2, 0.5), 0, 1),
    Truncated(Pareto(1, 0.01), 0.02, 0.5),
    Truncated(Truncated(Beta(2, 10), 0.05, 0.5), 0.1, 0.3),
    Mixture([Beta(2, 10), Uniform(0.4, 0.9)], [0.25, 0.75]),
    FrozenScipy(stats.weibull_min(1.5, scale=0.2)),
    FrozenScipy(stats.truncnorm(-1, 3, loc=0.2, scale=0.2)),
]
POINTS = [-1.0, 0.0, 1e-9, 0.003, 0.05, 0.1, 0.27, 0.5, 0.81, 0.95, 1.0, 2.5]


def by_quadrature(prior: Prior, weight, low: float, high: float) -> float:
    """Integral of weight(theta) * density over [low, high], piecewise between quantiles."""
    start, end = prior.support
    low, high = max(low, start), min(high, end)
    if low >= high:
        return 0.0
    inner = np.asarray(prior.quantile([0.01, 0.1, 0.5, 0.9, 0.99, 0.9999])).tolist()
    kinks = [edge for edge in (0.1, 0.3, 0.4, 0.9) if low < edge < high]
    edges = sorted({low, high, *kinks, *(q for q in inner if low < q < high)})
    parts = []
    for a, b in itertools.pairwise(edges):
        value, _ = integrate.quad(
            lambda t: weight(t) * float(prior.density(t)), a, b, epsabs=1e-14, epsrel=1e-11, limit=300
        )
        parts.append(value)
    return math.fsum(parts)


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
@pytest.mark.parametrize("x", POINTS)
def test_partial_integrals_equal_quadrature_of_the_density(prior: Prior, x: float) -> None:
    close = {"rel": 2e-8, "abs": 2e-9}
    assert prior.cdf(x) == pytest.approx(by_quadrature(prior, lambda t: 1.0, -math.inf, x), **close)
    assert prior.tail(x) == pytest.approx(by_quadrature(prior, lambda t: 1.0, x, math.inf), **close)
    assert prior.partial_mean(x) == pytest.approx(by_quadrature(prior, lambda t: t, -math.inf, x), **close)
    if math.isfinite(prior.mean):
        upper = by_quadrature(prior, lambda t: t, x, math.inf)
        assert prior.upper_mean(x) == pytest.approx(upper, **close)
        partial = by_quadrature(prior, lambda t: 1 - t, x, math.inf)
        assert prior.upper_partial(x) == pytest.approx(partial, **close)


@pytest.mark.parametrize(
    ("prior", "frozen"),
    [
        (Beta(2, 10), stats.beta(2, 10)),
        (Beta(1.2, 20.8), stats.beta(1.2, 20.8)),
        (Uniform(0.1, 0.5), stats.uniform(0.1, 0.4)),
        (LogNormal(-2, 0.5), stats.lognorm(0.5, scale=math.exp(-2))),
        (Gamma(2, 8), stats.gamma(2, scale=1 / 8)),
        (Pareto(1.5, 0.01), stats.pareto(1.5, scale=0.01)),
    ],
    ids=lambda value: repr(value) if isinstance(value, Prior) else value.dist.name,
)
def test_native_families_equal_scipy(prior: Prior, frozen) -> None:
    x = np.array([-1, 0, 1e-9, 0.003, 0.05, 0.1, 0.27, 0.5, 0.81, 1 - 1e-6, 1, 2, 40])
    q = np.array([0, 1e-9, 0.05, 0.5, 0.95, 1 - 1e-9, 1])
    np.testing.assert_allclose(prior.cdf(x), frozen.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(prior.tail(x), frozen.sf(x), rtol=1e-12)
    np.testing.assert_allclose(prior.density(x), frozen.pdf(x), rtol=1e-12)
    np.testing.assert_allclose(prior.quantile(q), frozen.ppf(q), rtol=1e-10)
    np.testing.assert_allclose(prior._upper_quantile(q), frozen.isf(q), rtol=1e-10)
    assert prior.mean == pytest.approx(frozen.mean(), rel=1e-14)
    assert prior.support == frozen.support()
    wrapped = FrozenScipy(frozen)
    for name in ("partial_mean", "upper_mean", "upper_partial"):
        np.testing.assert_allclose(
            getattr(wrapped, name)(x), getattr(prior, name)(x), rtol=1e-11, atol=1e-300, err_msg=name
        )


@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
def test_quantiles_invert_the_cdf(prior: Prior) -> None:
    q = np.array([1e-6, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999])
    np.testing.assert_allclose(prior.cdf(prior.quantile(q)), q, rtol=1e-9)
    np.testing.assert_allclose(prior._above(prior._upper_quantile(q)), q, rtol=1e-9)
    low, high = prior.support
    assert prior.quantile(0) == low
    assert prior.quantile(1) == high


@pytest.mark.parametrize("prior", [*CONTINUOUS, Mixture([PointMass(0.1), Beta(2, 10)], [0.3, 0.7])], ids=repr)
def test_samples_follow_the_cdf(prior: Prior) -> None:
    rng = np.random.default_rng(0)
    draws = prior.sample((200, 100), rng)
    assert draws.shape == (200, 100)
    for x in np.asarray(prior.quantile([0.1, 0.5, 0.9])):
        assert np.mean(draws <= x) == pytest.approx(float(prior.cdf(x)), abs=0.015)
        inside = np.where(draws < x, draws, 0)
        error = inside.std() / math.sqrt(inside.size)
        assert inside.mean() == pytest.approx(float(prior.partial_mean(x)), abs=5 * error + 1e-12)
    np.testing.assert_array_equal(draws, prior.sample((200, 100), np.random.default_rng(0)))


@pytest.mark.parametrize("prior", CONTINUOUS, ids=repr)
def test_mode_is_the_highest_density(prior: Prior) -> None:
    low, high = np.asarray(prior.quantile([1e-5, 0.9999]))
    highest = np.max(prior.density(np.linspace(low, high, 20001)))
    assert prior.density(prior.mode) >= highest * (1 - 1e-6)
    assert prior.support[0] <= prior.mode <= prior.support[1]


@pytest.mark.parametrize("prior", [*CONTINUOUS, PointMass(0.5)], ids=repr)
def test_identities_and_shapes(prior: Prior) -> None:
    x = np.linspace(-0.5, 1.5, 24).reshape(2, 3, 4)
    for name in ("cdf", "tail", "partial_mean", "upper_mean", "upper_partial", "density"):
        method = getattr(prior, name)
        values = method(x)
        assert values.shape == x.shape
        assert values.dtype == np.float64
        assert isinstance(method(0.3), float)
        assert method(0.3) == method([0.3])[0]
        np.testing.assert_array_equal(method(np.float32(0.25)), method(0.25))
        assert method([]).shape == (0,)
    if not isinstance(prior, PointMass):
        np.testing.assert_allclose(prior.cdf(x) + prior.tail(x), 1, rtol=1e-14)
    if math.isfinite(prior.mean):
        np.testing.assert_allclose(prior.partial_mean(x) + prior.upper_mean(x), prior.mean, rtol=1e-12)
        np.testing.assert_allclose(prior.upper_partial(x), prior.tail(x) - prior.upper_mean(x), rtol=1e-9, atol=1e-14)
    assert prior.total_mass == 1
    assert prior.is_probability
    np.testing.assert_array_equal(prior.cdf([-math.inf, math.inf]), [0, 1])
    np.testing.assert_array_equal(prior.tail([-math.inf, math.inf]), [1, 0])
    np.testing.assert_allclose(prior.partial_mean([-math.inf, math.inf]), [0, prior.mean], rtol=1e-14)
    assert prior.upper_mean(-math.inf) == pytest.approx(prior.mean)
    if math.isfinite(prior.mean):
        assert prior.upper_mean(math.inf) == 0
    assert hash(prior) == hash(prior)


def test_log_normal_far_tails_against_mpmath() -> None:
    prior = LogNormal(-2, 0.5)
    with mpmath.workdps(40):
        for x in (1e-4, 0.01, 3.0, 50.0):
            z = (mpmath.log(mpmath.mpf(x)) + 2) / mpmath.mpf(0.5)
            lower = mpmath.exp(mpmath.mpf(-2) + mpmath.mpf(1) / 8) * mpmath.ncdf(z - mpmath.mpf(0.5))
            upper = mpmath.exp(mpmath.mpf(-2) + mpmath.mpf(1) / 8) * mpmath.ncdf(mpmath.mpf(0.5) - z)
            assert prior.partial_mean(x) == pytest.approx(float(lower), rel=1e-11)
            assert prior.upper_mean(x) == pytest.approx(float(upper), rel=1e-11)


def test_pareto_partial_mean_is_smooth_in_its_shape_at_one() -> None:
    at_one = Pareto(1, 0.01).partial_mean(0.5)
    assert at_one == pytest.approx(0.01 * math.log(50), rel=1e-14)
    for shape in (1 - 1e-9, 1 + 1e-9, 1 - 1e-13, 1 + 1e-13):
        assert Pareto(shape, 0.01).partial_mean(0.5) == pytest.approx(at_one, rel=1e-8)
    just_above = 0.01 * (1 + 1e-12)
    assert Pareto(2, 0.01).cdf(just_above) == pytest.approx(2 * (just_above - 0.01) / 0.01, rel=1e-9)


def test_pareto_without_a_mean() -> None:
    prior = Pareto(0.8, 0.1)
    assert prior.mean == math.inf
    assert prior.upper_mean(3) == math.inf
    assert prior.upper_partial(3) == -math.inf
    assert prior.partial_mean(math.inf) == math.inf
    expected, _ = integrate.quad(lambda t: t * 0.8 * 0.1**0.8 / t**1.8, 0.1, 3)
    assert prior.partial_mean(3) == pytest.approx(expected, rel=1e-10)
    assert FrozenScipy(stats.pareto(0.8, scale=0.1)).partial_mean(3) == pytest.approx(expected, rel=1e-10)


def test_point_mass_is_closed_on_the_side_the_decision_rules_need() -> None:
    prior = PointMass(0.3)
    x = [0.2, 0.3, 0.4]
    np.testing.assert_array_equal(prior.tail(x), [1, 1, 0])
    np.testing.assert_array_equal(prior.cdf(x), [0, 1, 1])
    np.testing.assert_array_equal(prior.partial_mean(x), [0, 0, 0.3])
    np.testing.assert_array_equal(prior.upper_mean(x), [0.3, 0.3, 0])
    np.testing.assert_array_equal(prior.upper_partial(x), [0.7, 0.7, 0])
    np.testing.assert_array_equal(prior.density(x), [0, math.inf, 0])
    np.testing.assert_array_equal(prior.quantile([0, 0.5, 1]), [0.3, 0.3, 0.3])
    assert prior.interval_mass(0.2, 0.3) == 1
    assert prior.interval_mass(0.3, 0.4) == 0
    assert (prior.mean, prior.mode, prior.support) == (0.3, 0.3, (0.3, 0.3))


def test_threshold_at_the_ends_of_the_unit_interval() -> None:
    assert PointMass(1).upper_partial(0.2) == 0
    assert PointMass(1).partial_mean(1) == 0
    assert PointMass(0).upper_partial(0) == 1
    assert PointMass(0).partial_mean(0.1) == 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Beta(0, 2), r"Beta: a = 0.0 must be finite and > 0"),
        (lambda: Beta(2, math.nan), r"Beta: b = nan"),
        (lambda: Beta("two", 2), r"Beta: a = 'two'"),
        (lambda: Uniform(0.5, 0.5), r"low = 0.5 must be < high"),
        (lambda: Uniform(0, math.inf), r"Uniform: high = inf must be finite"),
        (lambda: LogNormal(0, -1), r"LogNormal: log_std"),
        (lambda: LogNormal(0, 200), r"mean exceeds the largest float"),
        (lambda: Gamma(-1, 1), r"Gamma: shape"),
        (lambda: Pareto(1, 0), r"Pareto: scale"),
        (lambda: PointMass(math.nan), r"PointMass: value = nan must be a number"),
        (lambda: FrozenScipy(3), r"needs a frozen distribution"),
        (lambda: FrozenScipy(stats.poisson(3)), r"discrete: write it as a Mixture"),
        (lambda: FrozenScipy(stats.cauchy()), r"no mean"),
        (lambda: FrozenScipy(stats.gamma([1, 2])), r"array of distributions"),
    ],
)
def test_bad_parameters_are_named(build, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_bad_arguments_are_named() -> None:
    prior = Beta(2, 10)
    with pytest.raises(ValueError, match="NaN"):
        prior.tail([0.1, math.nan])
    with pytest.raises(ValueError, match="number"):
        prior.cdf("half")
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        prior.quantile(1.2)
    with pytest.raises(ValueError, match="low <= high"):
        prior.interval_mass(0.4, 0.3)
    with pytest.raises(TypeError, match="default_rng"):
        prior.sample(3, 0)  # type: ignore[arg-type]


def test_frozen_scipy_compares_by_distribution_and_parameters() -> None:
    a, b = FrozenScipy(stats.weibull_min(1.5, scale=0.2)), FrozenScipy(stats.weibull_min(1.5, scale=0.2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != FrozenScipy(stats.weibull_min(1.6, scale=0.2))
    assert repr(a) == "FrozenScipy(weibull_min(1.5, scale=0.2))"


def test_frozen_scipy_with_kinks_and_negative_values() -> None:
    counts = (np.array([1.0, 5.0, 0.0, 2.0]), np.array([-0.5, 0.0, 0.2, 0.6, 1.0]))
    prior = FrozenScipy(stats.rv_histogram(counts, density=False)())
    mass = np.array([1, 5, 0, 2]) / 8
    for x in (-0.2, 0.1, 0.2, 0.4, 0.75):
        low = np.array([-0.5, 0.0, 0.2, 0.6])
        high = np.array([0.0, 0.2, 0.6, 1.0])
        end = np.clip(x, low, high)
        expected = float(np.sum(mass / (high - low) * (end**2 - low**2) / 2))
        assert prior.partial_mean(x) == pytest.approx(expected, abs=1e-13)
    normal = FrozenScipy(stats.norm(0.1, 0.3))
    z = (0.25 - 0.1) / 0.3
    expected = 0.1 * stats.norm.cdf(z) - 0.3 * stats.norm.pdf(z)
    assert normal.partial_mean(0.25) == pytest.approx(expected, rel=1e-12)
    assert normal.mean == pytest.approx(0.1, rel=1e-13)
