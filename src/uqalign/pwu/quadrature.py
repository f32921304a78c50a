"""Expected utility of a risk-averse top-k decision by quadrature over the aversion factor, with an error estimate."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from uqalign.checks import FloatArray
from uqalign.priors import Beta, Prior
from uqalign.pwu.lines import Lines, utility_at
from uqalign.pwu.rank_weights import RankWeights

FEWEST_NODES = 8
MOST_NODES = 4096
CHANGES = 3
TOLERANCE = 1e-6
"""Change under doubling at which to stop, in standard deviations of the payoff at the mean aversion."""

GAUSS_LIMIT = 200
"""Largest a + b of a Beta prior whose Gauss-Jacobi rule is used; the rule's normalisation overflows later on."""


@lru_cache(maxsize=32)
def nodes(prior: Prior, m: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of an m-point rule for E[f(g)], g ~ prior.

    Gauss-Jacobi for a Beta prior: best for the smooth part of the utility, which dominates with many rows. For any
    other prior one node at the mean of each of m strata of equal probability: exact for what is linear in g.
    """
    if isinstance(prior, Beta) and prior.a + prior.b <= GAUSS_LIMIT:
        x, weight = special.roots_jacobi(m, prior.b - 1, prior.a - 1)
        return (x + 1) / 2, weight / weight.sum()
    edges = prior.quantile(np.arange(1, m) / m)
    below = np.concatenate([[0.0], prior.partial_mean(edges), [prior.mean]])
    return np.diff(below) * m, np.full(m, 1 / m)


def quadrature_utility(lines: Lines, ranks: RankWeights, prior: Prior) -> tuple[float, float]:
    """E[U] over k and the aversion factor g ~ prior, and an estimate of its error.

    The number of nodes doubles until the changes fall below the tolerance. Errors fall at least like 1/m, with an
    erratic factor because the utility jumps at every crossing: one change under doubling can be small by luck. The
    estimate is therefore twice the largest of the last three changes, each carried forward to the last m.
    """
    payoff = lines.gain - prior.mean * lines.charge
    tolerance = TOLERANCE * float(np.std(payoff))
    values: list[float] = []
    m = FEWEST_NODES
    while True:
        at, weight = nodes(prior, m)
        values.append(float(np.sum(weight * [utility_at(lines, ranks, g) for g in at])))
        if len(values) > CHANGES:
            changes = np.abs(np.diff(values[-CHANGES - 1 :]))
            change = float(np.max(changes * 0.5 ** np.arange(CHANGES)[::-1]))
            if change <= tolerance or m >= MOST_NODES:
                return values[-1], 2 * change
        m *= 2
