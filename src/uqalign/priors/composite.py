"""Priors built from priors: truncation to an interval and finite mixtures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors.base import NotAProbabilityError, Prior, parameter
from uqalign.priors.modes import highest_density
from uqalign.priors.point import PointMass

Hook = Callable[[FloatArray], FloatArray]

WEIGHT_TOLERANCE = 1e-9
"""Largest accepted distance of a mixture's weights from a sum of one."""


def _refuse_improper(owner: str, prior: Prior) -> None:
    if not isinstance(prior, Prior):
        raise TypeError(f"{owner} needs a Prior, got {prior!r}: convert it with as_prior")
    if not prior.is_probability:
        raise NotAProbabilityError(f"{owner} needs a proper prior, got {prior}")


@dataclass(frozen=True)
class Truncated(Prior):
    """`prior` given that theta lies in the closed interval [low, high].

    With Z = P(low <= theta <= high) and g = clip(x, low, high), every partial integral is the difference of
    the prior's own between g and the end of the interval, over Z, taken from the tail that loses no digits.

    Raises:
        ValueError: low >= high, or the prior has no mass there.
    """

    prior: Prior
    low: float
    high: float

    def __post_init__(self) -> None:
        _refuse_improper("Truncated", self.prior)
        object.__setattr__(self, "low", parameter("Truncated", "low", self.low, finite=False))
        object.__setattr__(self, "high", parameter("Truncated", "high", self.high, finite=False))
        if not self.low < self.high:
            raise ValueError(f"Truncated: low = {self.low!r} must be < high = {self.high!r}")
        if not self._mass > 0:
            raise ValueError(
                f"Truncated: {self.prior} has no mass in [{self.low!r}, {self.high!r}]; widen the interval"
            )

    def _between(self, lower: Hook, upper: Hook, u: FloatArray, v: FloatArray) -> FloatArray:
        """Integral over u <= theta < v, from the partial integrals over theta < x and theta >= x."""
        from_below = lower(v) - lower(u)
        in_upper_half = self.prior._tail(u) < 0.5
        if not in_upper_half.any() or not math.isfinite(self.prior.mean):
            return from_below
        return np.where(in_upper_half, upper(u) - upper(v), from_below)

    @cached_property
    def _end_atom(self) -> float:
        """P(theta = high)."""
        at = np.array([self.high])
        return float((self.prior._tail(at) - self.prior._above(at))[0])

    @cached_property
    def _mass(self) -> float:
        low, high = np.array([self.low]), np.array([self.high])
        inside = self._between(self.prior._below, self.prior._tail, low, high)
        return float(inside[0]) + self._end_atom

    def _end_share(self, integrand: float) -> float:
        """Contribution of an atom at `high`; an infinite end without one contributes nothing."""
        return self._end_atom * integrand if self._end_atom else 0.0

    def _lower(self, lower: Hook, upper: Hook, x: FloatArray, end: float) -> FloatArray:
        """Integral over low <= theta < x, over Z; `end` is the integrand at `high`, where an atom may lie."""
        g = np.clip(x, self.low, self.high)
        inside = self._between(lower, upper, np.full_like(g, self.low), g)
        return (inside + np.where(x > self.high, self._end_share(end), 0.0)) / self._mass

    def _upper(self, lower: Hook, upper: Hook, x: FloatArray, end: float) -> FloatArray:
        """Integral over max(x, low) <= theta <= high, over Z."""
        g = np.clip(x, self.low, self.high)
        inside = self._between(lower, upper, g, np.full_like(g, self.high))
        return (inside + np.where(x <= self.high, self._end_share(end), 0.0)) / self._mass

    @property
    def mean(self) -> float:
        return float(self._partial_mean(np.array([math.inf]))[0])

    @property
    def mode(self) -> float:
        return highest_density(self, [self.prior.mode])

    @property
    def support(self) -> tuple[float, float]:
        low, high = self.prior.support
        return max(low, self.low), min(high, self.high)

    def _below(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._lower(self.prior._below, self.prior._tail, x, 1.0), 1.0)

    def _tail(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._upper(self.prior._below, self.prior._tail, x, 1.0), 1.0)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._below(x) + self._at(x), 1.0)

    def _above(self, x: FloatArray) -> FloatArray:
        return np.maximum(self._tail(x) - self._at(x), 0.0)

    def _at(self, x: FloatArray) -> FloatArray:
        atoms = (self.prior._tail(x) - self.prior._above(x)) / self._mass
        return np.where((x >= self.low) & (x <= self.high), atoms, 0.0)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return self._lower(self.prior._partial_mean, self.prior._upper_mean, x, self.high)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return self._upper(self.prior._partial_mean, self.prior._upper_mean, x, self.high)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return self._lower(self.prior._lower_partial, self.prior._upper_partial, x, 1 - self.high)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        return self._upper(self.prior._lower_partial, self.prior._upper_partial, x, 1 - self.high)

    def _density(self, x: FloatArray) -> FloatArray:
        inside = (x >= self.low) & (x <= self.high)
        return np.where(inside, self.prior._density(x) / self._mass, 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        low = np.array([self.low])
        if float(self.prior._tail(low)[0]) < 0.5:
            value = self.prior._upper_quantile(np.maximum(self.prior._tail(low) - q * self._mass, 0.0))
        else:
            value = self.prior._quantile(np.minimum(self.prior._below(low) + q * self._mass, 1.0))
        return np.clip(value, *self.support)

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return self._quantile(rng.random(size))


@dataclass(frozen=True)
class Mixture(Prior):
    """theta comes from `components[j]` with probability `weights[j]`.

    A mixture of PointMass members is a finite list of scenarios with their probabilities.

    Raises:
        ValueError: no components, lengths that differ, or weights that are negative or do not sum to one.
    """

    components: tuple[Prior, ...]
    weights: tuple[float, ...]

    def __init__(self, components: Sequence[Prior], weights: Sequence[float]) -> None:
        object.__setattr__(self, "components", tuple(components))
        object.__setattr__(self, "weights", tuple(parameter("Mixture", "weight", w) for w in weights))
        if not self.components or len(self.components) != len(self.weights):
            raise ValueError(
                f"Mixture needs one weight per component, got {len(self.components)} components "
                f"and {len(self.weights)} weights"
            )
        for component in self.components:
            _refuse_improper("Mixture", component)
        total = math.fsum(self.weights)
        if min(self.weights) < 0 or abs(total - 1) > WEIGHT_TOLERANCE:
            raise ValueError(f"Mixture weights must be >= 0 and sum to one, got {self.weights}, sum {total!r}")

    def _combined(self, parts: Sequence[FloatArray]) -> FloatArray:
        # A weight of zero removes its component even where that is infinite.
        terms = [w * part for w, part in zip(self.weights, parts, strict=True) if w > 0]
        return np.asarray(np.sum(terms, axis=0), dtype=np.float64)

    @property
    def mean(self) -> float:
        return float(self._combined([np.array([c.mean]) for c in self.components])[0])

    @property
    def mode(self) -> float:
        # The density may jump where a component begins or ends.
        return highest_density(self, [x for c in self.components for x in (c.mode, *c.support)])

    @property
    def support(self) -> tuple[float, float]:
        ends = [c.support for c, w in zip(self.components, self.weights, strict=True) if w > 0]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._combined([c._cdf(x) for c in self.components]), 1.0)

    def _tail(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._combined([c._tail(x) for c in self.components]), 1.0)

    def _below(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._combined([c._below(x) for c in self.components]), 1.0)

    def _above(self, x: FloatArray) -> FloatArray:
        return np.minimum(self._combined([c._above(x) for c in self.components]), 1.0)

    def _interval_mass(self, low: FloatArray, high: FloatArray) -> FloatArray:
        return self._combined([c._interval_mass(low, high) for c in self.components])

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return self._combined([c._partial_mean(x) for c in self.components])

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return self._combined([c._upper_mean(x) for c in self.components])

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return self._combined([c._lower_partial(x) for c in self.components])

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        return self._combined([c._upper_partial(x) for c in self.components])

    def _density(self, x: FloatArray) -> FloatArray:
        return self._combined([c._density(x) for c in self.components])

    def _quantile(self, q: FloatArray) -> FloatArray:
        return self._bisected(lambda x: self._cdf(x) >= q, [c._quantile(q) for c in self.components])

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        return self._bisected(lambda x: self._above(x) <= q, [c._upper_quantile(q) for c in self.components])

    def _bisected(self, reached: Callable[[FloatArray], object], ends: Sequence[FloatArray]) -> FloatArray:
        """Smallest double at which `reached` holds; it lies between the components' own quantiles."""
        used = [end for end, w in zip(ends, self.weights, strict=True) if w > 0]
        low, high = np.min(used, axis=0), np.max(used, axis=0)
        high = np.where(np.asarray(reached(low)), low, high)
        while True:
            with np.errstate(invalid="ignore"):
                middle = low + (high - low) / 2
            inside = (middle > low) & (middle < high)
            if not inside.any():
                return np.asarray(high, dtype=np.float64)
            found = np.asarray(reached(middle))
            high = np.where(inside & found, middle, high)
            low = np.where(inside & ~found, middle, low)

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        choice = rng.choice(len(self.components), size, p=np.array(self.weights) / math.fsum(self.weights))
        draws = np.empty(np.shape(choice))
        for j, component in enumerate(self.components):
            chosen = choice == j
            draws[chosen] = component._sample((int(np.count_nonzero(chosen)),), rng)
        return draws


def parts(prior: Prior) -> list[tuple[float, Prior]]:
    """`prior` as probabilities and members that are either a PointMass or free of atoms."""
    if isinstance(prior, Mixture):
        return [
            (weight * share, part)
            for weight, component in zip(prior.weights, prior.components, strict=True)
            if weight > 0
            for share, part in parts(component)
        ]
    if isinstance(prior, Truncated):
        inside = [(share * _mass_within(prior, part), part) for share, part in parts(prior.prior)]
        total = math.fsum(mass for mass, _ in inside)
        return [
            (mass / total, part if isinstance(part, PointMass) else Truncated(part, prior.low, prior.high))
            for mass, part in inside
            if mass > 0
        ]
    return [(1.0, prior)]


def _mass_within(truncated: Truncated, part: Prior) -> float:
    if isinstance(part, PointMass):
        return float(truncated.low <= part.value <= truncated.high)
    return float(part.interval_mass(truncated.low, truncated.high))
