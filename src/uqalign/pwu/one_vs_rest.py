"""Prior-weighted utility of multiclass (one-vs-rest) decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqalign.checks import Reduction, check_reduction, multiclass_rows, reduced
from uqalign.priors import PRIOR_C
from uqalign.pwu.arguments import PriorLike, cost_prior
from uqalign.pwu.binary import decision_losses


def one_vs_rest_pwu(
    y_true: Any,
    p: Any,
    *,
    prior: PriorLike = PRIOR_C,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Mean over the K classes of the binary loss of acting iff p_j > c, c drawn from `prior`. Lower is better; proper.

    M = (1/K) sum_j l(p_j, 1[y = j]) with l the loss of `binary_decision_pwu`: class j uniform, independent of c.
    K times this loss is the multiclass log loss under `prior="implicit:multiclass_nll"` and the multiclass Brier
    score (summed over classes) under "implicit:brier".

    Args:
        y_true: class indices (n,), or labels named in column order by `labels`.
        p: class probabilities (n, K).
        prior: prior on c in [0, 1], a `Prior` or text such as "beta:2,10" (default); improper weights allowed.
        labels: the K classes in column order.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none" (the n losses).

    Returns:
        The mean loss as a float, or losses (n,).

    Raises:
        ValueError: bad shapes, labels, probabilities, weights or prior.

    Source: Schneider et al. (2026), Appendix G.
    """
    check_reduction(reduction, sample_weight)
    y, (probability,), weight = multiclass_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    is_class = y[:, None] == np.arange(probability.shape[1])
    losses = decision_losses(is_class, probability, cost_prior(prior))
    return reduced(losses.mean(axis=1), weight, reduction)
