"""Ranking rows without caring in which order they were stored.

Rows of equal score form a block, and every row of a block carries the block's mean: the expectation over a uniformly
random order of the tied rows. A sample weight counts repetitions here: a row of weight 2 takes two places of the
ranking, a row of weight 0 none, and a row of weight 0.5 half a place.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from uqalign.checks import FloatArray, IntArray, exact_sum

WHOLE_TOLERANCE = 1e-9
"""A total weight this close (relatively) to a whole number is taken to be that number: 30 weights of 0.1 make 3."""


LARGEST_TOTAL = 2.0**53
"""Beyond it a row more or less is lost in rounding; below its inverse the weights are no numbers of rows."""


class Ties(NamedTuple):
    """Rows in ascending order of a key, grouped where the key ties.

    Attributes:
        key: distinct keys (m,), ascending.
        size: rows in each group (m,).
        weight: summed weight of each group (m,); its size without weights.
        total: weighted sum of the value in each group (m,).
    """

    key: FloatArray
    size: IntArray
    weight: FloatArray
    total: FloatArray


class Blocks(NamedTuple):
    """Blocks of tied rows in ranking order: weight ranked above each, weight in it, and its weighted mean payoff."""

    above: FloatArray
    size: FloatArray
    payoff: FloatArray


def total_weight(n: int, weight: FloatArray | None) -> float:
    """Number of places in a ranking of `n` rows: n, or the sum of the weights.

    Raises:
        ValueError: weights whose sum is no number of rows (beyond 2^53, or below 2^-53).
    """
    if weight is None:
        return float(n)
    total = exact_sum(weight)
    if not 1 / LARGEST_TOTAL <= total <= LARGEST_TOTAL:
        raise ValueError(f"sample_weight sums to {total:g} rows, but counts repetitions of rows here: rescale it")
    whole = float(round(total))
    return whole if abs(total - whole) <= WHOLE_TOLERANCE * total else total


def selected_count(n: int, share: float) -> int:
    """k = ceil(n * share), at least 1, for a share of `n` rows in [0, 1].

    The smallest k with k/n >= share as floats: `n * share` itself may round to the other side of a whole number.

    Raises:
        ValueError: a share outside [0, 1], or NaN.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share = {share!r}: the selected share k/n must lie in [0, 1]")
    k = max(math.ceil(n * share), 1)
    while k > 1 and (k - 1) / n >= share:
        k -= 1
    while k / n < share:
        k += 1
    return k


def sorted_starts(order: IntArray, *keys: FloatArray) -> IntArray:
    """Positions in the sorted order where at least one of the `keys` changes value."""
    changed = np.zeros(len(order), dtype=bool)
    changed[0] = True
    for key in keys:
        values = key[order]
        changed[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(changed)


def group_ties(key: FloatArray, value: FloatArray, weight: FloatArray | None) -> Ties:
    """Sort rows by `key` (n,); sum `value` and `weight` over ties, independent of row order bit for bit."""
    if weight is None and bool(((value == 0) | (value == 1)).all()):
        # Counts are exact in floating point, so tied labels may come in any order.
        order = np.argsort(key)
    else:
        # Rows that agree in all of these are interchangeable, so every sum along this order is canonical.
        order = np.lexsort((value, key) if weight is None else (weight, value, key))
    starts = sorted_starts(order, key)
    size = np.diff(starts, append=len(key))
    ordered = value[order]
    if weight is None:
        return Ties(key[order[starts]], size, size.astype(np.float64), np.add.reduceat(ordered, starts))
    counted = weight[order]
    return Ties(
        key=key[order[starts]],
        size=size,
        weight=np.add.reduceat(counted, starts),
        total=np.add.reduceat(counted * ordered, starts),
    )


def tie_blocks(score: FloatArray, payoff: FloatArray, weight: FloatArray | None) -> Blocks:
    """Blocks of rows with equal `score`, highest first."""
    ties = group_ties(-score, payoff, weight)
    return Blocks(np.cumsum(ties.weight) - ties.weight, ties.weight, ties.total / ties.weight)


def top_mean(blocks: Blocks, k: float) -> float:
    """Mean payoff of the first `k` places, a block that straddles the edge counting in proportion."""
    taken = np.clip(k - blocks.above, 0.0, blocks.size)
    some = taken > 0  # a payoff of minus infinity further down costs nothing
    return exact_sum(blocks.payoff[some] * taken[some]) / k + 0.0


def places(k: Any, n: int, weight: FloatArray | None) -> int:
    """`k` as a number of places in a ranking of `n` rows.

    Raises:
        ValueError: k not a whole number, below 1, or above n (with sample weights: above their sum).
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise ValueError(f"k = {k!r}: k must be a whole number of selected rows (k = ceil(n * share))")
    if k < 1:
        raise ValueError(f"k = {k}: k must be at least 1")
    total = total_weight(n, weight)
    if k > total:
        rows = f"n = {n} rows" if weight is None else f"total sample weight {total:g} of the n = {n} rows"
        raise ValueError(f"k = {k} exceeds the {rows}: choose k <= {math.floor(total)}")
    return int(k)
