"""Prior-weighted utility of selecting the k highest scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uqalign.checks import exact_sum, score_rows
from uqalign.priors import PRIOR_K
from uqalign.pwu.arguments import PriorLike, share_prior
from uqalign.pwu.rank_weights import RankWeights, all_whole
from uqalign.ranking import tie_blocks, total_weight


def top_k_pwu(
    y_true: Any,
    score: Any,
    *,
    prior: PriorLike = PRIOR_K,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    """Minus the expected share of positives among the k highest scores, k = ceil(n q), q drawn from `prior`.

    M = - sum_j W_j y_(j) over the ranking, W_j = sum_{k >= j} P(k) / k: one sort and two running sums, exact. Tied
    rows carry their mean label (the expectation over a random order), so row order never matters. Lower is better;
    only the order of the scores matters.

    Args:
        y_true: labels (n,), {0, 1} or bool, or others named by `labels`.
        score: any finite real score (n,), larger for rows to be selected first.
        prior: prior on q = k/n in [0, 1], a `Prior` or text such as "beta:1.2,20.8" (default).
        labels: (negative, positive) when y_true is not {0, 1}.
        sample_weight: repetitions of each row (n,), not necessarily whole; n is then their sum.

    Returns:
        The metric in [-1, 0]; 0.0 when there are no positives.

    Raises:
        ValueError: bad shapes, labels, scores, weights or prior.

    Source: Schneider et al. (2026), Section 3.2.1.
    """
    y, (value,), weight = score_rows(y_true, score, labels=labels, sample_weight=sample_weight)
    ranks = RankWeights.from_prior(share_prior(prior), total_weight(len(y), weight))
    blocks = tie_blocks(value, y, weight)
    worth = ranks.span(blocks.above, blocks.size, weight is None or all_whole(weight))
    return 0.0 - exact_sum(blocks.payoff * worth)
