"""Skill: how much of the loss of always forecasting the base rate a classifier saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, exact_sum, warn_undefined
from uqalign.metrics.classification import ClassRows, class_rows


def _base_rate(rows: ClassRows) -> FloatArray:
    """The class frequencies in every row, in the shape of the probabilities."""
    counted = np.ones(len(rows.y)) if rows.weight is None else rows.weight
    n_classes = rows.p.shape[1] if rows.multiclass else 2
    mass = np.array([exact_sum(counted[rows.y == k]) for k in range(n_classes)])
    rate = mass / exact_sum(mass)
    return np.tile(rate, (len(rows.y), 1)) if rows.multiclass else np.full(len(rows.y), rate[1])


def base_rate_forecast(
    y_true: Any, p: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> FloatArray:
    """The constant forecast of the class frequencies of `y_true`, in the shape that `p` has after validation.

    Rows of weight 0 are left out. A class that never occurs gets probability 0, which no score minds.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K): only their shape matters.
        labels: classes in column order.
        sample_weight: non-negative weights (n,).

    Returns:
        Probabilities (m,) of class 1, or (m, K), for the m rows of positive weight.

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    return _base_rate(class_rows(y_true, p, labels=labels, sample_weight=sample_weight))


def skill_score(
    loss: Callable[..., float],
    y_true: Any,
    p: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    **options: Any,
) -> float:
    """1 - loss(forecast) / loss(base-rate forecast). Higher is better: 1 is perfect, 0 no better than the base rate.

    Args:
        loss: a metric of class probabilities for which lower is better (`log_score`, `brier_score`, ...).
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        labels: classes in column order.
        sample_weight: non-negative weights (n,).
        options: further keyword arguments of `loss`.

    Returns:
        Skill, at most 1; NaN with an `UndefinedMetricWarning` when the base-rate forecast has no loss.

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    reference = loss(rows.y, _base_rate(rows), sample_weight=rows.weight, **options)
    if reference == 0:
        return warn_undefined("skill_score", "the base-rate forecast has no loss (y_true holds one class only)")
    return 1 - loss(rows.y, rows.p, sample_weight=rows.weight, **options) / reference
