"""Means over repeats that share their data: the corrected resampled t of Nadeau and Bengio (2003).

Repeats of a cross-validation draw on the same rows, so the variance of their mean is not S^2 / J. Taking the
correlation of two repeats to be the test share of the data, n_test / (n_test + n_train), it is

    (1 / J + n_test / n_train) S^2,

with S^2 the sample variance over the J repeats, and the mean is compared with Student's t on J - 1 degrees of freedom.
Read as a posterior, the same t gives the probability that a mean difference is positive (Corani and Benavoli 2015).
The correlation is assumed, not estimated; docs/alignment.md measures what the intervals cover.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from uqalign.checks import FloatArray, IntArray


@dataclass(frozen=True)
class ResampledMean:
    """Means over correlated repeats.

    Attributes:
        mean: (...) means of the values that exist; NaN if none does.
        std_error: (...) corrected standard errors; NaN with fewer than two values.
        count: (...) values that exist.
    """

    mean: FloatArray
    std_error: FloatArray
    count: IntArray

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of the t interval; NaN with fewer than two values.

        Raises:
            ValueError: level not in (0, 1).
        """
        if not 0 < level < 1:
            raise ValueError(f"level must lie in (0, 1), got {level}")
        reach = stdtrit(np.maximum(self.count - 1, 1), (1 + level) / 2) * self.std_error
        return self.mean - reach, self.mean + reach

    def probability_positive(self) -> FloatArray:
        """(...) probability that the mean is above 0; one half where every value is 0."""
        return np.where(np.isnan(self.std_error), np.nan, stdtr(np.maximum(self.count - 1, 1), self._t()))

    def p_value(self) -> FloatArray:
        """(...) two-sided p-value of a mean of 0; 1 where every value is 0."""
        tail = stdtr(np.maximum(self.count - 1, 1), -np.abs(self._t()))
        return np.where(np.isnan(self.std_error), np.nan, 2 * tail)

    def _t(self) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((self.mean == 0) & (self.std_error == 0), 0.0, self.mean / self.std_error)


def resampled_mean(values: npt.ArrayLike, *, test_train_ratio: float) -> ResampledMean:
    """Mean over the last axis with the corrected standard error sqrt((1 / J + n_test / n_train) S^2).

    Args:
        values: (..., J) one value per repeat; NaN where undefined, which counts as absent.
        test_train_ratio: n_test / n_train of one split, 1 / (folds - 1) in a cross-validation; 0 for independent
            values, which gives the usual t.

    Raises:
        ValueError: no axis of repeats, infinite values, or a ratio that is negative or not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or np.isinf(array).any():
        raise ValueError("values must be arrays of finite numbers (or NaN) with the repeats along the last axis")
    if not 0 <= test_train_ratio < np.inf:
        raise ValueError(f"test_train_ratio must be finite and >= 0, got {test_train_ratio}")
    present = ~np.isnan(array)
    count: IntArray = present.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(present, array, 0).sum(axis=-1) / count
        deviations = np.where(present, array - mean[..., None], 0)
        # Equal values whose mean is rounded have no spread.
        size = np.max(np.abs(array), axis=-1, initial=0, where=present)
        deviations = np.where(np.abs(deviations) <= 1e-15 * size[..., None], 0, deviations)
        variance = np.where(count > 1, (deviations**2).sum(axis=-1) / (count - 1), np.nan)
        error = np.sqrt((1 / count + test_train_ratio) * variance)
    return ResampledMean(mean, error, count)
