"""The scale of a regression problem: the population variance of its targets.

Costs and aversions of the selective and risk-averse families are factors of it, which makes one prior fit data in any
unit. A target that is constant over the rows has variance exactly 0 (not a rounding residue).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, weighted_variance


def target_variances(y: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Population variances of the columns of `y` (n, D), shape (D,); exactly 0 for a constant column."""
    constant = (y == y[0]).all(axis=0)
    return np.array(
        [0.0 if fixed else weighted_variance(column, weight) for column, fixed in zip(y.T, constant, strict=True)]
    )


def scalar_variance(y: FloatArray, weight: FloatArray | None, target_variance: Any = None) -> float:
    """`target_variance` if given, else the population variance of `y` (n,).

    Raises:
        ValueError: target_variance not a finite number >= 0.
    """
    if target_variance is None:
        return float(target_variances(y[:, None], weight)[0])
    try:
        value = float(target_variance)
    except (TypeError, ValueError):
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"target_variance = {target_variance!r}: target_variance must be a finite number >= 0")
    return value


def coordinate_variances(y: FloatArray, weight: FloatArray | None, target_variance: Any = None) -> FloatArray:
    """`target_variance` (a number or (D,)) if given, else the population variances of the columns of `y` (n, D).

    Raises:
        ValueError: target_variance of another shape, or not finite and > 0.
    """
    if target_variance is None:
        return target_variances(y, weight)
    try:
        given = np.asarray(target_variance, dtype=np.float64)
        values = np.broadcast_to(given, (y.shape[1],))
    except (TypeError, ValueError):
        raise ValueError(
            f"target_variance must be a number or one per coordinate ({y.shape[1]},), got {target_variance!r}"
        ) from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"target_variance must be finite and > 0, got {target_variance!r}")
    return values


def constant_coordinate(variances: FloatArray) -> str:
    """Why a multivariate score is undefined: the first coordinate whose target variance is 0, and the remedy."""
    return f"coordinate {int(np.argmin(variances))} of y_true is constant (pass target_variance=)"
