"""The Beta prior: the default for costs, selection fractions and rescaled factors in (0, 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior, parameter

POLYNOMIAL_LIMIT = 64
"""Largest a + b evaluated as a polynomial; its rounding error grows like (a + b) ulp."""

MIRROR_LIMIT = 100
SMALLEST_MIRRORED = 0.01


def _power(base: FloatArray, exponent: int) -> FloatArray:
    """`base ** exponent` by repeated squaring, several times faster than the general power."""
    result: FloatArray | None = None
    square = base
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return np.ones_like(base) if result is None else result


def _negative_binomial_sum(x: FloatArray, y: FloatArray, power: int, terms: int) -> FloatArray:
    """x^power * sum_{i < terms} C(power + i - 1, i) y^i, by Horner's rule.

    With y = 1 - x this is I_x(power, terms). Every term is positive: nothing cancels.
    """
    total = np.full_like(y, math.comb(power + terms - 2, terms - 1))
    for i in range(terms - 2, -1, -1):
        total *= y
        total += math.comb(power + i - 1, i)
    total *= _power(x, power)
    return total


def _is_polynomial(a: float, b: float) -> bool:
    return a.is_integer() and b.is_integer() and a + b <= POLYNOMIAL_LIMIT


def lower_beta(x: FloatArray, a: float, b: float) -> FloatArray:
    """Regularised incomplete beta function I_x(a, b), x in [0, 1], to full relative accuracy as x -> 0."""
    if _is_polynomial(a, b):
        # Rounding may carry the sum a last digit above one, its limit.
        return np.minimum(_negative_binomial_sum(x, 1 - x, int(a), int(b)), 1.0)
    value: FloatArray = special.betainc(a, b, x)
    return value


def upper_beta(x: FloatArray, a: float, b: float) -> FloatArray:
    """1 - I_x(a, b), x in [0, 1], to full relative accuracy as x -> 1."""
    if _is_polynomial(a, b):
        return np.minimum(_negative_binomial_sum(1 - x, x, int(b), int(a)), 1.0)
    return _mirrored(x, a, b) if a + b <= MIRROR_LIMIT else np.asarray(special.betaincc(a, b, x))


def _mirrored(x: FloatArray, a: float, b: float) -> FloatArray:
    """`betaincc` through the ten times faster `betainc`.

    Where the complement is not small it is a plain difference; elsewhere I_{1-x}(b, a), which is exact for
    x >= 1/2 and costs (a + b) ulp below, as 1 - x is rounded. Only tiny x in the upper tail need betaincc itself.
    """
    upper = 1 - np.asarray(special.betainc(a, b, x))
    small = upper < 0.1
    mirror = small & (x >= SMALLEST_MIRRORED)
    upper[mirror] = special.betainc(b, a, 1 - x[mirror])
    rest = small & ~mirror
    upper[rest] = special.betaincc(a, b, x[rest])
    return upper


@dataclass(frozen=True)
class Beta(Prior):
    """Beta(a, b) on [0, 1]; mode (a - 1)/(a + b - 2) for a, b > 1, and more concentrated as a + b grows.

    With I the regularised incomplete beta function: E[theta 1{theta < x}] = a/(a+b) I_x(a+1, b) and
    E[(1 - theta) 1{theta >= x}] = b/(a+b) (1 - I_x(a, b+1)). Integer a, b are evaluated as polynomials.

    Raises:
        ValueError: a or b not finite and > 0.
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", parameter("Beta", "a", self.a, positive=True))
        object.__setattr__(self, "b", parameter("Beta", "b", self.b, positive=True))

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    @property
    def mode(self) -> float:
        a, b = self.a, self.b
        if a == b >= 1:
            return 0.5
        if min(a, b) > 1:
            return (a - 1) / (a + b - 2)
        return 0.0 if a <= b else 1.0

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def _cdf(self, x: FloatArray) -> FloatArray:
        return lower_beta(np.clip(x, 0, 1), self.a, self.b)

    def _tail(self, x: FloatArray) -> FloatArray:
        return upper_beta(np.clip(x, 0, 1), self.a, self.b)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return self.mean * lower_beta(np.clip(x, 0, 1), self.a + 1, self.b)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return self.mean * upper_beta(np.clip(x, 0, 1), self.a + 1, self.b)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return self.b / (self.a + self.b) * lower_beta(np.clip(x, 0, 1), self.a, self.b + 1)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        return self.b / (self.a + self.b) * upper_beta(np.clip(x, 0, 1), self.a, self.b + 1)

    def _density(self, x: FloatArray) -> FloatArray:
        inside = np.clip(x, 0, 1)
        log_density = (
            special.xlogy(self.a - 1, inside) + special.xlog1py(self.b - 1, -inside) - special.betaln(self.a, self.b)
        )
        return np.where(x == inside, np.exp(log_density), 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        value: FloatArray = special.betaincinv(self.a, self.b, q)
        return value

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        value: FloatArray = special.betainccinv(self.a, self.b, q)
        return value

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.beta(self.a, self.b, size)
