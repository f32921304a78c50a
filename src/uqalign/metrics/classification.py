"""Validated class probabilities, and what every classification metric reads off them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from uqalign.checks import FloatArray, IntArray, binary_rows, multiclass_rows


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

        Binary: min(p, 1 - p), of which entropy is an increasing function. Multiclass: entropy in nats. Values that
        agree to ten significant digits are made equal: 1 - 0.7 is not 0.3 in floating point, but ties with it.
        """
        if self.multiclass:
            # Sorted, so that the same probabilities in another class order sum to the same bits.
            return _ten_digits(entr(np.sort(self.p, axis=1)).sum(axis=1))
        return _ten_digits(np.minimum(self.p, 1.0 - self.p))


def _ten_digits(values: FloatArray) -> FloatArray:
    """`values` rounded to 33 binary digits, whatever their magnitude."""
    mantissa, exponent = np.frexp(values)
    rounded: FloatArray = np.ldexp(np.rint(np.ldexp(mantissa, 33)), exponent - 33)
    return rounded


def class_rows(y_true: Any, p: Any, *, labels: Sequence[Any] | None, sample_weight: Any) -> ClassRows:
    """Rows of a classification problem: binary for `p` of shape (n,) or (n, 2), multiclass for (n, K >= 3).

    Raises:
        ValueError: as `uqalign.checks.binary_rows` and `multiclass_rows`.
    """
    probability = np.asarray(p)
    read = multiclass_rows if probability.ndim == 2 and probability.shape[1] > 2 else binary_rows
    rows = read(y_true, probability, labels=labels, sample_weight=sample_weight)
    return ClassRows(rows.y.astype(np.intp), rows.prediction[0], rows.weight)
