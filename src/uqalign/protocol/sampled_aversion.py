"""Mean risk-averse payoff over many draws of (k, gamma), without ranking the rows anew for each draw.

Between two crossings of the ranking lines mean - gamma var the order of the rows is the same, so the mean over draws
telescopes over the crossings as the exact expectation does (`uqalign.pwu.crossings`): when a row falls from place k to
place k + 1, it leaves the selection of those draws that select k rows and whose gamma lies beyond the crossing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, IntArray, exact_sum
from uqalign.pwu.crossings import PAIRS_AT_ONCE, crossings_of
from uqalign.pwu.lines import Lines
from uqalign.ranking import sorted_starts

AT_ONCE = 1 << 21
"""Numbers held at a time while rows are ranked draw by draw: sixteen megabytes."""


class Rows(NamedTuple):
    """Rows that are ranked by mean - gamma var and pay y - gamma charged; each (n,)."""

    y: FloatArray
    mean: FloatArray
    var: FloatArray
    charged: FloatArray


def sampled_utility(rows: Rows, k: IntArray, gamma: FloatArray, *, argsort: bool) -> float:
    """Mean over draws of the payoff of the k[d] first rows at aversion gamma[d] >= 0.

    Rows of one mean and variance are tied at every gamma. They share their mean payoff, or with `argsort` come in the
    order of `np.argsort(-score)`; other rows tie with probability zero.

    Args:
        k: (d,) numbers of rows in 1 .. n.
        gamma: (d,) aversions.
    """
    order, starts, shared = _shared(rows)
    total = _swept(shared, order, k, gamma)
    tied = np.diff(starts, append=len(order)) > 1
    if argsort and tied.any():
        cut = _cutting(rows, order, starts, tied, k, gamma)
        total += exact_sum(_ranked(rows, k[cut], gamma[cut]) - _ranked(shared, k[cut], gamma[cut]))
    return total / len(k)


def _shared(rows: Rows) -> tuple[IntArray, IntArray, Rows]:
    """Order of the rows just above gamma = 0, where its blocks of tied rows start, and the rows with shared payoffs."""
    order = np.lexsort((rows.charged, rows.y, rows.var, -rows.mean))
    starts = sorted_starts(order, rows.mean, rows.var)
    if len(starts) == len(order):
        return order, starts, rows
    counts = np.diff(starts, append=len(order))
    y, charged = np.empty_like(rows.y), np.empty_like(rows.y)
    for payoff, values in ((y, rows.y), (charged, rows.charged)):
        payoff[order] = np.repeat(np.add.reduceat(values[order], starts) / counts, counts)
    return order, starts, rows._replace(y=y, charged=charged)


def _swept(rows: Rows, order: IntArray, k: IntArray, gamma: FloatArray) -> float:
    """Sum over draws of the payoff of rows whose ties share theirs."""
    n = len(order)
    places = np.arange(n, dtype=np.float64)
    ones = np.ones(n)
    mean, var, gain, charge = rows.mean[order], rows.var[order], rows.y[order], rows.charged[order]
    lines = Lines(level=mean, slope=var, gain=gain, charge=charge, size=ones, above=places)
    start = (np.cumsum(gain)[k - 1] - gamma * np.cumsum(charge)[k - 1]) / k
    sums = [exact_sum(start)]
    by_count = _draws_by_count(k, gamma)
    high = np.nextafter(gamma.max(), np.inf)
    step = max(1, min(PAIRS_AT_ONCE // n, np.iinfo(np.uint16).max))
    for first in range(0, n, step):
        sums.append(_changes(lines, slice(first, min(first + step, n)), by_count, float(high)))
    return exact_sum(np.array(sums))


def _draws_by_count(k: IntArray, gamma: FloatArray) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Per k, the draws' gammas in ascending order and the sums of those from each position on."""
    found = {}
    for count in np.unique(k):
        ascending = np.sort(gamma[k == count])
        found[int(count)] = ascending, np.append(np.cumsum(ascending[::-1])[::-1], 0.0)
    return found


def _changes(lines: Lines, block: slice, by_count: dict[int, tuple[FloatArray, FloatArray]], high: float) -> float:
    """What the crossings of the lines in `block` change in the sum over draws."""
    row, other, x = crossings_of(lines, block, high)
    if len(x) == 0:
        return 0.0
    line = row + block.start
    falls = other > line
    step = np.where(falls, 1, -1)
    starts = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
    moved = np.cumsum(step)
    moved -= np.repeat((moved - step)[starts], np.diff(starts, append=len(row)))
    # From place p (counted from 0) a line falls out of the selections of p + 1 rows, or rises into those of p.
    count = line + moved + np.where(falls, 0, 1)
    present = np.isin(count, np.fromiter(by_count, dtype=np.int64))
    order = np.flatnonzero(present)
    if len(order) == 0:
        return 0.0
    order = order[np.argsort(count[order], kind="stable")]
    bounds = sorted_starts(order, count.astype(np.float64))
    total = []
    for begin, end in zip(bounds, np.append(bounds[1:], len(order)), strict=True):
        part = order[begin:end]
        size = int(count[part[0]])
        ascending, beyond = by_count[size]
        position = np.searchsorted(ascending, x[part], side="right")
        payoff = lines.gain[line[part]] * (len(ascending) - position) - lines.charge[line[part]] * beyond[position]
        total.append(float(np.sum(np.where(falls[part], -payoff, payoff))) / size)
    return exact_sum(np.array(total))


def _cutting(
    rows: Rows, order: IntArray, starts: IntArray, tied: npt.NDArray[np.bool_], k: IntArray, gamma: FloatArray
) -> npt.NDArray[np.bool_]:
    """(d,) whether the last of the k[d] places falls inside a block of tied rows at gamma[d]."""
    sizes = np.diff(starts, append=len(order))
    cut = np.zeros(len(k), dtype=bool)
    for start, size in zip(starts[tied], sizes[tied], strict=True):
        row = order[start]
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (rows.mean - rows.mean[row]) / (rows.var - rows.var[row])
        ahead = (rows.mean > rows.mean[row]) | ((rows.mean == rows.mean[row]) & (rows.var < rows.var[row]))
        passed = np.searchsorted(np.sort(x[(x > 0) & ahead]), gamma)
        overtaken = np.searchsorted(np.sort(x[(x > 0) & ~ahead]), gamma)
        above = np.count_nonzero(ahead) - passed + overtaken
        cut |= (above < k) & (k < above + size)
    return cut


def _ranked(rows: Rows, k: IntArray, gamma: FloatArray) -> FloatArray:
    """(d,) payoff of each draw, its rows ranked by an unstable sort."""
    payoffs = np.empty(len(k))
    step = max(1, AT_ONCE // len(rows.y))
    for first in range(0, len(k), step):
        part = slice(first, first + step)
        aversion = gamma[part, None]
        order = np.argsort(-(rows.mean - aversion * rows.var), axis=1)
        sums = np.cumsum(rows.y[order] - aversion * rows.charged[order], axis=1)
        payoffs[part] = sums[np.arange(len(sums)), k[part] - 1] / k[part]
    return payoffs
