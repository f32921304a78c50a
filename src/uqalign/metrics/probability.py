"""Scoring rules for class probabilities: log score, Brier score, error rate.

Every function takes `p` of shape (n,) (probability of class 1), (n, 2) (read by column 1) or (n, K) with K >=
3 (one column per class, rows summing to one). `labels` names the classes in column order (default 0, 1, ...).
Losses: lower is better.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, Reduction, check_reduction, reduced
from uqalign.metrics.classification import ClassRows, class_rows


class ClippedProbabilityWarning(UserWarning):
    """Probabilities below `clip` were raised to it before taking logarithms, in `count` rows."""

    def __init__(self, count: int, n: int, clip: float) -> None:
        self.count = count
        super().__init__(f"log_score: {count} of {n} rows had a probability below clip={clip:g} and score -log(clip)")


def _surprise(rows: ClassRows) -> FloatArray:
    with np.errstate(divide="ignore"):
        if rows.multiclass:
            loss = -np.log(rows.p[np.arange(len(rows.y)), rows.y])
        else:
            loss = np.empty_like(rows.p)
            one = rows.y == 1
            loss[one] = -np.log(rows.p[one])
            loss[~one] = -np.log1p(-rows.p[~one])
    positive_zero: FloatArray = loss + 0.0
    return positive_zero


def _ceiling(clip: float) -> float:
    if not 0 < clip < 0.5:
        raise ValueError(f"clip = {clip!r}: clip must lie in (0, 0.5)")
    return -math.log(clip)


def log_score(
    y_true: Any,
    p: Any,
    *,
    clip: float | None = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Negative log likelihood, -log of the probability given to the class that happened. Strictly proper.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        clip: raise probabilities below it to `clip` (rows concerned are counted in a
            `ClippedProbabilityWarning`). Without it, probability 0 on what happened scores infinity.
        labels: classes in column order.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the loss of every row.

    Returns:
        Loss in nats, from 0 (certain and right) to infinity.

    Raises:
        ValueError: invalid labels, probabilities, weights or clip.
    """
    check_reduction(reduction, sample_weight)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    loss = _surprise(rows)
    if clip is not None:
        ceiling = _ceiling(clip)
        count = int(np.count_nonzero(loss > ceiling))
        if count:
            warnings.warn(ClippedProbabilityWarning(count, len(loss), clip), stacklevel=2)
        loss = np.minimum(loss, ceiling)
    return reduced(loss, rows.weight, reduction)


def count_clipped(
    y_true: Any, p: Any, *, clip: float, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> int:
    """Number of rows (of positive weight) whose log score `clip` would change."""
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return int(np.count_nonzero(_surprise(rows) > _ceiling(clip)))


def brier_score(
    y_true: Any,
    p: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Brier score. Strictly proper.

    Binary: (p - y)^2, in [0, 1]. Multiclass: sum over classes of (p_k - 1[y = k])^2, in [0, 2].

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    check_reduction(reduction, sample_weight)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    if rows.multiclass:
        realised = rows.p[np.arange(len(rows.y)), rows.y]
        off = rows.p.copy()
        off[np.arange(len(rows.y)), rows.y] = 0
        loss = (1 - realised) ** 2 + (off**2).sum(axis=1)
    else:
        loss = (rows.p - rows.y) ** 2
    return reduced(loss, rows.weight, reduction)


def error_rate(
    y_true: Any,
    p: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Share of rows whose hard label is wrong. Proper.

    The hard label is 1[p > 1/2], or the most probable class, the lowest index on ties.

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    check_reduction(reduction, sample_weight)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return reduced(rows.wrong().astype(np.float64), rows.weight, reduction)


def accuracy(
    y_true: Any,
    p: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Share of rows whose hard label is right, 1 - `error_rate`. Higher is better.

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    check_reduction(reduction, sample_weight)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return reduced((~rows.wrong()).astype(np.float64), rows.weight, reduction)
