"""The same prior with its mode moved: one perturbation per family for sensitivity checks."""

from __future__ import annotations

import math
from functools import singledispatch

from uqalign.priors.base import Prior, parameter
from uqalign.priors.beta import Beta
from uqalign.priors.composite import Mixture, Truncated
from uqalign.priors.families import Gamma, LogNormal, Pareto, Uniform
from uqalign.priors.fit import beta_from_mode
from uqalign.priors.point import PointMass
from uqalign.priors.scipy_adapter import FrozenScipy


def shift_mode(prior: Prior, factor: float) -> Prior:
    """`prior` with its mode multiplied by `factor` (0.5 and 1.5 for a shift of 50 %) at equal concentration.

    Beta keeps a + b (without an inner mode its mean is moved instead); scale families keep their shape and
    move as a whole; Uniform keeps its width; Truncated and Mixture move what they are made of, not their
    bounds and weights. A Beta mode or mean that would reach 1 stops halfway between where it was and 1.

    Raises:
        ValueError: factor not finite and > 0.
        TypeError: a prior of a kind that cannot be moved.
    """
    return _shift(prior, parameter("shift_mode", "factor", factor, positive=True))


def _moved_fraction(value: float, factor: float) -> float:
    return value * factor if value * factor < 1 else (1 + value) / 2


@singledispatch
def _shift(prior: Prior, factor: float) -> Prior:
    raise TypeError(f"shift_mode knows no shift for {prior!r}: build the shifted prior yourself")


@_shift.register
def _(prior: Beta, factor: float) -> Prior:
    concentration = prior.a + prior.b
    if min(prior.a, prior.b) > 1:
        return beta_from_mode(_moved_fraction(prior.mode, factor), concentration)
    mean = _moved_fraction(prior.mean, factor)
    return Beta(mean * concentration, (1 - mean) * concentration)


@_shift.register
def _(prior: Uniform, factor: float) -> Prior:
    shift = prior.mean * (factor - 1)
    low, high = prior.support
    # An interval within [0, 1] stays there: it stops at the end it reaches.
    if low >= 0:
        shift = max(shift, -low)
    if low >= 0 and high <= 1:
        shift = min(shift, 1 - high)
    return Uniform(low + shift, high + shift)


@_shift.register
def _(prior: LogNormal, factor: float) -> Prior:
    return LogNormal(prior.log_mean + math.log(factor), prior.log_std)


@_shift.register
def _(prior: Gamma, factor: float) -> Prior:
    return Gamma(prior.shape, prior.rate / factor)


@_shift.register
def _(prior: Pareto, factor: float) -> Prior:
    return Pareto(prior.shape, prior.scale * factor)


@_shift.register
def _(prior: PointMass, factor: float) -> Prior:
    value = prior.value
    return PointMass(_moved_fraction(value, factor) if 0 <= value <= 1 else value * factor)


@_shift.register
def _(prior: FrozenScipy, factor: float) -> Prior:
    frozen = prior.distribution
    shapes, location, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    return FrozenScipy(frozen.dist(*shapes, loc=location * factor, scale=scale * factor))


@_shift.register
def _(prior: Truncated, factor: float) -> Prior:
    return Truncated(_shift(prior.prior, factor), prior.low, prior.high)


@_shift.register
def _(prior: Mixture, factor: float) -> Prior:
    return Mixture([_shift(component, factor) for component in prior.components], prior.weights)
