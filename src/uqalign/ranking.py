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


class Blocks(NamedTuple):
    """Blocks of tied rows in ranking order: weight ranked above each, weight in it, and its weighted mean payoff."""

    above: FloatArray
    size: FloatArray
    payoff: FloatArray


def total_weight(n: int, weight: FloatArray | None) -> float:
    """Number of places in a ranking of `n` rows: n, or the sum of the weights."""
    if weight is None:
        return float(n)
    total = exact_sum(weight)
    whole = float(round(total))
    return whole if abs(total - whole) <= WHOLE_TOLERANCE * total else total


def selected_count(n: int, share: float) -> int:
    """k = ceil(n * share), at least 1, for a share of `n` rows in (0, 1].

    A share that is k/n as a float gives k, although `n * share` may round to just above it.
    """
    nearest = round(n * share)
    if nearest >= 1 and nearest / n == share:
        return nearest
    return min(max(math.ceil(n * share), 1), n)


def sorted_starts(order: IntArray, *keys: FloatArray) -> IntArray:
    """Positions in the sorted order where at least one of the `keys` changes value."""
    changed = np.zeros(len(order), dtype=bool)
    changed[0] = True
    for key in keys:
        values = key[order]
        changed[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(changed)


def tie_blocks(score: FloatArray, payoff: FloatArray, weight: FloatArray | None) -> Blocks:
    """Blocks of rows with equal `score`, highest first."""
    if weight is None and bool(((payoff == 0) | (payoff == 1)).all()):
        # Counts are exact in floating point, so tied labels may come in any order.
        order = np.argsort(-score)
    else:
        keys = (payoff, -score) if weight is None else (weight, payoff, -score)
        order = np.lexsort(keys)
    starts = sorted_starts(order, score)
    ordered = payoff[order]
    if weight is None:
        size = np.diff(starts, append=len(score)).astype(np.float64)
        total = np.add.reduceat(ordered, starts)
    else:
        ordered_weight = weight[order]
        size = np.add.reduceat(ordered_weight, starts)
        total = np.add.reduceat(ordered * ordered_weight, starts)
    return Blocks(np.cumsum(size) - size, size, total / size)


def top_mean(blocks: Blocks, k: float) -> float:
    """Mean payoff of the first `k` places, a block that straddles the edge counting in proportion."""
    taken = np.clip(k - blocks.above, 0.0, blocks.size)
    return exact_sum(blocks.payoff * taken) / k + 0.0


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
