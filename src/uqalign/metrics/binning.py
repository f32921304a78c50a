"""Assignment of probabilities to bins, for calibration errors and reliability curves."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.ranking import group_ties

Binning = Literal["equal_width", "equal_mass"]


def check_binning(n_bins: int, binning: str) -> None:
    """Refuse bin counts below one and unknown binnings."""
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins = {n_bins!r}: n_bins must be an integer >= 1")
    if binning not in get_args(Binning):
        raise ValueError(f"binning must be one of {', '.join(get_args(Binning))}, got {binning!r}")


def assign_bins(p: FloatArray, weight: FloatArray | None, n_bins: int, binning: Binning) -> IntArray:
    """Bin 0..n_bins-1 of each probability (n,).

    equal_width: (i / n_bins, (i + 1) / n_bins], and p = 0 in the first bin. equal_mass: by the weighted mid-rank of
    the value, so that equal values always share a bin.
    """
    if binning == "equal_width":
        upper = np.arange(1, n_bins + 1) / n_bins
        return np.searchsorted(upper, p, side="left")
    blocks = group_ties(p, p, weight)
    above = np.cumsum(blocks.weight)
    middle = above - blocks.weight / 2
    bins = np.minimum((middle / above[-1] * n_bins).astype(np.intp), n_bins - 1)
    binned: IntArray = bins[np.searchsorted(blocks.key, p)]
    return binned
