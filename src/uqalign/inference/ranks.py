"""Ranks over data sets: the Friedman test and Nemenyi's critical difference (Demsar 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

import numpy as np
from scipy.stats import chi2, rankdata, studentized_range

from uqalign.checks import FloatArray

PERMUTATIONS = 10_000


def average_ranks(scores: FloatArray) -> FloatArray:
    """(n, k) rank of each of k treatments in each of n blocks, 1 for the highest score; ties share the mean rank."""
    return cast(FloatArray, rankdata(-scores, axis=1))


@dataclass(frozen=True)
class Friedman:
    """Result of a Friedman test.

    Attributes:
        mean_ranks: (k,) mean rank of each treatment, 1 is best.
        statistic: chi-square statistic, corrected for ties; NaN with fewer than two blocks or treatments, or where
            all are tied.
        p_asymptotic: p-value by the chi-square distribution on k - 1 degrees of freedom, for many blocks.
        p_permutation: p-value by random permutations within blocks, right for any number of blocks.
        critical_difference: mean ranks further apart than this differ (Nemenyi, at `level`).
        blocks: n.
        level: significance level of the critical difference.
    """

    mean_ranks: FloatArray
    statistic: float
    p_asymptotic: float
    p_permutation: float
    critical_difference: float
    blocks: int
    level: float


def friedman(
    scores: FloatArray,
    *,
    level: float = 0.05,
    permutations: int = PERMUTATIONS,
    rng: np.random.Generator | None = None,
) -> Friedman:
    """Friedman's test that k treatments rank alike in n blocks.

    chi^2 = (k - 1) sum_j (R_j - n (k + 1) / 2)^2 / (sum_ij r_ij^2 - n k (k + 1)^2 / 4), with R_j the rank sums.

    Args:
        scores: (n, k) without NaN, higher is better.
        level: significance level of the critical difference.
        permutations: number of random permutations.
        rng: their source (default: seed 0).

    Raises:
        ValueError: NaN among the scores.
    """
    if np.isnan(scores).any():
        raise ValueError("scores hold NaN: leave out the blocks or treatments that have none")
    blocks, treatments = scores.shape
    ranks = average_ranks(scores) if scores.size else scores
    means = ranks.mean(axis=0) if blocks else np.full(treatments, np.nan)
    difference = nemenyi_difference(treatments, blocks, level=level)
    spread = (ranks**2).sum() - blocks * treatments * (treatments + 1) ** 2 / 4
    if blocks < 2 or treatments < 2 or spread <= 1e-9:
        return Friedman(means, np.nan, np.nan, np.nan, difference, blocks, level)

    def statistic(ranks: FloatArray) -> FloatArray:
        centred = ranks.sum(axis=-2) - blocks * (treatments + 1) / 2
        value: FloatArray = (treatments - 1) * (centred**2).sum(axis=-1) / spread
        return value

    observed = float(statistic(ranks))
    generator = np.random.default_rng(0) if rng is None else rng
    shuffled = generator.permuted(np.broadcast_to(ranks, (permutations, *ranks.shape)), axis=2)
    # The observed order is one of the possible ones: a p-value is never 0.
    reached = 1 + np.count_nonzero(statistic(shuffled) >= observed * (1 - 1e-12))
    tail = float(chi2.sf(observed, treatments - 1))
    return Friedman(means, observed, tail, reached / (permutations + 1), difference, blocks, level)


@cache
def nemenyi_difference(treatments: int, blocks: int, *, level: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks, q / sqrt(2) * sqrt(k (k + 1) / (6 n)).

    q is the upper `level` quantile of the studentised range of k means with infinitely many degrees of freedom.

    Returns:
        NaN with fewer than two treatments or blocks.
    """
    if treatments < 2 or blocks < 2:
        return float("nan")
    q = studentized_range.ppf(1 - level, treatments, np.inf)
    return float(q / np.sqrt(2) * np.sqrt(treatments * (treatments + 1) / (6 * blocks)))


def cliques(mean_ranks: FloatArray, critical_difference: float) -> list[list[int]]:
    """Largest groups of treatments none of which differ: positions in order of rank, groups of two or more.

    Args:
        mean_ranks: (k,) mean ranks.
        critical_difference: largest difference that is none; NaN gives one group of all.
    """
    order = [int(i) for i in np.argsort(mean_ranks, kind="stable")]
    reach = np.inf if np.isnan(critical_difference) else critical_difference
    groups: list[list[int]] = []
    for start, first in enumerate(order):
        group = [i for i in order[start:] if mean_ranks[i] - mean_ranks[first] <= reach]
        if len(group) > 1 and not (groups and set(group) <= set(groups[-1])):
            groups.append(group)
    return groups
