"""The interface of a prior over one decision parameter theta (a cost, a fraction k/n, a risk aversion).

A prior-weighted utility needs a prior only through a few partial integrals, so a family that supplies them
gives every metric exactly. The inequalities are part of the contract: they settle what happens at an atom.

* A decision maker acts iff f > c, so with prediction f the loss on y = 1 is
  E[(1 - c) 1{c >= f}] = `upper_partial(f)` and the loss on y = 0 is E[c 1{c < f}] = `partial_mean(f)`.
* A selective predictor abstains iff its variance s > lambda, so it predicts with probability
  P(lambda >= s) = `tail(s)` and pays E[lambda 1{lambda < s}] = `partial_mean(s)` for abstaining.
* k = ceil(n q), so P(k) = P((k - 1)/n < q <= k/n) = `interval_mass((k - 1)/n, k/n)`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray


class NotAProbabilityError(ValueError):
    """A mean, quantile or sample was asked of a weight that is no probability distribution."""


def evaluate(hook: Callable[[FloatArray], FloatArray], x: npt.ArrayLike, name: str = "x") -> FloatArray:
    """`hook` on `x` as a float64 array of at least one dimension, in the shape of `x` (a float for a scalar).

    Raises:
        ValueError: `x` is not numeric or holds NaN.
    """
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or an array of numbers, got {x!r}") from None
    if np.isnan(array).any():
        raise ValueError(f"{name} holds NaN: drop or fix these entries first")
    result: FloatArray = np.asarray(hook(np.atleast_1d(array)), dtype=np.float64).reshape(array.shape)[()]
    return result


def parameter(owner: str, name: str, value: float, *, positive: bool = False, finite: bool = True) -> float:
    """`value` as a float, if it is a number, finite unless told otherwise, and > 0 where asked.

    Raises:
        ValueError: otherwise; names the prior, the parameter, the value and what it must be.
    """
    must = " and ".join(part for part, asked in (("finite", finite), ("> 0", positive)) if asked) or "a number"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{owner}: {name} = {value!r} must be {must}") from None
    if math.isnan(number) or (finite and math.isinf(number)) or (positive and number <= 0):
        raise ValueError(f"{owner}: {name} = {number!r} must be {must}")
    return number


class Prior(ABC):
    """A distribution of one decision parameter theta.

    Members are frozen dataclasses. Every method that takes `x` accepts a scalar or an array of any shape, in
    the unit of theta and anywhere on the real line, and returns float64 of that shape.

    Subclasses implement the underscored hooks on arrays; a distribution without atoms needs `_cdf`, `_tail`,
    `_partial_mean`, `_upper_mean`, `_density`, `_quantile`, `_sample`, `mean`, `mode` and `support`.
    """

    is_probability: ClassVar[bool] = True
    """False for the weights behind classical scores, which have partial integrals but no mean or quantile."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """E[theta]; `inf` where the integral diverges."""

    @property
    @abstractmethod
    def mode(self) -> float:
        """Where the density is highest: the lowest such point, or the centre of a flat density."""

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Lower and upper end of the support."""

    @property
    def total_mass(self) -> float:
        """Mass of the whole line: 1 for a probability."""
        return 1.0

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(theta <= x), closed at x."""
        return evaluate(self._cdf, x)

    def tail(self, x: npt.ArrayLike) -> FloatArray:
        """P(theta >= x), closed at x, accurate far in the upper tail; cdf(x) + tail(x) = 1 + P(theta = x)."""
        return evaluate(self._tail, x)

    def partial_mean(self, x: npt.ArrayLike) -> FloatArray:
        """E[theta 1{theta < x}], open at x."""
        return evaluate(self._partial_mean, x)

    def upper_mean(self, x: npt.ArrayLike) -> FloatArray:
        """E[theta 1{theta >= x}] = mean - partial_mean(x), accurate far in the upper tail."""
        return evaluate(self._upper_mean, x)

    def upper_partial(self, x: npt.ArrayLike) -> FloatArray:
        """E[(1 - theta) 1{theta >= x}] = tail(x) - upper_mean(x), accurate where the two nearly cancel."""
        return evaluate(self._upper_partial, x)

    def interval_mass(self, low: npt.ArrayLike, high: npt.ArrayLike) -> FloatArray:
        """P(low < theta <= high), taken from the lower or the upper tail, whichever loses no digits.

        Args:
            low, high: arrays that broadcast against each other, low <= high.

        Raises:
            ValueError: low > high somewhere, or NaN.
        """
        lower, upper = np.broadcast_arrays(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))
        if not (lower <= upper).all():
            raise ValueError("interval_mass needs low <= high everywhere, and no NaN")
        mass = self._interval_mass(np.atleast_1d(lower), np.atleast_1d(upper))
        result: FloatArray = mass.reshape(lower.shape)[()]
        return result

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """Density at x: 0 outside the support, `inf` at a pole or an atom."""
        return evaluate(self._density, x)

    def quantile(self, q: npt.ArrayLike) -> FloatArray:
        """Smallest x with P(theta <= x) >= q, for q in [0, 1]; the ends of the support at 0 and 1.

        Raises:
            ValueError: q outside [0, 1].
        """

        def checked(levels: FloatArray) -> FloatArray:
            if ((levels < 0) | (levels > 1)).any():
                raise ValueError("quantile levels must lie in [0, 1]")
            low, high = self.support
            ends = np.where(levels == 0, low, high)
            return np.where((levels == 0) | (levels == 1), ends, self._quantile(levels))

        return evaluate(checked, q, "q")

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Independent draws of theta, shape `size`, from the generator `rng`.

        Raises:
            TypeError: `rng` is not a numpy Generator.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy Generator such as numpy.random.default_rng(0), got {rng!r}")
        return np.asarray(self._sample(size, rng), dtype=np.float64)

    @abstractmethod
    def _cdf(self, x: FloatArray) -> FloatArray:
        """P(theta <= x)."""

    @abstractmethod
    def _tail(self, x: FloatArray) -> FloatArray:
        """P(theta >= x)."""

    def _below(self, x: FloatArray) -> FloatArray:
        """P(theta < x)."""
        return self._cdf(x)

    def _above(self, x: FloatArray) -> FloatArray:
        """P(theta > x)."""
        return self._tail(x)

    def _interval_mass(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """P(low < theta <= high)."""
        at_most, above = self._cdf(low), self._above(low)
        return np.where(at_most > above, above - self._above(high), self._cdf(high) - at_most)

    @abstractmethod
    def _partial_mean(self, x: FloatArray) -> FloatArray:
        """E[theta 1{theta < x}]."""

    @abstractmethod
    def _upper_mean(self, x: FloatArray) -> FloatArray:
        """E[theta 1{theta >= x}]."""

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        """E[(1 - theta) 1{theta < x}]."""
        return self._below(x) - self._partial_mean(x)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        """E[(1 - theta) 1{theta >= x}]."""
        return self._tail(x) - self._upper_mean(x)

    @abstractmethod
    def _density(self, x: FloatArray) -> FloatArray:
        """Density at x."""

    @abstractmethod
    def _quantile(self, q: FloatArray) -> FloatArray:
        """Quantiles at levels in [0, 1]."""

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        """Smallest x with P(theta > x) <= q; overridden where small q keep their digits."""
        return self._quantile(1 - q)

    @abstractmethod
    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Draws of shape `size`."""
