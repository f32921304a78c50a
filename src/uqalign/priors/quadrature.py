"""Adaptive quadrature of a distribution and survival function, over many intervals at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqalign.checks import FloatArray

Function = Callable[[FloatArray], FloatArray]

NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(10)
RELATIVE_TOLERANCE = 1e-14
ROUNDING = 4 * np.finfo(np.float64).eps
MOST_BISECTIONS = 60
LEVELS = np.concatenate([10.0 ** np.arange(-12, -2), np.linspace(0.01, 0.5, 50)])


def _panel(function: Function, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Integrals over [low_i, high_i], and how far rounding inside `function` can move each."""
    half = (high - low) / 2
    nodes = low[:, None] + half[:, None] * (1 + NODES)
    # Far out a power inside the function may overflow to its limit.
    with np.errstate(over="ignore"):
        values = function(nodes)
    rise = np.abs(values[:, -1] - values[:, 0])
    size = np.maximum(np.abs(values[:, -1]), np.abs(values[:, 0]))
    noise = ROUNDING * (half * size + np.maximum(np.abs(low), np.abs(high)) * rise)
    return half * (values @ NODE_WEIGHTS), noise


def integrate(function: Function, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrals of a monotone `function` over the intervals [low_i, high_i], each (m,).

    Each interval is bisected until ten-point Gauss-Legendre over a piece and over its halves agree to 1e-14
    of the whole, or to the rounding of the function itself; so kinks and infinite slopes do no harm.
    """
    total = np.zeros_like(low)
    owner = np.arange(len(low))
    whole, _ = _panel(function, low, high)
    tolerance = RELATIVE_TOLERANCE * np.abs(whole)
    most_pieces = 64 * len(low) + 4096
    for bisection in range(MOST_BISECTIONS):
        middle = low + (high - low) / 2
        left, left_noise = _panel(function, low, middle)
        right, right_noise = _panel(function, middle, high)
        error = np.abs(left + right - whole)
        again = error > np.maximum(tolerance[owner], left_noise + right_noise)
        if bisection == MOST_BISECTIONS - 1 or 2 * np.count_nonzero(again) > most_pieces:
            again[:] = False
        np.add.at(total, owner[~again], (left + right)[~again])
        if not again.any():
            break
        owner = np.tile(owner[again], 2)
        low, high = (
            np.concatenate([low[again], middle[again]]),
            np.concatenate([middle[again], high[again]]),
        )
        whole = np.concatenate([left[again], right[again]])
    return total


def _outwards(start: float, step: float, end: float) -> FloatArray:
    """Points from `start` towards `end` at distances step, 4 step, 16 step, ... (as far as floats reach)."""
    sign = math.copysign(1.0, end - start)
    reach = abs(end - start) if math.isfinite(end) else 1e300
    count = max(math.ceil(math.log(reach / step, 4)), 1)
    points = start + sign * np.minimum(step * 4.0 ** np.arange(count + 1), reach)
    return np.asarray(points, dtype=np.float64)


@dataclass(frozen=True)
class TailIntegrals:
    """Integrals of a distribution function from below and its survival function from above, tabulated once.

    Args:
        edges: ascending points (m,) between which the functions are tame; ends bound all mass that matters.
        below: integral of F from edges[0] to each edge.
        above: integral of S from each edge to edges[-1].
    """

    cdf: Function
    sf: Function
    edges: FloatArray
    below: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, distribution: Any) -> TailIntegrals:
        """The table of a frozen continuous scipy distribution."""
        low, high = (float(end) for end in distribution.support())
        lower, upper = distribution.ppf(LEVELS), distribution.isf(LEVELS)
        median, spread = float(lower[-1]), float(upper[-2] - lower[-2])
        points = np.concatenate(
            [lower, upper, _outwards(median, spread, low), _outwards(median, spread, high), [low, high]]
        )
        edges = np.unique(points[np.isfinite(points) & (points >= low) & (points <= high)])
        f_panels = integrate(distribution.cdf, edges[:-1], edges[1:])
        s_panels = integrate(distribution.sf, edges[:-1], edges[1:])
        return cls(
            distribution.cdf,
            distribution.sf,
            edges,
            np.concatenate([[0.0], np.cumsum(f_panels)]),
            np.concatenate([np.cumsum(s_panels[::-1])[::-1], [0.0]]),
        )

    def _place(self, x: FloatArray) -> tuple[FloatArray, Any]:
        flat = np.clip(x, self.edges[0], self.edges[-1]).ravel()
        return flat, np.clip(np.searchsorted(self.edges, flat, side="right") - 1, 0, len(self.edges) - 2)

    def from_below(self, x: FloatArray) -> FloatArray:
        """Integral of F over (-inf, x], for x within the edges."""
        flat, index = self._place(x)
        value = self.below[index] + integrate(self.cdf, self.edges[index], flat)
        return np.reshape(value, x.shape)

    def from_above(self, x: FloatArray) -> FloatArray:
        """Integral of S over [x, inf), for x within the edges."""
        flat, index = self._place(x)
        value = self.above[index + 1] + integrate(self.sf, flat, self.edges[index + 1])
        return np.reshape(value, x.shape)
