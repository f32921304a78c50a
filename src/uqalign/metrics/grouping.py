"""Sums over groups and over ranked rows that give the same bits in every row order."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from uqalign.checks import FloatArray, IntArray, exact_sum


def group_sums(values: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Correctly rounded sum of `values` (n,) within each of a few groups 0..n_groups-1."""
    order = np.argsort(group, kind="stable")
    ordered = values[order]
    bounds = np.searchsorted(group[order], np.arange(n_groups + 1))
    return np.array([exact_sum(ordered[a:b]) for a, b in pairwise(bounds)])


class Blocks(NamedTuple):
    """Rows in ascending order of a key, grouped where the key ties.

    Attributes:
        key: distinct keys (m,), ascending.
        size: rows in each block (m,).
        weight: summed weight of each block (m,).
        total: weighted sum of the value in each block (m,).
    """

    key: FloatArray
    size: IntArray
    weight: FloatArray
    total: FloatArray


def tie_blocks(key: FloatArray, value: FloatArray, weight: FloatArray | None) -> Blocks:
    """Sort rows by `key` (n,); sum `value` and `weight` over ties, independent of row order bit for bit."""
    counted = np.ones_like(value) if weight is None else weight
    # Rows that agree in all three are interchangeable, so this order, and every sum taken along it, is
    # canonical.
    order = np.lexsort((counted, value, key))
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return Blocks(
        key=ordered[starts],
        size=np.diff(np.append(starts, len(key))),
        weight=np.add.reduceat(counted[order], starts),
        total=np.add.reduceat((counted * value)[order], starts),
    )
