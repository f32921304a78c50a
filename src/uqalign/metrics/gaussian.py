"""Scoring rules for univariate Gaussian predictions: negative log likelihood, squared error, CRPS.

Predictions are a mean and a variance per row, both (n,); `std=` takes standard deviations instead of
variances. Losses: lower is better.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erf

from uqalign.checks import (
    FloatArray,
    Reduction,
    check_reduction,
    float_array,
    gaussian_rows,
    reduced,
    refuse,
    sample_weights,
    warn_undefined,
)

_LOG_SQRT_TWO_PI = 0.5 * math.log(2 * math.pi)


class GaussianRows(NamedTuple):
    """Residuals y - mean and standard deviations, both (n,), and weights (None: all one)."""

    residual: FloatArray
    std: FloatArray
    weight: FloatArray | None

    def standardised(self) -> FloatArray:
        """residual / std; 0 where both vanish, infinite where only std does."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.divide(self.residual, self.std, out=np.zeros_like(self.residual), where=self.residual != 0)


def residual_rows(y_true: Any, mean: Any, var: Any, std: Any, sample_weight: Any) -> GaussianRows:
    """Rows of a Gaussian prediction given by its variance or its standard deviation (exactly one of the two).

    Raises:
        ValueError: none or both given, invalid targets, means, spreads or weights.
    """
    if (var is None) == (std is None):
        raise ValueError("give either var (variances) or std= (standard deviations), not both or neither")
    if std is None:
        rows = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
        return GaussianRows(rows.y - rows.prediction[0], np.sqrt(rows.prediction[1]), rows.weight)
    deviation = float_array(std, "std", ndim=1)
    rows = gaussian_rows(y_true, mean, np.zeros(len(deviation)), sample_weight=sample_weight)
    weight = sample_weights(sample_weight, len(deviation))
    counted = np.ones(len(deviation), dtype=bool) if weight is None else weight > 0
    refuse("std", deviation, counted & ~(np.isfinite(deviation) & (deviation >= 0)), "finite and >= 0")
    return GaussianRows(rows.y - rows.prediction[0], deviation[counted], rows.weight)


def gaussian_nll(
    y_true: Any,
    mean: Any,
    var: Any = None,
    *,
    std: Any = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Gaussian negative log likelihood, log(2 pi var) / 2 + (y - mean)^2 / (2 var), in nats. Strictly proper.

    A zero variance scores -infinity where y equals the mean and +infinity elsewhere; a mean over both is
    undefined.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,), in the target's unit.
        var: predictive variances (n,), in its square.
        std: standard deviations (n,) instead of `var`.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the loss of every row.

    Raises:
        ValueError: both or neither of var and std, a negative spread, NaN, shapes that disagree, invalid
            weights.
    """
    check_reduction(reduction, sample_weight)
    rows = residual_rows(y_true, mean, var, std, sample_weight)
    loss = 0.5 * rows.standardised() ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(np.isinf(loss), loss, loss + np.log(rows.std) + _LOG_SQRT_TWO_PI)
    if reduction == "mean" and (loss == np.inf).any() and (loss == -np.inf).any():
        return warn_undefined("gaussian_nll", "zero variances score -infinity in one row and +infinity in another")
    return reduced(loss, rows.weight, reduction)


def mean_squared_error(
    y_true: Any, mean: Any, var: Any = None, *, sample_weight: Any = None, reduction: Reduction = "mean"
) -> Any:
    """Mean of (y - mean)^2, in the square of the target's unit. Proper, and blind to the variance.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: validated and otherwise ignored, so that all regression metrics take the same prediction.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the loss of every row.

    Raises:
        ValueError: NaN, shapes that disagree, invalid weights.
    """
    check_reduction(reduction, sample_weight)
    spread = np.zeros(len(np.asarray(mean))) if var is None else var
    rows = residual_rows(y_true, mean, spread, None, sample_weight)
    return reduced(rows.residual**2, rows.weight, reduction)


def crps_gaussian(
    y_true: Any,
    mean: Any,
    var: Any = None,
    *,
    std: Any = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Continuous ranked probability score of a Gaussian, in the target's unit. Strictly proper.

    std * (z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi)) with z = (y - mean) / std; |y - mean| where std is 0
    (Gneiting and Raftery 2007, eq. 21).

    Raises:
        ValueError: both or neither of var and std, a negative spread, NaN, shapes that disagree, invalid
            weights.
    """
    check_reduction(reduction, sample_weight)
    rows = residual_rows(y_true, mean, var, std, sample_weight)
    z = rows.standardised()
    with np.errstate(over="ignore"):
        bell = np.exp(-0.5 * z**2)
    loss = rows.residual * erf(z / math.sqrt(2)) + rows.std * (math.sqrt(2 / math.pi) * bell - 1 / math.sqrt(math.pi))
    return reduced(loss, rows.weight, reduction)
