"""The classical scores as the published code computed them; it knew no sample weights, so they are refused."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from uqalign.checks import (
    FloatArray,
    UndefinedMetricWarning,
    exact_sum,
    gaussian_rows,
    multivariate_rows,
    warn_undefined,
)
from uqalign.metrics.classification import ClassRows, class_rows
from uqalign.metrics.detection import auroc, regression_error_detection_auroc
from uqalign.metrics.multivariate import multivariate_gaussian_nll
from uqalign.metrics.retention import retention_steps
from uqalign.protocol.utilities import unstable_descending

N_BINS = 10
FRACTIONS = np.linspace(0, 1, 101)
"""Corrected fractions of the published retention curve."""

ENTROPY_CLIP = 1e-15
JITTER = 1e-6
ENERGY_DRAWS = 100
SEED = 42


def refuse_weights(sample_weight: Any) -> None:
    """Raise a ValueError if there are weights."""
    if sample_weight is not None:
        raise ValueError("the published protocol has no sample weights: leave sample_weight out")


def left_closed_calibration_error(y_true: Any, p: Any, *, aggregate: str = "mean", sample_weight: Any = None) -> float:
    """Calibration error over ten bins [a, b); a probability of exactly 1 is in none of them.

    The mean weighs a bin by its share of all rows, those without a bin included. Multiclass: averaged over classes.
    """
    refuse_weights(sample_weight)
    rows = class_rows(y_true, p, labels=None, sample_weight=None)
    if not rows.multiclass:
        return _binned_gap(rows.y.astype(np.float64), rows.p, aggregate)
    gaps = [_binned_gap((rows.y == k).astype(np.float64), rows.p[:, k], aggregate) for k in range(rows.p.shape[1])]
    return exact_sum(np.array(gaps)) / len(gaps)


def _binned_gap(event: FloatArray, p: FloatArray, aggregate: str) -> float:
    bins = np.searchsorted(np.linspace(0, 1, N_BINS + 1), p, side="right") - 1
    gaps, shares = [0.0], [0.0]
    for index in range(N_BINS):
        inside = bins == index
        if inside.any():
            gaps.append(abs(float(event[inside].mean() - p[inside].mean())))
            shares.append(float(inside.mean()))
    return max(gaps) if aggregate == "max" else float(np.dot(gaps, shares))


def published_retention_auc(y_true: Any, p: Any, *, oracle: bool, argsort: bool, sample_weight: Any = None) -> float:
    """Retention area of a classifier with the published curve (`oracle`), the published order of ties, or both."""
    refuse_weights(sample_weight)
    rows = class_rows(y_true, p, labels=None, sample_weight=None)
    uncertainty = _entropy(rows) if argsort else rows.uncertainty()
    return _area(uncertainty, rows.wrong().astype(np.float64), oracle=oracle, argsort=argsort)


def published_regression_retention_auc(
    y_true: Any, mean: Any, var: Any, *, oracle: bool, argsort: bool, truncate: bool, sample_weight: Any = None
) -> float:
    """Retention area of a regression, likewise; `truncate` squares the difference of the whole-number parts."""
    refuse_weights(sample_weight)
    y, (mu, variance), _ = gaussian_rows(y_true, mean, var)
    error = (np.trunc(y) - np.trunc(mu)) ** 2 if truncate else (y - mu) ** 2
    return _area(variance, error, oracle=oracle, argsort=argsort)


def published_multivariate_retention_auc(
    y_true: Any, mean: Any, cov: Any, *, oracle: bool, argsort: bool, sample_weight: Any = None
) -> float:
    """Mean over coordinates of the published retention area of the marginals."""
    refuse_weights(sample_weight)
    y, (mu, sigma), _ = multivariate_rows(y_true, mean, cov)
    areas = [
        _area(sigma[:, d, d], (y[:, d] - mu[:, d]) ** 2, oracle=oracle, argsort=argsort) for d in range(y.shape[1])
    ]
    return exact_sum(np.array(areas)) / len(areas)


def _entropy(rows: ClassRows) -> FloatArray:
    p = rows.p if rows.multiclass else np.stack([1 - rows.p, rows.p], axis=1)
    clipped = np.clip(p, ENTROPY_CLIP, 1 - ENTROPY_CLIP)
    terms = clipped * np.log(clipped)
    entropy: FloatArray = -terms.sum(axis=1)
    return entropy


def _area(uncertainty: FloatArray, error: FloatArray, *, oracle: bool, argsort: bool) -> float:
    n = len(error)
    if argsort:
        least_first = error[unstable_descending(uncertainty)[::-1]]
        remaining = np.concatenate([[0.0], np.cumsum(least_first)]) / n
        retained = n * remaining[1:] / np.arange(1, n + 1)
    else:
        steps = retention_steps(uncertainty, error, None)
        remaining, retained = np.concatenate([[0.0], steps.residual]), steps.retained
    if not oracle:
        return exact_sum(retained) / n
    kept = n - np.rint(FRACTIONS * n).astype(np.intp)
    return float(np.trapezoid(remaining[kept], FRACTIONS))


def entropy_error_detection_auroc(y_true: Any, p: Any, *, sample_weight: Any = None) -> float:
    """E-Det of a classifier by floating-point entropies: p = 0.3 and p = 0.7 are tied only if their last bits agree."""
    refuse_weights(sample_weight)
    rows = class_rows(y_true, p, labels=None, sample_weight=None)
    wrong = rows.wrong()
    if wrong.all() or not wrong.any():
        return warn_undefined(
            "entropy_error_detection_auroc", "all labels are wrong" if wrong.all() else "no label is wrong"
        )
    return auroc(wrong, _entropy(rows))


def zero_error_detection_auroc(y_true: Any, mean: Any, var: Any, *, sample_weight: Any = None) -> float:
    """E-Det of a regression, 0 where it is undefined."""
    refuse_weights(sample_weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        area = regression_error_detection_auroc(y_true, mean, var)
    return 0.0 if math.isnan(area) else area


def jittered_gaussian_nll(y_true: Any, mean: Any, cov: Any, *, sample_weight: Any = None) -> float:
    """Multivariate Gaussian NLL with 1e-6 added to every variance, in the square of the target's unit."""
    refuse_weights(sample_weight)
    covariance = np.asarray(cov, dtype=np.float64)
    return float(multivariate_gaussian_nll(y_true, mean, covariance + JITTER * np.eye(covariance.shape[-1])))


def sampled_energy_score(y_true: Any, mean: Any, cov: Any, *, sample_weight: Any = None) -> float:
    """Energy score E||X - y|| - E||X - X'|| / 2 with both expectations over 100 draws per row (all their pairs)."""
    refuse_weights(sample_weight)
    from scipy.spatial.distance import pdist  # slow to import, and seldom needed

    y, (mu, sigma), _ = multivariate_rows(y_true, mean, cov)
    rng = np.random.default_rng(SEED)
    scores = np.empty(len(y))
    for row in range(len(y)):
        draws = rng.multivariate_normal(mu[row], sigma[row], size=ENERGY_DRAWS)
        near = np.linalg.norm(draws - y[row], axis=1).mean()
        apart = 2 * pdist(draws).sum() / ENERGY_DRAWS**2  # all pairs, a draw and itself included
        scores[row] = near - apart / 2
    return exact_sum(scores) / len(y)
