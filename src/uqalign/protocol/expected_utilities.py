"""Prior-weighted utilities of the published utilities: exact, or over the published 10,000 draws of theta."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from uqalign.checks import (
    FloatArray,
    IntArray,
    binary_rows,
    exact_sum,
    gaussian_rows,
    multiclass_rows,
    multivariate_rows,
    score_rows,
    warn_undefined,
)
from uqalign.priors import PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA, Prior, rank_weights
from uqalign.protocol.sampled_aversion import Rows, sampled_utility
from uqalign.protocol.scores import SEED, refuse_weights
from uqalign.protocol.utilities import unstable_descending
from uqalign.pwu import binary_decision_pwu, risk_averse_top_k_pwu
from uqalign.ranking import tie_blocks
from uqalign.scale import coordinate_variances, scalar_variance
from uqalign.utilities import Payoff, charged_variance

DRAWS = 10_000


@cache
def draws(*priors: Prior) -> tuple[FloatArray, ...]:
    """The published draws of each prior, one after the other from a generator with seed 42 (read-only)."""
    rng = np.random.default_rng(SEED)
    drawn = tuple(prior.sample(DRAWS, rng) for prior in priors)
    for array in drawn:
        array.flags.writeable = False
    return drawn


def binary_pwu(y_true: Any, p: Any, *, sampled: bool, at_threshold: bool, sample_weight: Any = None) -> float:
    """Expected binary loss; `at_threshold` acts iff p >= c and sums over the rows, as published."""
    refuse_weights(sample_weight)
    y, (probability,), _ = binary_rows(y_true, p)
    scale = len(y) if at_threshold else 1
    if not sampled:  # the prior has no atom, so a tie with the threshold costs nothing
        return float(scale * binary_decision_pwu(y_true, p, prior=PRIOR_C))
    (c,) = draws(PRIOR_C)
    return scale * _sampled_loss(y, probability, c, at_threshold)


def _sampled_loss(positive: FloatArray, p: FloatArray, c: FloatArray, at_threshold: bool) -> float:
    """Mean over rows and draws of the binary loss."""
    side: Literal["left", "right"] = "left" if at_threshold else "right"
    missed = np.searchsorted(np.sort(p[positive == 1]), c, side=side)
    acted = np.count_nonzero(positive == 0) - np.searchsorted(np.sort(p[positive == 0]), c, side=side)
    return exact_sum(missed * (1 - c) + acted * c) / len(c) / len(p)


def one_vs_rest_pwu(y_true: Any, p: Any, *, sample_weight: Any = None) -> float:
    """Mean one-vs-rest loss over 10,000 draws of (class, cost): all classes are drawn first."""
    refuse_weights(sample_weight)
    y, (probability,), _ = multiclass_rows(y_true, p)
    rng = np.random.default_rng(SEED)
    classes = rng.integers(0, probability.shape[1], size=DRAWS)
    c = PRIOR_C.sample(DRAWS, rng)
    losses = [
        np.count_nonzero(classes == j)
        * _sampled_loss((y == j).astype(np.float64), probability[:, j], c[classes == j], False)
        for j in np.unique(classes)
    ]
    return exact_sum(np.array(losses)) / DRAWS


def top_k_pwu(y_true: Any, score: Any, *, sampled: bool, argsort: bool, sample_weight: Any = None) -> float:
    """Minus the expected share of positives among the k highest scores, ties by unstable sort or in expectation."""
    refuse_weights(sample_weight)
    y, (value,), _ = score_rows(y_true, score)
    ranked = y[unstable_descending(value)] if argsort else _block_means(value, y)
    if not sampled:
        return 0.0 - exact_sum(rank_weights(PRIOR_K, len(y)) * ranked)
    k = _selected(draws(PRIOR_K)[0], len(y))
    return 0.0 - exact_sum(np.cumsum(ranked)[k - 1] / k) / DRAWS


def _block_means(score: FloatArray, payoff: FloatArray) -> FloatArray:
    blocks = tie_blocks(score, payoff, None)
    return np.repeat(blocks.payoff, blocks.size.astype(np.intp))


def _selected(share: FloatArray, n: int) -> IntArray:
    return np.clip(np.ceil(share * n).astype(np.intp), 1, n)


def selective_pwu(y_true: Any, mean: Any, var: Any, *, sampled: bool, joint: bool, sample_weight: Any = None) -> float:
    """Expected selective loss; `joint` charges every abstained row lambda times the number of abstained rows."""
    refuse_weights(sample_weight)
    y, (mu, variance), _ = gaussian_rows(y_true, mean, var)
    n, unit = len(y), scalar_variance(y, None)
    order = np.argsort(variance, kind="stable")
    ascending, error = variance[order], ((y - mu) ** 2)[order]
    predicted_error = np.concatenate([[0.0], np.cumsum(error)])
    if sampled:
        (factor,) = draws(PRIOR_LAMBDA)
        cost = factor * unit
        predicted = np.searchsorted(ascending, cost, side="right")
        abstained = n - predicted
        charge = cost * abstained * (abstained if joint else 1)
        return exact_sum(predicted_error[predicted] + charge) / DRAWS / n
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(ascending > 0, ascending / unit, 0.0)
    # Between the i-th and the next variance, n - i rows abstain.
    below = PRIOR_LAMBDA.partial_mean(relative)
    mass = np.diff(below, prepend=0.0)
    count = np.arange(n, 0, -1)
    charge = unit * mass * count * (count if joint else 1)
    return exact_sum(error * PRIOR_LAMBDA.tail(relative) + charge) / n


def multivariate_selective_pwu(y_true: Any, mean: Any, cov: Any, *, sample_weight: Any = None) -> float:
    """Mean coordinate-wise selective loss over 10,000 draws of lambda."""
    refuse_weights(sample_weight)
    y, (mu, sigma), _ = multivariate_rows(y_true, mean, cov)
    unit = coordinate_variances(y, None)
    (cost,) = draws(PRIOR_LAMBDA)
    losses = []
    for d in range(y.shape[1]):
        order = np.argsort(sigma[:, d, d], kind="stable")
        error = np.concatenate([[0.0], np.cumsum(((y - mu)[order, d]) ** 2 / unit[d])])
        predicted = np.searchsorted(sigma[order, d, d] / unit[d], cost, side="right")
        losses.append(exact_sum(error[predicted] + cost * (len(y) - predicted)) / DRAWS / len(y))
    return exact_sum(np.array(losses)) / len(losses)


def risk_averse_pwu(
    y_true: Any, mean: Any, var: Any, *, payoff: Payoff, by_variance: bool, argsort: bool, sample_weight: Any = None
) -> float:
    """Minus the mean risk-averse payoff over 10,000 draws of (k, gamma), all k first.

    `by_variance` takes gamma = factor x Var(y), as published, instead of factor / sqrt(Var(y)). Without `argsort`,
    rows of one mean and variance share their mean payoff (other rows tie with probability zero).
    """
    refuse_weights(sample_weight)
    y, (mu, variance), _ = gaussian_rows(y_true, mean, var)
    charged = charged_variance(y, mu, variance, payoff)
    unit = scalar_variance(y, None)
    if unit == 0 and not by_variance:
        return warn_undefined("risk_averse_pwu", "y_true is constant, so aversion has no scale")
    share, factor = draws(PRIOR_K, PRIOR_GAMMA)
    gamma = factor * (unit if by_variance else unit**-0.5)
    rows = Rows(y, mu, variance, charged)
    return 0.0 - sampled_utility(rows, _selected(share, len(y)), gamma, argsort=argsort)


def variance_scaled_pwu(y_true: Any, mean: Any, var: Any, *, payoff: Payoff, sample_weight: Any = None) -> float:
    """Minus the expected risk-averse payoff with gamma = factor x Var(y), exact (ties in expectation)."""
    refuse_weights(sample_weight)
    y, _, _ = gaussian_rows(y_true, mean, var)
    return float(risk_averse_top_k_pwu(y_true, mean, var, payoff=payoff, aversion_scale=scalar_variance(y, None)))
