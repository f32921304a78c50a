"""Expected risk-averse top-k utilities under many priors of the share and of the aversion, from one sweep.

The crossings of the ranking lines (see `uqalign.pwu.crossings`) depend on no prior. They are found once per split:

* under any prior of the share, the expected utility is a sum over the places of a ranking, and what each crossing adds
  to a place does not depend on that prior;
* under any prior of the aversion, it is a sum over crossings x of P(g >= x) and E[g 1{g >= x}], and what they are
  multiplied by does not depend on that prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.priors import Beta
from uqalign.pwu.crossings import PAIRS_AT_ONCE, crossings_of
from uqalign.pwu.lines import Lines
from uqalign.scale import scalar_variance
from uqalign.sensitivity.betas import EXACT_VALUES, BetaGrid
from uqalign.sensitivity.grid import ALL_LEVELS
from uqalign.sensitivity.places import PlaceTable


class Moves(NamedTuple):
    """Crossings: the line that moves, the numbers of rows above it before and after, and the aversion x at which."""

    line: IntArray
    before: IntArray
    after: IntArray
    x: FloatArray


def moves(lines: Lines, high: float) -> Iterator[Moves]:
    """Every move of every line at 0 < x < high, block by block of lines: memory stays bounded."""
    size, above = lines.size.astype(np.intp), lines.above.astype(np.intp)
    rows = max(1, min(PAIRS_AT_ONCE // len(lines), np.iinfo(np.uint16).max))
    for first in range(0, len(lines), rows):
        row, other, x = crossings_of(lines, slice(first, min(first + rows, len(lines))), high)
        if len(x) == 0:
            continue
        line = row + first
        # A line falls behind those that started below it and overtakes those that started above.
        step = np.where(other > line, size[other], -size[other])
        starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        moved = np.cumsum(step)
        moved -= np.repeat((moved - step)[starts], np.diff(starts, append=len(row)))
        after = above[line] + moved
        yield Moves(line, after - step, after, x)


class RiskAverse:
    """Expected utilities of splits, added one by one.

    Args:
        places: tables under the priors of the share, the published ones (`ALL_LEVELS`) last.
        aversions: priors of the aversion factor, the published ones last.
        published: the published priors of the aversion factor.
        n_splits: number of splits to come.
    """

    def __init__(self, places: PlaceTable, aversions: BetaGrid, published: Sequence[Beta], n_splits: int) -> None:
        self.places = places
        self.aversions = aversions
        self.published = published
        self.error = 0.0
        self._interpolate_above = EXACT_VALUES // max(n_splits, 1)
        self._values: list[tuple[FloatArray, FloatArray, FloatArray]] = []

    def add(self, y: FloatArray, mean: FloatArray, var: FloatArray) -> str:
        """Add a split; returns why its values are undefined, or ""."""
        n_levels = len(ALL_LEVELS)
        n_grid = len(self.aversions.a) - n_levels
        variance = scalar_variance(y, None)
        note = "" if variance else "y_true is constant, so aversion has no scale"
        if variance:
            with np.errstate(over="ignore"):
                lines = Lines.from_rows(y, mean, var, var, None, 1 / math.sqrt(variance))
            if not np.isfinite([lines.slope, lines.charge, lines.gain]).all():
                note = "aversion times variance exceeds the largest float"
        if note:
            self._values.append(tuple(np.full(size, math.nan) for size in (n_grid, n_grid, n_levels)))  # type: ignore[arg-type]
            return note
        running = self.places.running(len(y))
        by_place, by_aversion = self._sweep(lines, running[:, -n_levels])
        levels = np.einsum("lj,jl->l", by_place, running[:, -n_levels:])
        self._values.append((by_place[0] @ running[:, :n_grid], by_aversion[:n_grid], levels))
        return ""

    def _sweep(self, lines: Lines, base: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The two sums of one split.

        Args:
            base: (n + 1,) running place weights under the published prior of the share.

        Returns:
            by_place: (levels, n + 1) factor of each running place weight, under each published prior of the aversion.
            by_aversion: (priors,) expected utility under each prior of the aversion.
        """
        size, above = lines.size.astype(np.intp), lines.above.astype(np.intp)
        start = base[above + size] - base[above]
        by_place = np.stack([self._at_start(lines, above, size, prior, len(base)) for prior in self.published])
        by_aversion = float(start @ lines.gain) - float(start @ lines.charge) * self.aversions.mean
        for move in moves(lines, 1.0):
            reach = size[move.line]
            gain, charge = lines.gain[move.line], lines.charge[move.line]
            for level, prior in enumerate(self.published):
                rest = gain * prior.tail(move.x) - charge * prior.upper_mean(move.x)
                for position, sign in ((move.after, 1), (move.before, -1)):
                    by_place[level] += sign * np.bincount(position + reach, rest, minlength=len(base))
                    by_place[level] -= sign * np.bincount(position, rest, minlength=len(base))
            worth = base[move.after + reach] - base[move.after] - base[move.before + reach] + base[move.before]
            by_aversion += self._remaining(move.x, worth * gain, worth * charge)
        return by_place, by_aversion

    @staticmethod
    def _at_start(lines: Lines, above: IntArray, size: IntArray, prior: Beta, places: int) -> FloatArray:
        payoff = lines.gain - lines.charge * prior.mean
        first = np.bincount(above + size, payoff, minlength=places) - np.bincount(above, payoff, minlength=places)
        return np.asarray(first, dtype=np.float64)

    def _remaining(self, x: FloatArray, gain: FloatArray, charge: FloatArray) -> FloatArray:
        """Sum over crossings of gain P(g >= x) - charge E[g 1{g >= x}], for each prior of the aversion."""
        priors, n = self.aversions, len(x)
        group = np.repeat(np.arange(2), n)
        interpolate = n > self._interpolate_above
        sums = priors.sums(np.tile(x, 2), np.concatenate([gain, charge]), group, 2, interpolate=interpolate)
        if sums.error:
            self.error = max(self.error, sums.error * float(np.sum(np.abs(gain)) + np.sum(np.abs(charge))))
        tail = sums.weight[0] - sums.cdf[0]
        upper_mean = priors.mean * (sums.weight[1] - sums.cdf[1] + sums.kernel[1] / priors.a)
        return np.asarray(tail - upper_mean)

    def values(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(splits, points) by share and by aversion, and (splits, levels)."""
        if not self._values:
            n_levels = len(ALL_LEVELS)
            n_grid = len(self.aversions.a) - n_levels
            return np.empty((0, n_grid)), np.empty((0, n_grid)), np.empty((0, n_levels))
        by_share, by_aversion, levels = (np.stack(parts) for parts in zip(*self._values, strict=True))
        return by_share, by_aversion, levels
