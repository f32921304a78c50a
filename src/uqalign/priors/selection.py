"""What a prior over the selected fraction q = k/n means on a test set of n rows, with k = ceil(n q)."""

from __future__ import annotations

import math

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior

MASS_TOLERANCE = 1e-9


def selection_weights(prior: Prior, n_test: int) -> FloatArray:
    """P(k) for k = 1 .. n: w_k = P((k - 1)/n < q <= k/n), shape (n,).

    The last entry is the chance of selecting every row: tiny under a prior on few rows, but not zero.

    Raises:
        ValueError: n_test < 1, or a prior with mass outside [0, 1].
    """
    if n_test < 1:
        raise ValueError(f"n_test = {n_test!r} must be at least 1")
    edges = np.arange(n_test + 1) / n_test
    # A fraction of exactly 0 still selects one row.
    edges[0] = np.nextafter(0.0, -1.0)
    weights = np.asarray(prior.interval_mass(edges[:-1], edges[1:]))
    outside = 1 - math.fsum(weights)
    if abs(outside) > MASS_TOLERANCE:
        raise ValueError(
            f"{prior} puts {outside:.3g} of its mass outside 0 <= k/n <= 1: truncate it to [0, 1] (in text: ...@0..1)"
        )
    return weights


def rank_weights(prior: Prior, n_test: int) -> FloatArray:
    """Weight of the j-th ranked row in an expected top-k utility: sum_{k >= j} P(k) / k, shape (n,)."""
    weights = selection_weights(prior, n_test)
    shares = weights / np.arange(1, n_test + 1)
    return np.asarray(np.cumsum(shares[::-1])[::-1])
