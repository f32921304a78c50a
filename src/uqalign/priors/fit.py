"""A prior from what a domain expert can say: a typical value and a confidence, or two quantiles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy
from scipy import special

from uqalign.priors.base import Prior, parameter
from uqalign.priors.beta import Beta
from uqalign.priors.families import Gamma, LogNormal

Family = Literal["beta", "lognormal", "gamma"]

SOLVED = 1e-18
"""Least-squares cost, in squared log odds, at which a fit counts as exact."""

SMALLEST = 1e-300

LARGEST_RESIDUAL = 1e-6
"""Largest accepted |P(theta <= x) - level| when two quantiles are to be met."""


def beta_from_mode(mode: float, concentration: float) -> Beta:
    """Beta(a, b) with the given mode and concentration a + b > 2.

    Args:
        mode: typical value, strictly between 0 and 1: "a miss costs about ten times as much" is c near 0.1.
        concentration: a + b; 2 is flat, 12 is diffuse, 100 is tight.

    Raises:
        ValueError: mode outside (0, 1) or concentration <= 2.
    """
    mode = parameter("beta_from_mode", "mode", mode)
    concentration = parameter("beta_from_mode", "concentration", concentration)
    if not 0 < mode < 1:
        raise ValueError(f"beta_from_mode: mode = {mode!r} must lie strictly between 0 and 1")
    if not concentration > 2:
        raise ValueError(f"beta_from_mode: concentration = {concentration!r} must be > 2, where the prior is flat")
    return Beta(1 + mode * (concentration - 2), 1 + (1 - mode) * (concentration - 2))


@dataclass(frozen=True)
class QuantileFit:
    """A prior fitted to quantiles; `residual` is the largest |P(theta <= x) - level| over them."""

    prior: Prior
    residual: float


def prior_from_quantiles(family: Family, quantiles: Mapping[float, float]) -> QuantileFit:
    """The member of `family` with the two given quantiles.

    Args:
        family: "beta" on (0, 1), "lognormal" or "gamma" on (0, inf).
        quantiles: two levels in (0, 1) and the values there, such as {0.05: 0.03, 0.95: 0.36}.

    Raises:
        ValueError: unknown family, not two quantiles, values outside the support or not increasing with their
            level, or no member of the family that meets both to 1e-6.
    """
    if family not in get_args(Family):
        raise ValueError(f"family = {family!r}: choose one of {', '.join(get_args(Family))}")
    if len(quantiles) != 2:
        raise ValueError(f"two quantiles fix a {family} prior, got {len(quantiles)}: {dict(quantiles)}")
    (p, low), (q, high) = sorted(
        (parameter("quantiles", "level", level), parameter("quantiles", "value", value))
        for level, value in quantiles.items()
    )
    if not 0 < p < q < 1:
        raise ValueError(f"quantile levels must lie strictly between 0 and 1, got {p!r} and {q!r}")
    end = 1.0 if family == "beta" else math.inf
    if not 0 < low < high < end:
        raise ValueError(f"the {p:g} and {q:g} quantiles must increase within (0, {end:g}), got {low!r} and {high!r}")
    prior = _SOLVERS[family](p, low, q, high)
    residual = float(np.max(np.abs(np.asarray(prior.cdf([low, high])) - [p, q])))
    if residual > LARGEST_RESIDUAL:
        raise ValueError(
            f"no {family} prior meets both quantiles {p:g}: {low!r} and {q:g}: {high!r} "
            f"(nearest: {prior}, off by {residual:.2g}); move them together or apart, or use another family"
        )
    return QuantileFit(prior, residual)


def _lognormal(p: float, low: float, q: float, high: float) -> Prior:
    z_low, z_high = special.ndtri(p), special.ndtri(q)
    log_std = math.log(high / low) / (z_high - z_low)
    return LogNormal(math.log(low) - log_std * z_low, log_std)


def _gamma(p: float, low: float, q: float, high: float) -> Prior:
    target = math.log(high / low)

    def log_ratio_excess(log_shape: float) -> float:
        shape = math.exp(log_shape)
        ends = special.gammaincinv(shape, [p, q])
        return float(np.log(ends[1]) - np.log(ends[0]) - target) if ends[0] > 0 else math.inf

    # The ratio of two quantiles falls as the shape grows, from infinity to one.
    lowest, highest = _bracket(log_ratio_excess, -5.0, 30.0)
    shape = math.exp(scipy.optimize.brentq(log_ratio_excess, lowest, highest, xtol=1e-14, rtol=1e-14))
    return Gamma(shape, float(special.gammaincinv(shape, q)) / high)


def _bracket(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """`low` moved up to where the decreasing `function` is finite, and `high`."""
    while math.isinf(function(low)) and low < high:
        low += 0.25
    return low, high


def _log_odds(probability: float, complement: float) -> float:
    return math.log(max(probability, SMALLEST)) - math.log(max(complement, SMALLEST))


def _beta(p: float, low: float, q: float, high: float) -> Prior:
    def residuals(log_parameters: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
        a, b = np.exp(log_parameters)
        return [
            _log_odds(special.betainc(a, b, x), special.betaincc(a, b, x)) - _log_odds(level, 1 - level)
            for x, level in ((low, p), (high, q))
        ]

    # From the normal approximation on the logit scale, then from a grid of shapes where that leads astray.
    scale = (special.logit(high) - special.logit(low)) / (special.ndtri(q) - special.ndtri(p))
    centre = special.expit(special.logit(low) - scale * special.ndtri(p))
    concentration = 1 / (centre * (1 - centre) * scale**2)
    starts = [(centre * concentration + 0.5, (1 - centre) * concentration + 0.5)]
    starts += itertools.product(np.geomspace(0.05, 50, 7), repeat=2)
    best, cost = Beta(1, 1), math.inf
    for start in starts:
        found = scipy.optimize.least_squares(
            residuals, np.clip(np.log(start), -11, 29), bounds=(-12, 30), xtol=1e-15, ftol=1e-15, gtol=1e-15
        )
        if found.cost < cost:
            best, cost = Beta(*np.exp(found.x)), found.cost
        if cost < SOLVED:
            break
    return best


_SOLVERS: Mapping[str, Callable[[float, float, float, float], Prior]] = {
    "beta": _beta,
    "lognormal": _lognormal,
    "gamma": _gamma,
}
