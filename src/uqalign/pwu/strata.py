"""Expected utility of a risk-averse top-k decision by quadrature over the aversion factor, with an error estimate."""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors import Prior
from uqalign.pwu.lines import Lines, utility_at
from uqalign.pwu.rank_weights import RankWeights

FEWEST_STRATA = 32
MOST_STRATA = 4096
TOLERANCE = 5e-7
"""Aimed-at error in units of the payoffs' standard deviation (at the prior's mean aversion)."""


def stratum_means(prior: Prior, m: int) -> FloatArray:
    """E[g | stratum] for the m strata of equal probability between the prior's quantiles.

    One node per stratum, at its mean, integrates payoffs that are linear in g exactly wherever the ranking stays put,
    so only the jumps at crossings are left to the rule, for every prior alike.
    """
    edges = prior.quantile(np.arange(1, m) / m)
    below = np.concatenate([[0.0], prior.partial_mean(edges), [prior.mean]])
    return np.diff(below) * m


def stratified_utility(lines: Lines, ranks: RankWeights, prior: Prior) -> tuple[float, float]:
    """E[U] over k and the aversion factor g ~ prior, and an estimate of its error.

    The number of strata doubles until the estimate falls below the tolerance. The estimate is the larger of the last
    two changes under doubling (the earlier one halved, as errors fall like 1/m), since one change alone can be small
    by luck: the utility jumps at every crossing.
    """
    payoff = lines.gain - prior.mean * lines.charge
    tolerance = TOLERANCE * float(np.std(payoff))
    values: list[float] = []
    m = FEWEST_STRATA
    while True:
        values.append(float(np.mean([utility_at(lines, ranks, g) for g in stratum_means(prior, m)])))
        if len(values) >= 3:
            last, earlier = abs(values[-1] - values[-2]), abs(values[-2] - values[-3])
            error = max(last, earlier / 2)
            if error <= tolerance or m >= MOST_STRATA:
                return values[-1], error
        m *= 2
