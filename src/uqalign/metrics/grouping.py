"""Sums over groups that give the same bits in every row order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from uqalign.checks import FloatArray, IntArray, exact_sum


def group_sums(values: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Correctly rounded sum of `values` (n,) within each of a few groups 0..n_groups-1."""
    order = np.argsort(group, kind="stable")
    ordered = values[order]
    bounds = np.searchsorted(group[order], np.arange(n_groups + 1))
    return np.array([exact_sum(ordered[a:b]) for a, b in pairwise(bounds)])
