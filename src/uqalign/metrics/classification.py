"""Validated class probabilities, and what every classification metric reads off them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from uqalign.checks import FloatArray, IntArray, binary_rows, multiclass_rows

_EXACT_BELOW = 2.0**-20


class ClassRows(NamedTuple):
    """Class indices `y` (n,), `p` (n,) of class 1 or (n, K) with K >= 3, and weights (None: all one)."""

    y: IntArray
    p: FloatArray
    weight: FloatArray | None

    @property
    def multiclass(self) -> bool:
        return self.p.ndim == 2

    def predicted(self) -> IntArray:
        """Hard labels: 1[p > 1/2], or the most probable class with the lowest index on ties."""
        label: IntArray = np.argmax(self.p, axis=1) if self.multiclass else (self.p > 0.5).astype(np.intp)
        return label

    def wrong(self) -> npt.NDArray[np.bool_]:
        """Whether the hard label differs from the class that happened."""
        return np.not_equal(self.predicted(), self.y)

    def uncertainty(self) -> FloatArray:
        """A score (n,) that orders rows as predictive entropy does, without saturating near certainty.

        Binary: 1 - max(p, 1 - p), of which entropy is an increasing function. Multiclass: entropy in nats.
        """
        if self.multiclass:
            # Sorted, so that rows with the same probabilities in another class order tie to the last bit.
            entropy: FloatArray = entr(np.sort(self.p, axis=1)).sum(axis=1)
            return entropy
        complement = 1.0 - self.p
        # 1 - (1 - p) puts p on the grid of 1 - p, so that 0.3 and 0.7 tie; far below that grid p keeps its
        # own bits.
        low = np.where(self.p < _EXACT_BELOW, self.p, 1.0 - complement)
        return np.where(self.p > 0.5, complement, low)


def class_rows(y_true: Any, p: Any, *, labels: Sequence[Any] | None, sample_weight: Any) -> ClassRows:
    """Rows of a classification problem: binary for `p` of shape (n,) or (n, 2), multiclass for (n, K >= 3).

    Raises:
        ValueError: as `uqalign.checks.binary_rows` and `multiclass_rows`.
    """
    probability = np.asarray(p)
    read = multiclass_rows if probability.ndim == 2 and probability.shape[1] > 2 else binary_rows
    rows = read(y_true, probability, labels=labels, sample_weight=sample_weight)
    return ClassRows(rows.y.astype(np.intp), rows.prediction[0], rows.weight)
