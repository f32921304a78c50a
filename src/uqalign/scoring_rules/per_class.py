"""Penalties that depend on the true class, and the decision rule they need.

With penalties l_k the expected penalty of predicting class j is sum_k q_k l_k - q_j l_j, least for the class with the
largest q_j l_j. Charged against the most probable class, unequal penalties are therefore not proper, however little
they differ: a forecaster close to a boundary gains by crossing it, and pays next to nothing in the base score. Charged
against the class with the largest l_k p_k, the *weighted* decision, they are: the honest forecast makes the best
decision, so base score plus penalty is strictly proper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from uqalign.checks import FloatArray, Reduction, check_reduction, reduced
from uqalign.errors import UserError
from uqalign.metrics.classification import class_rows
from uqalign.registry import did_you_mean
from uqalign.scoring_rules.penalised import base_scores, columns
from uqalign.scoring_rules.penalties import Base, check_base, infimal_penalty
from uqalign.scoring_rules.ties import check_order, first_of_largest

Decision = Literal["weighted", "argmax"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)


class ClassEndpoints(NamedTuple):
    """Per true class (K,): supremum over its correct forecasts, and infimum over incorrect ones without penalty."""

    correct: FloatArray
    incorrect: FloatArray


def _check_decision(decision: str) -> None:
    if decision not in DECISIONS:
        raise UserError(f"decision = {decision!r}: {did_you_mean(str(decision), DECISIONS)}")


def check_class_penalties(penalties: Any) -> FloatArray:
    """Penalties (K,) as an array.

    Raises:
        UserError: fewer than two, or one that is not finite and positive.
    """
    values = np.asarray(penalties, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise UserError(f"penalties must hold one number per class, got shape {values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(bad):
        raise UserError(f"penalties[{bad[0]}] = {values[bad[0]]!r}: penalties per class must be finite and > 0")
    return values


def class_penalised_score(
    y_true: Any,
    p: Any,
    *,
    penalties: Any,
    base: Base = "brier",
    decision: Decision = "weighted",
    order: Sequence[int] | None = None,
    clip: float | None = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Proper score plus the penalty of the true class where the decision misses it.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        penalties: one number > 0 per class, in column order.
        base: "brier" (sum form) or "log".
        decision: "weighted", the class with the largest penalty times probability (strictly proper), or "argmax", the
            most probable class (not proper unless all penalties are equal).
        order: class indices from first to last, which decides ties (default 0, 1, ...).
        clip, labels, sample_weight, reduction: as in `penalised_score`.

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    check_reduction(reduction, sample_weight)
    _check_decision(decision)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    probability, charge = columns(rows), check_class_penalties(penalties)
    if len(charge) != probability.shape[1]:
        raise UserError(f"penalties has {len(charge)} entries, p has {probability.shape[1]} classes")
    first = check_order(order, "order", len(charge))
    decided = first_of_largest(probability * charge if decision == "weighted" else probability, first)
    loss = base_scores(rows, base, clip) + charge[rows.y] * (decided != rows.y)
    return reduced(loss, rows.weight, reduction)


def class_endpoints(penalties: Any, base: Base = "brier", *, decision: Decision = "weighted") -> ClassEndpoints:
    """Endpoints of every true class; under the weighted decision they depend on the ratios of the penalties.

    Write r_k = l_w / l_k for the true class w: the decision is w if p_k <= r_k p_w for all other k.

    Log: the smallest p_w of a correct forecast is 1 / (1 + sum of r_k), so beta+ = ln(1 + sum of r_k); the largest p_w
    of an incorrect one is 1 / (1 + r_k) for the class k that is easiest to decide for, so beta- = ln(1 + min r_k).

    Brier: a convex function is largest at a vertex, p proportional to 1 on w and r_k on a set of other classes; the
    best set takes the largest r_k first, so beta+ is the largest (R^2 + Q) / (1 + R)^2 over such sets, with R and Q the
    sums of r_k and r_k^2. The incorrect forecast closest to w has p_k = r p_w for the smallest r_k = r, and nothing
    elsewhere if r <= 1; beyond, the other classes share what is left equally.

    Raises:
        UserError: penalties that are not positive, an unknown base or decision.
    """
    values = check_class_penalties(penalties)
    _check_decision(decision)
    if decision == "argmax":
        values = np.ones_like(values)
    brier = check_base(base) == "brier"
    others = [np.delete(values, w) for w in range(len(values))]
    ratios = [np.sort(value / rest)[::-1] for value, rest in zip(values, others, strict=True)]
    correct = [_largest_brier(r) if brier else math.log1p(r.sum()) for r in ratios]
    incorrect = [_smallest_brier(r[-1], len(values)) if brier else math.log1p(r[-1]) for r in ratios]
    return ClassEndpoints(np.array(correct), np.array(incorrect))


def _largest_brier(ratios: FloatArray) -> float:
    total, square = np.cumsum(ratios), np.cumsum(ratios**2)
    return float(np.max((total**2 + square) / (1 + total) ** 2))


def _smallest_brier(ratio: float, n_classes: int) -> float:
    if ratio <= 1 or n_classes == 2:
        return float(2 * (ratio / (1 + ratio)) ** 2)
    rest = n_classes - 2
    p_true = (rest + 1 + ratio) / (rest * (1 + ratio**2) + (1 + ratio) ** 2)
    left = 1 - (1 + ratio) * p_true
    return float((1 - p_true) ** 2 + (ratio * p_true) ** 2 + left**2 / rest)


def class_threshold(ratios: Any, base: Base = "brier", *, decision: Decision = "weighted") -> float:
    """The scale s* of penalties s times `ratios`: above it the rule is superior, below it is not.

    It is the largest, over true classes v, of (max beta+ - beta-_v) / ratio_v. With equal ratios of 1 it is
    `infimal_penalty`; with decision="argmax" it is the infimal penalty over the smallest ratio.

    Args:
        ratios: one number > 0 per class.
        base: "brier" or "log".
        decision: as in `class_penalised_score`.

    Raises:
        UserError: ratios that are not positive, an unknown base or decision.
    """
    values = check_class_penalties(ratios)
    if decision == "argmax":
        return infimal_penalty(len(values), base) / float(values.min())
    ends = class_endpoints(values, base, decision=decision)
    return float(np.max((ends.correct.max() - ends.incorrect) / values))
