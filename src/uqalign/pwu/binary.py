"""Prior-weighted utility of binary decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, Reduction, binary_rows, check_reduction, reduced
from uqalign.priors import PRIOR_C, Prior
from uqalign.pwu.arguments import PriorLike, cost_prior


def binary_decision_pwu(
    y_true: Any,
    p: Any,
    *,
    prior: PriorLike = PRIOR_C,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Expected loss of acting iff p > c when the cost c is drawn from `prior`. Lower is better; proper.

    l = y E[(1-c) 1{c >= p}] + (1-y) E[c 1{c < p}]. For Beta(a, b), with I the regularised incomplete beta function:
    l = b/(a+b) (1 - I_p(a, b+1)) for y = 1 and a/(a+b) I_p(a+1, b) for y = 0. Exact, no sampling.
    Log loss, Brier score and error rate are the same loss under `prior="implicit:nll"`, "implicit:brier" and
    "implicit:error_rate".

    Args:
        y_true: labels (n,), {0, 1} or bool, or others named by `labels`.
        p: P(y = 1), (n,); (n, 2) is read by column 1.
        prior: prior on c in [0, 1], a `Prior` or text such as "beta:2,10" (default); improper weights allowed.
        labels: (negative, positive) when y_true is not {0, 1}.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none" (the n losses).

    Returns:
        The mean loss as a float, or losses (n,).

    Raises:
        ValueError: bad shapes, labels, probabilities, weights or prior.

    Source: Schneider et al. (2026), Section 3.2.1.
    """
    check_reduction(reduction, sample_weight)
    y, (probability,), weight = binary_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return reduced(decision_losses(y == 1, probability, cost_prior(prior)), weight, reduction)


def decision_losses(positive: np.ndarray[Any, np.dtype[np.bool_]], p: FloatArray, prior: Prior) -> FloatArray:
    """Expected loss of each decision: rows where `positive` pay for missing, the others for acting."""
    losses = np.empty_like(p)
    losses[positive] = prior.upper_partial(p[positive])
    losses[~positive] = prior.partial_mean(p[~positive])
    return losses
