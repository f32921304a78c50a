"""Areas under the ROC curve: of a classifier's scores, and of its uncertainty as a detector of its own errors.

Higher is better. Ties count one half (mid-ranks). Undefined, NaN with an `UndefinedMetricWarning`, unless
both kinds of row occur.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from uqalign.checks import (
    FloatArray,
    encode_labels,
    exact_sum,
    float_array,
    gaussian_rows,
    multivariate_rows,
    refuse,
    relative_weight,
    sample_weights,
    score_rows,
    warn_undefined,
)
from uqalign.metrics.classification import class_rows
from uqalign.ranking import group_ties


def _area(score: FloatArray, positive: FloatArray, weight: FloatArray | None) -> float:
    """P(score of a positive > score of a negative) + P(equal) / 2, or NaN if either kind is missing."""
    blocks = group_ties(score, positive, relative_weight(weight))
    negative = blocks.weight - blocks.total
    up_to = np.cumsum(negative)
    # Both sums are rounded alike, so that the area of a perfect ranking is exactly one.
    pairs = exact_sum(blocks.total * up_to[-1])
    return exact_sum(blocks.total * (up_to - negative / 2)) / pairs if pairs else math.nan


def auroc(y_true: Any, score: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None) -> float:
    """Probability that a random positive row scores above a random negative one, ties counting one half.

    Args:
        y_true: binary classes (n,).
        score: any finite score (n,), larger for class 1.
        labels: (negative, positive) classes.
        sample_weight: non-negative weights (n,).

    Returns:
        Area in [0, 1]; NaN with a warning when only one class occurs.

    Raises:
        ValueError: invalid labels, scores or weights.
    """
    y, (values,), weight = score_rows(y_true, score, labels=labels, sample_weight=sample_weight)
    area = _area(values, y, weight)
    return warn_undefined("auroc", "y_true holds one class only") if math.isnan(area) else area


def one_vs_rest_auroc(
    y_true: Any,
    score: Any,
    *,
    class_weight: Any = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> tuple[float, FloatArray]:
    """AUROC of every class against the rest, and its average over the classes where it is defined.

    Args:
        y_true: classes (n,).
        score: scores (n, K), one column per class.
        class_weight: weights (K,) of the average (default: equal); a class of weight 0 may be undefined.
        labels: classes in column order.
        sample_weight: non-negative weights (n,).

    Returns:
        The average, and the areas (K,) with NaN for classes that never or always occur. If one of positive
        class weight is undefined, an `UndefinedMetricWarning` names it and the average is over the others.

    Raises:
        ValueError: invalid labels, scores or weights.
    """
    scores = float_array(score, "score", ndim=2)
    n_classes = scores.shape[1]
    share = np.ones(n_classes) if class_weight is None else float_array(class_weight, "class_weight", ndim=1)
    if len(share) != n_classes:
        raise ValueError(f"class_weight has {len(share)} entries, score has {n_classes} columns")
    refuse("class_weight", share, ~(np.isfinite(share) & (share >= 0)), "finite and >= 0")
    weight = sample_weights(sample_weight, len(scores))
    counted = np.ones(len(scores), dtype=bool) if weight is None else weight > 0
    given = np.asarray(y_true)
    if given.shape != (len(scores),):
        raise ValueError(f"y_true must have shape ({len(scores)},) like the rows of score, got {given.shape}")
    codes = encode_labels(given[counted], labels, n_classes)
    kept = None if weight is None else weight[counted]
    areas = np.array(
        [
            _area(
                score_rows(codes == k, scores[counted, k]).prediction[0],
                (codes == k).astype(np.float64),
                kept,
            )
            for k in range(n_classes)
        ]
    )
    return _defined_average("one_vs_rest_auroc", "class", areas, share), areas


def _defined_average(metric: str, part: str, areas: FloatArray, share: FloatArray) -> float:
    undefined = np.isnan(areas) & (share > 0)
    used = ~np.isnan(areas) & (share > 0)
    if not used.any():
        return warn_undefined(metric, f"no {part} has rows of both kinds")
    if undefined.any():
        names = ", ".join(str(int(k)) for k in np.flatnonzero(undefined))
        warn_undefined(metric, f"{part} {names} has rows of one kind only; the average is over the others")
    return exact_sum(areas[used] * share[used]) / exact_sum(share[used])


def error_detection_auroc(
    y_true: Any, p: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> float:
    """AUROC of a classifier's uncertainty for its hard label being wrong.

    Uncertainty orders rows as predictive entropy does, computed without clipping, so that probabilities
    within 1e-15 of one still rank.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        labels: classes in column order.
        sample_weight: non-negative weights (n,).

    Returns:
        Area in [0, 1]; NaN with a warning when every label is right or every label is wrong.

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    wrong = rows.wrong()
    area = _area(rows.uncertainty(), wrong.astype(np.float64), rows.weight)
    if math.isnan(area):
        return warn_undefined("error_detection_auroc", "all labels are wrong" if wrong.all() else "no label is wrong")
    return area


def _large_error(y: FloatArray, mean: FloatArray, tolerance: float, eps: float) -> FloatArray:
    return (np.abs(y - mean) / (np.abs(y) + eps) > tolerance).astype(np.float64)


def _check_tolerance(tolerance: float, eps: float) -> None:
    if not (0 <= tolerance < math.inf and 0 < eps < math.inf):
        raise ValueError(f"tolerance = {tolerance!r} must be >= 0 and eps = {eps!r} > 0, both finite")


def regression_error_detection_auroc(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    tolerance: float = 0.1,
    eps: float = 1e-8,
    sample_weight: Any = None,
) -> float:
    """AUROC of the predictive variance for a relative error |y - mean| / (|y| + eps) above `tolerance`.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,).
        tolerance: relative error beyond which a prediction counts as wrong.
        eps: added to |y|, in the target's unit.
        sample_weight: non-negative weights (n,).

    Returns:
        Area in [0, 1]; NaN with a warning when all predictions, or none, are wrong.

    Raises:
        ValueError: invalid predictions, weights or options.
    """
    _check_tolerance(tolerance, eps)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    wrong = _large_error(y, mu, tolerance, eps)
    area = _area(variance, wrong, weight)
    if math.isnan(area):
        some = "all relative errors are" if wrong.all() else "no relative error is"
        return warn_undefined("regression_error_detection_auroc", f"{some} above {tolerance:g}")
    return area


def multivariate_error_detection_auroc(
    y_true: Any,
    mean: Any,
    cov: Any,
    *,
    tolerance: float = 0.1,
    eps: float = 1e-8,
    sample_weight: Any = None,
) -> float:
    """Mean of `regression_error_detection_auroc` over the coordinates (y_d, mean_d, cov_dd) where it is defined.

    Coordinates where all predictions, or none, are wrong are named in an `UndefinedMetricWarning` and left
    out; NaN if that leaves none.

    Raises:
        ValueError: invalid predictions, weights or options.
    """
    _check_tolerance(tolerance, eps)
    y, (mu, sigma), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    areas = np.array(
        [_area(sigma[:, d, d], _large_error(y[:, d], mu[:, d], tolerance, eps), weight) for d in range(y.shape[1])]
    )
    return _defined_average("multivariate_error_detection_auroc", "coordinate", areas, np.ones(len(areas)))
