"""Sums of partial integrals of many Beta priors at once.

Every expected utility here is linear in I_x(a, b) and D = x^a (1 - x)^b / B(a, b) over the rows: from them follow
P(theta >= x) = 1 - I, E[theta 1{theta < x}] = m (I - D / a) and E[(1 - theta) 1{theta >= x}] = (1 - m)(1 - I - D / b)
with m = a / (a + b), good to 1e-15 absolutely. So rows are summed first: equal x share one evaluation, and where there
are very many x, cubic Hermite interpolation between fixed nodes turns their sum into a sum over the nodes. Its largest
error, measured midway between all nodes, is reported.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from uqalign.checks import FloatArray, IntArray

CELLS = 2048
"""Intervals of the interpolation, even in arcsin(sqrt(x)), where no Beta density is narrow."""

EXACT_VALUES = 8192
"""Distinct x up to which every one is evaluated: twice the cost of the nodes."""

AT_ONCE = 4096
SAFETY = 2.0


class Sums(NamedTuple):
    """Weighted sums over rows, by group: of I_x(a, b) and of D (groups, priors), and of the weights (groups,).

    `error` bounds by how much an interpolated partial integral of one row is off; 0 where nothing is interpolated.
    """

    cdf: FloatArray
    kernel: FloatArray
    weight: FloatArray
    error: float


@dataclass(frozen=True, eq=False)
class BetaGrid:
    """Beta(a, b) priors, as arrays a and b (priors,), each >= 1."""

    a: FloatArray
    b: FloatArray

    @cached_property
    def mean(self) -> FloatArray:
        """m = a / (a + b)."""
        return self.a / (self.a + self.b)

    def cdf(self, x: FloatArray) -> FloatArray:
        """I_x(a, b), shape (len(x), priors), for x in [0, 1]."""
        # Down the columns: the shape parameters stay the same from one evaluation to the next.
        return np.asarray(special.betainc(self.a[:, None], self.b[:, None], x).T, dtype=np.float64)

    def kernel(self, x: FloatArray) -> FloatArray:
        """D = x^a (1 - x)^b / B(a, b), shape (len(x), priors)."""
        with np.errstate(divide="ignore"):
            log_x, log_y = np.log(x), np.log1p(-x)
        exponent = log_x[:, None] * self.a + log_y[:, None] * self.b - special.betaln(self.a, self.b)
        return np.asarray(np.exp(exponent, out=exponent))

    def sums(
        self,
        x: FloatArray,
        weight: FloatArray,
        group: IntArray,
        n_groups: int,
        *,
        interpolate: bool | None = None,
    ) -> Sums:
        """Weighted sums over rows.

        Args:
            x: (n,) in [0, 1].
            weight: (n,) finite, of any sign.
            group: (n,) number of each row's group.
            n_groups: number of groups.
            interpolate: force or forbid interpolation; by default from `EXACT_VALUES` distinct x on.
        """
        total = np.bincount(group, weight, minlength=n_groups).astype(np.float64)
        if interpolate:
            return self._interpolated(x, weight, group, n_groups, total)
        values, inverse = np.unique(x, return_inverse=True)
        if interpolate is None and len(values) > EXACT_VALUES:
            return self._interpolated(x, weight, group, n_groups, total)
        cdf, kernel = np.zeros((2, n_groups, len(self.a)))
        order = np.argsort(inverse, kind="stable")
        edges = np.searchsorted(inverse[order], np.arange(0, len(values) + AT_ONCE, AT_ONCE))
        for number, (start, stop) in enumerate(itertools.pairwise(edges)):
            block = slice(number * AT_ONCE, (number + 1) * AT_ONCE)
            rows, some = order[start:stop], values[block]
            cell = group[rows] * len(some) + (inverse[rows] - block.start)
            at = np.bincount(cell, weight[rows], minlength=n_groups * len(some)).reshape(n_groups, len(some))
            cdf += at @ self.cdf(some)
            kernel += at @ self.kernel(some)
        return Sums(cdf, kernel, total, 0.0)

    def _interpolated(
        self, x: FloatArray, weight: FloatArray, group: IntArray, n_groups: int, total: FloatArray
    ) -> Sums:
        position = np.arcsin(np.sqrt(x)) * (2 * CELLS / math.pi)
        left = np.minimum(position.astype(np.intp), CELLS - 1)
        width = CELLS + 1
        flat = group * width + left

        def spread(share: tuple[FloatArray, FloatArray]) -> FloatArray:
            at = [np.bincount(flat + side, weight * share[side], minlength=n_groups * width) for side in (0, 1)]
            return (at[0] + at[1]).reshape(n_groups, width).astype(np.float64)

        value, slope = hermite(position - left)
        at_value, at_slope = spread(value), spread(slope)
        nodes = self._nodes
        cdf = at_value @ nodes.cdf + at_slope @ nodes.cdf_slope
        kernel = at_value @ nodes.kernel + at_slope @ nodes.kernel_slope
        return Sums(cdf, kernel, total, nodes.error)

    @cached_property
    def _nodes(self) -> _Nodes:
        angle: FloatArray = np.linspace(0, math.pi / 2, CELLS + 1)
        x = np.sin(angle) ** 2
        x[-1] = 1.0
        cdf, kernel = self.cdf(x), self.kernel(x)
        with np.errstate(divide="ignore", invalid="ignore"):
            # d/d angle, in units of a cell: dI = 2 D / sqrt(x (1 - x)), dD = dI (a (1 - x) - b x).
            slope = (math.pi / CELLS) * kernel / np.sqrt(x * (1 - x))[:, None]
        slope[[0, -1]] = 0.0
        kernel_slope = slope * (self.a * (1 - x)[:, None] - self.b * x[:, None])
        nodes = _Nodes(cdf, slope, kernel, kernel_slope, 0.0)
        return nodes._replace(error=SAFETY * self._largest_error(nodes, angle))

    def _largest_error(self, nodes: _Nodes, angle: FloatArray) -> float:
        """Largest error of a tail, a partial mean or an upper partial integral midway between neighbouring nodes."""
        middle = np.sin((angle[:-1] + angle[1:]) / 2) ** 2
        (h0, h1), (g0, g1) = hermite(np.float64(0.5))
        off = (
            h0 * array[:-1] + h1 * array[1:] + g0 * slope[:-1] + g1 * slope[1:] - true
            for array, slope, true in (
                (nodes.cdf, nodes.cdf_slope, self.cdf(middle)),
                (nodes.kernel, nodes.kernel_slope, self.kernel(middle)),
            )
        )
        cdf, kernel = off
        worst = np.maximum(np.abs(cdf), np.abs(self.mean * (cdf - kernel / self.a)))
        return float(np.max(np.maximum(worst, np.abs((1 - self.mean) * (cdf + kernel / self.b)))))


class _Nodes(NamedTuple):
    """Values and slopes (per cell) at the nodes, each (nodes, priors), and the largest error in between."""

    cdf: FloatArray
    cdf_slope: FloatArray
    kernel: FloatArray
    kernel_slope: FloatArray
    error: float


def hermite(
    part: npt.NDArray[np.float64] | np.float64,
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Cubic Hermite shares of the two ends of a cell at `part` of the way: of their values, and of their slopes."""
    t = np.asarray(part)
    rest = 1 - t
    return (rest * rest * (1 + 2 * t), t * t * (3 - 2 * t)), (t * rest * rest, -t * t * rest)
