"""Exact expected utility of a risk-averse top-k decision by the crossings of the ranking lines.

The rank of row i changes only where its line crosses another one, and between crossings its payoff is linear in the
aversion factor g. With w_i(g) the worth of the row's place, its part of the expected utility telescopes:

    int w_i(g) (gain_i - g charge_i) dpi(g) = w_i(0+) H_i(0) + sum over crossings x of (w_i after - w_i before) H_i(x),

where H_i(x) = gain_i P(g >= x) - charge_i E[g 1{g >= x}]. Lines that cross in one point share x, so the order in which
their steps are taken has no effect.
"""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.priors import Prior
from uqalign.pwu.lines import Lines
from uqalign.pwu.rank_weights import RankWeights

PAIRS_AT_ONCE = 1 << 17
"""Pairs of lines compared in one block: memory stays within ten megabytes however many rows there are."""


def exact_utility(lines: Lines, ranks: RankWeights, prior: Prior) -> float:
    """E[U] over k and the aversion factor g ~ prior, exact up to rounding.

    Time O(n^2 + C log C) for n lines with C crossings inside the prior's support, memory O(n).
    """
    whole = lines.whole
    start_worth = ranks.span(lines.above, lines.size, whole)
    total = [float(np.sum(start_worth * (lines.gain - lines.charge * prior.mean)))]
    rows = max(1, min(PAIRS_AT_ONCE // len(lines), np.iinfo(np.uint16).max))
    for first in range(0, len(lines), rows):
        block = slice(first, min(first + rows, len(lines)))
        total.append(_block_changes(lines, ranks, prior, block, start_worth, whole))
    return float(np.sum(total))


def _block_changes(
    lines: Lines, ranks: RankWeights, prior: Prior, block: slice, start_worth: FloatArray, whole: bool
) -> float:
    """Sum over the crossings of the lines in `block` of (worth after - worth before) H(x)."""
    row, other, x = crossings_of(lines, block, prior.support[1])
    if len(x) == 0:
        return 0.0
    line = row + block.start
    # A line falls behind those that started below it and overtakes those that started above.
    step = np.where(other > line, lines.size[other], -lines.size[other])
    is_first = np.concatenate([[True], row[1:] != row[:-1]])
    starts = np.flatnonzero(is_first)
    moved = np.cumsum(step)
    moved -= np.repeat((moved - step)[starts], np.diff(starts, append=len(row)))
    size = lines.size[line]
    worth = ranks.span(lines.above[line] + moved, size, whole)
    before = np.concatenate([[0.0], worth[:-1]])
    before[starts] = start_worth[line[starts]]
    remaining = lines.gain[line] * prior.tail(x) - lines.charge[line] * prior.upper_mean(x)
    return float(np.sum((worth - before) * remaining))


def crossings_of(lines: Lines, block: slice, high: float) -> tuple[IntArray, IntArray, FloatArray]:
    """Crossings of the lines in `block` at 0 < g < high: line within the block, other line, g; sorted by line, g."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at = lines.level[block, None] - lines.level
        at /= lines.slope[block, None] - lines.slope
    crossing = (at > 0) & (at < high)
    row, other = np.nonzero(crossing)
    x = at[crossing]
    order = np.argsort(x)
    # numpy sorts 16-bit keys stably in linear time, several times faster than one sort by both keys.
    order = order[np.argsort(row[order].astype(np.uint16), kind="stable")]
    return row[order], other[order], x[order]


def crossings_up_to(lines: Lines, high: float, limit: int) -> int:
    """Number of pairs of lines that change order between g = 0 and g = high; counting stops once it exceeds `limit`."""
    n = len(lines)
    if np.isinf(high):
        end = np.lexsort((-lines.level, lines.slope))
    else:
        end = np.lexsort((lines.slope, high * lines.slope - lines.level))
    # Merge sort, all runs of one length at a time; the padding sorts to the end and inverts nothing.
    runs = np.arange(1 << max(n - 1, 1).bit_length(), dtype=np.int64)
    runs[:n] = end
    length = len(runs)
    inversions, width = 0, 1
    while width < length and inversions <= limit:
        halves = runs.reshape(-1, 2, width)
        offset = np.arange(len(halves))[:, None] * length
        left, right = (halves[:, 0] + offset).ravel(), (halves[:, 1] + offset).ravel()
        smaller = np.searchsorted(left, right).reshape(len(halves), width)
        inversions += int(np.sum(width * np.arange(1, len(halves) + 1)[:, None] - smaller))
        runs = np.sort(runs.reshape(-1, 2 * width), axis=1).ravel()
        width *= 2
    return inversions
