"""What a prior over the selected fraction q = k/n means on a test set of n rows, with k = ceil(n q).

P(k) = P((k-1)/n < q <= k/n), and the expected top-k utility is a sum over the places j of a ranking of
W_j y_(j) with W_j = sum_{k >= j} P(k) / k.
"""

from __future__ import annotations

import math

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior

MASS_TOLERANCE = 1e-9


def capacities(total: float) -> FloatArray:
    """The numbers of places 1, 2, ... that may be selected of `total`; the last is `total`, whole or not."""
    return np.minimum(np.arange(1, math.ceil(total) + 1), total)


def capacity_edges(total: float) -> FloatArray:
    """Shares q between which k = ceil(total q) is one of `capacities`: from just below 0 up to 1."""
    # A share of exactly 0 still selects one row.
    return np.concatenate([[np.nextafter(0.0, -1.0)], capacities(total) / total])


def place_worth(masses: FloatArray, total: float) -> FloatArray:
    """W_j = sum_{k >= j} P(k) / k for the places j of a ranking, from P(k) over `capacities`."""
    return np.asarray(np.cumsum((masses / capacities(total))[::-1])[::-1])


def selection_weights(prior: Prior, n_test: int) -> FloatArray:
    """P(k) for k = 1 .. n: w_k = P((k - 1)/n < q <= k/n), shape (n,).

    The last entry is the chance of selecting every row: tiny under a prior on few rows, but not zero.

    Raises:
        ValueError: n_test < 1, or a prior with mass outside [0, 1].
    """
    if n_test < 1:
        raise ValueError(f"n_test = {n_test!r} must be at least 1")
    edges = capacity_edges(n_test)
    weights = np.asarray(prior.interval_mass(edges[:-1], edges[1:]))
    outside = 1 - math.fsum(weights)
    if abs(outside) > MASS_TOLERANCE:
        raise ValueError(
            f"{prior} puts {outside:.3g} of its mass outside 0 <= k/n <= 1: truncate it to [0, 1] (in text: ...@0..1)"
        )
    return weights


def rank_weights(prior: Prior, n_test: int) -> FloatArray:
    """Weight of the j-th ranked row in an expected top-k utility: sum_{k >= j} P(k) / k, shape (n,)."""
    return place_worth(selection_weights(prior, n_test), n_test)
