"""Text and objects from other libraries become priors, and priors become text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from uqalign.priors import (
    IMPLICIT_WEIGHTS,
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
    as_prior,
    prior_text,
)

TEXTS = [
    ("beta:2,10", Beta(2, 10)),
    ("beta:1.2,20.8", Beta(1.2, 20.8)),
    ("uniform:0.1,0.5", Uniform(0.1, 0.5)),
    ("lognormal:-2,0.5", LogNormal(-2, 0.5)),
    ("gamma:2,8", Gamma(2, 8)),
    ("pareto:1,0.01", Pareto(1, 0.01)),
    ("point:0.5", PointMass(0.5)),
    ("point:inf", PointMass(math.inf)),
    ("beta:2,10@0.05..0.5", Truncated(Beta(2, 10), 0.05, 0.5)),
    ("lognormal:-2,0.5@-inf..1", Truncated(LogNormal(-2, 0.5), -math.inf, 1)),
    ("(beta:2,10@0.05..0.5)@0.1..0.3", Truncated(Truncated(Beta(2, 10), 0.05, 0.5), 0.1, 0.3)),
    (
        "mixture:0.25*beta:2,10 + 0.75*(uniform:0,1@0.5..0.75)",
        Mixture([Beta(2, 10), Truncated(Uniform(0, 1), 0.5, 0.75)], [0.25, 0.75]),
    ),
    (
        "(mixture:0.5*point:0.25 + 0.5*beta:1e+16,2)@0.2..1",
        Truncated(Mixture([PointMass(0.25), Beta(1e16, 2)], [0.5, 0.5]), 0.2, 1),
    ),
    (
        "mixture:0.5*(mixture:0.5*beta:1,2 + 0.5*beta:2,1) + 0.5*beta:3,3",
        Mixture([Mixture([Beta(1, 2), Beta(2, 1)], [0.5, 0.5]), Beta(3, 3)], [0.5, 0.5]),
    ),
    ("scipy:weibull_min:1.5,scale=0.2", FrozenScipy(stats.weibull_min(1.5, scale=0.2))),
    ("scipy:expon:", FrozenScipy(stats.expon())),
]


@pytest.mark.parametrize(("text", "prior"), TEXTS)
def test_both_ways(text: str, prior: Prior) -> None:
    assert as_prior(text) == prior
    assert prior_text(prior) == text


@pytest.mark.parametrize("name", IMPLICIT_WEIGHTS)
def test_implicit_weights_both_ways(name: str) -> None:
    assert as_prior(f"implicit:{name}") is IMPLICIT_WEIGHTS[name]
    assert prior_text(IMPLICIT_WEIGHTS[name]) == f"implicit:{name}"


positive = st.floats(1e-6, 1e6)


@settings(deadline=None)
@given(a=positive, b=positive, w=st.floats(0, 1), low=st.floats(0, 0.5), width=st.floats(0.01, 0.5))
def test_round_trip_keeps_every_bit(a: float, b: float, w: float, low: float, width: float) -> None:
    members = [Beta(a, b), Gamma(a, b), Pareto(a, b), Uniform(-a, b), PointMass(-a)]
    members.append(Mixture([Beta(a, b), Truncated(Uniform(0, 1), low, low + width)], [w, 1 - w]))
    for prior in members:
        assert as_prior(prior_text(prior)) == prior


def test_blanks_do_not_matter() -> None:
    assert as_prior("  beta: 2 , 10 @ 0.05 .. 0.5 ") == Truncated(Beta(2, 10), 0.05, 0.5)
    assert as_prior("mixture: 0.5 * point:0   +   0.5 * point:1") == Mixture([PointMass(0), PointMass(1)], [0.5, 0.5])


def test_priors_pass_through() -> None:
    prior = Beta(2, 10)
    assert as_prior(prior) is prior


@pytest.mark.parametrize(
    ("frozen", "native"),
    [
        (stats.beta(2, 10), Beta(2, 10)),
        (stats.beta(a=2, b=10), Beta(2, 10)),
        (stats.uniform(0.25, 0.5), Uniform(0.25, 0.75)),
        (stats.lognorm(0.5), LogNormal(0, 0.5)),
        (stats.gamma(2, scale=0.125), Gamma(2, 8)),
        (stats.expon(scale=0.125), Gamma(1, 8)),
        (stats.pareto(1, scale=0.01), Pareto(1, 0.01)),
    ],
)
def test_frozen_scipy_becomes_native(frozen, native: Prior) -> None:
    prior = as_prior(frozen)
    assert prior == native
    x = [0.01, 0.1, 0.4, 0.9]
    np.testing.assert_allclose(prior.cdf(x), frozen.cdf(x), rtol=1e-12)


def test_shifted_scipy_stays_scipy() -> None:
    prior = as_prior(stats.gamma(2, loc=0.1, scale=0.2))
    assert isinstance(prior, FrozenScipy)
    assert as_prior(prior_text(prior)) == prior
    assert isinstance(as_prior(stats.beta(2, 10, loc=0.1, scale=0.5)), FrozenScipy)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("betta:2,10", "did you mean 'beta'"),
        ("", "unknown family ''"),
        ("beta", "write 'beta:a,b'"),
        ("beta:2", "write 'beta:a,b'"),
        ("beta:2,10,3", "write 'beta:a,b'"),
        ("beta:2,ten", "'ten' is no number"),
        ("beta:2,nan", "'nan' is no number"),
        ("beta:-2,10", "a = -2.0 must be finite and > 0"),
        ("beta:2,10@0.5..0.1", "must be < high"),
        ("beta:2,10@a..0.1", "'a' is no number"),
        ("beta:2,10@0.5", "'10@0.5' is no number"),
        ("mixture:beta:2,10", "write 'mixture:"),
        ("mixture:0.5*beta:2,10", "sum to one"),
        ("implicit:nl", "did you mean 'nll'"),
        ("scipy:weibul_min:1.5", "did you mean 'weibull_min'"),
        ("scipy:weibull_min:", "prior 'scipy:weibull_min:'"),
        ("scipy:poisson:3", "no continuous 'poisson'"),
        ("(beta:2,10", "unknown family"),
    ],
)
def test_bad_text_names_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        as_prior(text)


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Beta\(2, 10\)"):
        as_prior(0.5)


def test_a_distribution_of_ones_own_has_no_text() -> None:
    class Triangle(stats.rv_continuous):
        def _pdf(self, x):
            return 2 * x

    prior = FrozenScipy(Triangle(a=0, b=1, name="triangle")())
    assert prior.partial_mean(0.5) == pytest.approx(2 / 3 * 0.5**3, rel=1e-7)
    with pytest.raises(ValueError, match="no text form"):
        prior_text(prior)
