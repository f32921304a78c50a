"""What the first places of a ranking are worth under many priors of the selected share at once."""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray
from uqalign.sensitivity.betas import BetaGrid


class PlaceTable:
    """Running sums of the place weights W_j = sum_{k >= j} P(k) / k, k = ceil(n q), for every prior of q.

    Tables are kept by n: the folds of a data set have one or two sizes.
    """

    def __init__(self, priors: BetaGrid) -> None:
        self.priors = priors
        self._tables: dict[int, FloatArray] = {}

    def running(self, n: int) -> FloatArray:
        """W_1 + ... + W_j for j = 0..n, shape (n + 1, priors)."""
        if n not in self._tables:
            k = np.arange(1, n + 1)
            masses = np.diff(self.priors.cdf(k / n), axis=0, prepend=0.0)
            place = np.cumsum((masses / k[:, None])[::-1], axis=0)[::-1]
            self._tables[n] = np.concatenate([np.zeros((1, place.shape[1])), np.cumsum(place, axis=0)])
        return self._tables[n]
