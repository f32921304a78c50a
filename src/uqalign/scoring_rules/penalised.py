"""Penalised scores: a proper score plus a penalty on misclassification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from uqalign.checks import FloatArray, Reduction, check_reduction, reduced
from uqalign.metrics.classification import ClassRows, class_rows
from uqalign.metrics.probability import brier_score, log_score
from uqalign.scoring_rules.penalties import Base, Penalty, check_base, penalty_value
from uqalign.scoring_rules.ties import BoolArray, Ties, counts_as_correct


class ScoreParts(NamedTuple):
    """What every penalised score of a set of forecasts is made of.

    Attributes:
        base: base score (n,) of every row of positive weight, Brier in sum form.
        wrong: whether the row counts as misclassified (n,).
        n_classes: number of classes.
        weight: weights (n,) of these rows, or None.
    """

    base: FloatArray
    wrong: BoolArray
    n_classes: int
    weight: FloatArray | None


def columns(rows: ClassRows) -> FloatArray:
    """Probabilities (n, K) with one column per class, for two classes as well."""
    return rows.p if rows.multiclass else np.column_stack([1 - rows.p, rows.p])


def base_scores(rows: ClassRows, base: Base, clip: float | None) -> FloatArray:
    """Base score of every row: Brier in sum form (also for two classes), or log.

    Raises:
        ValueError: an unknown base, or a clip outside (0, 0.5).
    """
    if check_base(base) == "log":
        loss: FloatArray = log_score(rows.y, rows.p, clip=clip, reduction="none")
        return loss
    squared: FloatArray = brier_score(rows.y, rows.p, reduction="none")
    return squared if rows.multiclass else 2 * squared


def score_parts(
    y_true: Any,
    p: Any,
    *,
    base: Base = "brier",
    ties: Ties = "order",
    order: Sequence[int] | None = None,
    clip: float | None = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> ScoreParts:
    """Base scores and errors, from which the score at every penalty is `base + penalty * wrong`.

    Arguments as in `penalised_score`.

    Raises:
        ValueError: as `penalised_score`.
    """
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    probability = columns(rows)
    correct = counts_as_correct(rows.y, probability, ties=ties, order=order)
    return ScoreParts(base_scores(rows, base, clip), ~correct, probability.shape[1], rows.weight)


def penalised_score(
    y_true: Any,
    p: Any,
    *,
    base: Base = "brier",
    penalty: Penalty = "infimal+",
    ties: Ties = "order",
    order: Sequence[int] | None = None,
    clip: float | None = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Proper score plus a penalty on misclassification, S(p, y) + penalty * 1[p does not predict y].

    With ties="order" it is strictly proper at every penalty, and superior (every correct forecast scores better than
    every incorrect one) exactly above `infimal_penalty`.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        base: "brier", the sum over classes of (p_k - 1[k = y])^2 (for two classes 2 (p - y)^2), or "log".
        penalty: "infimal+" (infimal penalty + 0.001), "published", "implemented", or a number >= 0.
        ties: what equal largest probabilities predict: the first class in `order`, all ("permissive") or none
            ("strict").
        order: class indices (columns) from first to last (default 0, 1, ...: what argmax does).
        clip: with base="log", as in `log_score`: raise probabilities below it, and say how many.
        labels: classes in column order.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the score of every row.

    Returns:
        Score, lower is better, from 0; Brier up to 2 + penalty, log up to infinity.

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    check_reduction(reduction, sample_weight)
    parts = score_parts(
        y_true, p, base=base, ties=ties, order=order, clip=clip, labels=labels, sample_weight=sample_weight
    )
    value = penalty_value(penalty, parts.n_classes, base)
    return reduced(parts.base + value * parts.wrong, parts.weight, reduction)
