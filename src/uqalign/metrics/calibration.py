"""Calibration errors of class probabilities (binned) and of Gaussian predictions (coverage of central intervals).

None is proper: a forecast that always reports the base rate is perfectly calibrated. Lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import ndtri

from uqalign.checks import FloatArray, exact_sum, gaussian_rows, multivariate_rows, relative_weight, weighted_mean
from uqalign.metrics.binning import Binning, assign_bins, check_binning
from uqalign.metrics.classification import ClassRows, class_rows
from uqalign.metrics.grouping import group_sums

Aggregate = Literal["mean", "max"]
ClassView = Literal["classwise", "top_label"]

LEVELS = (0.5, 0.8, 0.9, 0.95)
"""Nominal levels of the central intervals whose coverage is checked."""


def _check_choice(name: str, value: str, choices: Any) -> None:
    if value not in get_args(choices):
        raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}, got {value!r}")


def check_view(view: str) -> None:
    """Refuse unknown ways of reading a multiclass forecast."""
    _check_choice("view", view, ClassView)


def class_views(rows: ClassRows, view: ClassView) -> list[tuple[FloatArray, FloatArray]]:
    """The binary problems (event, probability) that calibration is read from: one, or one per class.

    Binary: class 1. classwise: every class against the rest. top_label: the predicted class being right.
    """
    if not rows.multiclass:
        return [(rows.y.astype(np.float64), rows.p)]
    if view == "top_label":
        return [((~rows.wrong()).astype(np.float64), rows.p.max(axis=1))]
    return [((rows.y == k).astype(np.float64), rows.p[:, k]) for k in range(rows.p.shape[1])]


def _binned_error(
    event: FloatArray,
    p: FloatArray,
    weight: FloatArray | None,
    n_bins: int,
    binning: Binning,
    aggregate: Aggregate,
) -> float:
    weight = relative_weight(weight)
    bins = assign_bins(p, weight, n_bins, binning)
    counted = np.ones_like(p) if weight is None else weight
    mass = group_sums(counted, bins, n_bins)
    gap = np.abs(group_sums(counted * (p - event), bins, n_bins))
    if aggregate == "mean":
        return exact_sum(gap) / exact_sum(mass)
    filled = mass > 0
    return float((gap[filled] / mass[filled]).max())


def calibration_error(
    y_true: Any,
    p: Any,
    *,
    n_bins: int = 10,
    binning: Binning = "equal_width",
    aggregate: Aggregate = "mean",
    view: ClassView = "classwise",
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    """Expected (mean) or maximum calibration error: |mean probability - frequency| within bins of the probability.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        n_bins: number of bins (empty ones contribute nothing).
        binning: "equal_width" bins (i/B, (i+1)/B], the first closed at 0; or "equal_mass" bins by mid-rank,
            in which equal values never part.
        aggregate: "mean" over rows (ECE) or "max" over bins (MCE).
        view: multiclass only. "classwise" averages the error of every class against the rest; "top_label"
            takes the predicted class's probability against its being right.
        labels: classes in column order.
        sample_weight: non-negative weights (n,).

    Returns:
        Error in [0, 1].

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    check_binning(n_bins, binning)
    _check_choice("aggregate", aggregate, Aggregate)
    check_view(view)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    errors = [
        _binned_error(event, probability, rows.weight, n_bins, binning, aggregate)
        for event, probability in class_views(rows, view)
    ]
    return exact_sum(np.array(errors)) / len(errors)


def check_levels(levels: Sequence[float] | FloatArray) -> FloatArray:
    """Nominal levels as an array; each must lie strictly between 0 and 1."""
    nominal = np.asarray(levels, dtype=np.float64)
    if nominal.ndim != 1 or len(nominal) == 0 or not ((nominal > 0) & (nominal < 1)).all():
        raise ValueError(f"levels must be numbers strictly between 0 and 1, got {levels!r}")
    return nominal


def empirical_coverage(
    residual: FloatArray, var: FloatArray, weight: FloatArray | None, levels: FloatArray
) -> FloatArray:
    """Share of rows inside the central interval mean +- z std of each nominal level (bounds included)."""
    deviation, std = np.abs(residual), np.sqrt(var)
    inside = [deviation <= z * std for z in ndtri(0.5 + levels / 2)]
    return np.array([weighted_mean(row.astype(np.float64), weight) for row in inside])


def _coverage_gap(
    residual: FloatArray,
    var: FloatArray,
    weight: FloatArray | None,
    levels: FloatArray,
    aggregate: Aggregate,
) -> float:
    gap = np.abs(empirical_coverage(residual, var, weight, levels) - levels)
    return float(gap.max()) if aggregate == "max" else exact_sum(gap) / len(gap)


def coverage_error(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    levels: Sequence[float] = LEVELS,
    aggregate: Aggregate = "mean",
    sample_weight: Any = None,
) -> float:
    """|empirical - nominal| coverage of the central Gaussian intervals, averaged (ECE) or the largest (MCE).

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,).
        levels: nominal levels of the intervals.
        aggregate: "mean" or "max" over levels.
        sample_weight: non-negative weights (n,).

    Returns:
        Error in [0, 1).

    Raises:
        ValueError: invalid predictions, weights or options.
    """
    nominal = check_levels(levels)
    _check_choice("aggregate", aggregate, Aggregate)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    return _coverage_gap(y - mu, variance, weight, nominal, aggregate)


def multivariate_coverage_error(
    y_true: Any,
    mean: Any,
    cov: Any,
    *,
    levels: Sequence[float] = LEVELS,
    aggregate: Aggregate = "mean",
    sample_weight: Any = None,
) -> float:
    """Mean over coordinates of `coverage_error` of the marginals (y_d, mean_d, cov_dd).

    Raises:
        ValueError: invalid predictions, weights or options.
    """
    nominal = check_levels(levels)
    _check_choice("aggregate", aggregate, Aggregate)
    y, (mu, sigma), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    gaps = [_coverage_gap(y[:, d] - mu[:, d], sigma[:, d, d], weight, nominal, aggregate) for d in range(y.shape[1])]
    return exact_sum(np.array(gaps)) / len(gaps)
