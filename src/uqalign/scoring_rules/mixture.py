"""Brier score and error rate in a weighted mixture, and which penalty that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from uqalign.checks import Reduction, check_reduction, reduced
from uqalign.errors import UserError
from uqalign.scoring_rules.penalised import score_parts
from uqalign.scoring_rules.penalties import check_classes, infimal_penalty, penalty_value
from uqalign.scoring_rules.ties import Ties


def _check_weight(weight: float) -> float:
    if not 0 <= weight <= 1:
        raise UserError(f"weight = {weight!r}: the weight of the error rate must lie in [0, 1]")
    return float(weight)


def weighted_mixture(
    y_true: Any,
    p: Any,
    *,
    weight: float,
    ties: Ties = "order",
    order: Sequence[int] | None = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """(1 - weight) times the Brier score averaged over classes, plus weight times the error.

    It is (1 - weight) / c times the penalised sum-form Brier score at `mixture_penalty(weight, c)`: it ranks as that
    does, and is superior from `threshold_weight(c)` on.

    Args:
        y_true, p, ties, order, labels, sample_weight, reduction: as in `penalised_score`.
        weight: weight of the error, in [0, 1].

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    check_reduction(reduction, sample_weight)
    share = _check_weight(weight)
    parts = score_parts(y_true, p, ties=ties, order=order, labels=labels, sample_weight=sample_weight)
    mixed = (1 - share) * (parts.base / parts.n_classes) + share * parts.wrong
    return reduced(mixed, parts.weight, reduction)


def mixture_penalty(weight: float, n_classes: int) -> float:
    """The penalty on the sum-form Brier score that a mixture amounts to: weight c / (1 - weight); infinite at 1.

    Raises:
        UserError: a weight outside [0, 1], or fewer than 2 classes.
    """
    share, c = _check_weight(weight), check_classes(n_classes)
    return math.inf if share == 1 else share * c / (1 - share)


def mixture_weight(penalty: float, n_classes: int) -> float:
    """The weight of the mixture that a penalty on the sum-form Brier score amounts to: penalty / (penalty + c).

    Raises:
        UserError: a penalty that is negative or not finite, or fewer than 2 classes.
    """
    value, c = penalty_value(float(penalty), n_classes), check_classes(n_classes)
    return value / (value + c)


def threshold_weight(n_classes: int) -> float:
    """The weight at the infimal penalty, (c - 2) / (2 c^2 + c - 2): mixtures above it are superior.

    Raises:
        UserError: fewer than 2 classes.
    """
    return mixture_weight(infimal_penalty(n_classes), n_classes)
