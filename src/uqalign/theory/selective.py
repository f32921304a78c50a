"""Why MSE and Gaussian NLL are not aligned with selective prediction over all lambda > 0.

No single pair of predictions can show it. At a lambda above all variances everybody predicts, so the family contains
the MSE's own ordering; and the NLL is what the improper weight 1 / lambda^2 makes of the family, so that a prediction
which no decision prefers never has the lower NLL. The proofs therefore go through the priors: sweeps of pairs that tie
under the metric leave the MSE none, and the NLL leaves only the Pareto priors, which start above zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from uqalign.metrics import gaussian_nll, mean_squared_error, multivariate_mean_squared_error
from uqalign.priors import Beta, Gamma, LogNormal, Pareto, PointMass, Prior, Uniform
from uqalign.pwu import selective_pwu
from uqalign.theory.counterexamples import prefers
from uqalign.theory.exact import compare


@dataclass(frozen=True)
class Sweep:
    """Pairs that tie under a metric while the decisions of an interval prefer one of them.

    Attributes:
        pairs: number of pairs examined.
        low, high: the intervals cover low <= lambda < high without gaps.
        tied: all pairs tie under the metric.
        decided: in every pair no decision prefers the second prediction, and some prefer the first.
    """

    pairs: int
    low: float
    high: float
    tied: bool
    decided: bool

    @property
    def refutes(self) -> bool:
        """No prior with mass on the interval makes the metric's ties ties of expected utility."""
        return self.tied and self.decided


def squared_error_sweep(octaves: int = 20, *, multivariate: bool = False) -> Sweep:
    """Right means with variance 2^k or 2^(k+1): equal MSE, but lambda in [2^k, 2^(k+1)) prefers the smaller.

    A prior on (0, inf) has mass in one of these intervals, and there expected utility differs where the MSE ties.
    """
    exponents = range(-octaves, octaves)
    tied, decided = True, True
    for k in exponents:
        small, large = 2.0**k, 2.0 ** (k + 1)
        if multivariate:
            y = np.array([[-1.0, -1.0], [1.0, 1.0]])  # variance 1 in both coordinates
            sides = [(y, np.tile(np.diag([v, 1.0]), (2, 1, 1))) for v in (small, large)]
            values = {multivariate_mean_squared_error(y, *side) for side in sides}
            comparison = compare("multivariate_selective", y, *sides)
        else:
            y = np.array([0.0])
            sides = [(y, np.array([v])) for v in (small, large)]
            values = {mean_squared_error(y, *side) for side in sides}
            comparison = compare("selective", y, *sides)
        tied &= len(values) == 1
        decided &= comparison.never_worse and comparison.sometimes_better
    return Sweep(len(exponents), 2.0**-octaves, 2.0**octaves, tied, decided)


PRIORS: tuple[Prior, ...] = (
    Beta(2, 10),
    Beta(10, 2),
    Uniform(0, 1),
    LogNormal(0, 1),
    Gamma(2, 1),
    Pareto(1, 0.01),
    Pareto(2, 0.5),
    PointMass(1.0),
)
"""Priors for which a reversal is constructed; Pareto(1, eps) is the paper's own, with variances below eps allowed."""


@dataclass(frozen=True)
class Reversal:
    """Two predictions of one row with target 0: NLL prefers the first, expected utility the second.

    Attributes:
        prior: prior on lambda.
        squared_error, variance: of the first and of the second prediction.
        nll: their NLL.
        expected_loss: minus their expected utility under the prior.
    """

    prior: Prior
    squared_error: tuple[float, float]
    variance: tuple[float, float]
    nll: tuple[float, float]
    expected_loss: tuple[float, float]

    @property
    def refutes(self) -> bool:
        """The NLL strictly prefers the first prediction, and expected utility strictly the second."""
        return prefers(*self.nll) and prefers(*self.expected_loss[::-1])


def nll_reversal(prior: Prior) -> Reversal:
    """Two predictions that the NLL and expected utility under `prior` order differently.

    With squared error x and variance s, expected loss is x T(s) + L(s) and NLL is x / (2 s) + log(2 pi s) / 2. Along
    fixed s, expected loss is a line in the NLL with slope 2 s T(s). Alignment needs one slope for all s, T(s) = m / s,
    which no probability has: near s = 0 it would exceed 1. So two variances with different slopes exist, and far
    enough out the flatter line wins although its NLL is higher.

    Raises:
        ValueError: all mass of the prior lies outside the variances tried, 1e-6 to 1e3.
    """
    grid = np.geomspace(1e-6, 1e3, 400)
    slopes = 2 * grid * prior.tail(grid)
    flat, steep = int(np.argmin(slopes)), int(np.argmax(slopes))
    variance = (float(grid[steep]), float(grid[flat]))
    for height in 2.0 ** np.arange(40):
        # NLL `height` for the first prediction, a little more for the second.
        nll = (float(height), float(height) + 1e-3)
        error = (_error(nll[0], variance[0]), _error(nll[1], variance[1]))
        reversal = _reversal(prior, error, variance)
        if min(error) >= 0 and reversal.refutes:
            return reversal
    raise ValueError(f"no reversal between variances 1e-6 and 1e3: {prior} has its mass elsewhere")


def _error(nll: float, variance: float) -> float:
    return 2 * variance * (nll - 0.5 * math.log(2 * math.pi * variance))


def _reversal(prior: Prior, error: tuple[float, float], variance: tuple[float, float]) -> Reversal:
    y = np.zeros(2)
    mean, var = np.sqrt(np.maximum(error, 0.0)), np.array(variance)
    nll = gaussian_nll(y, mean, var, reduction="none")
    loss = selective_pwu(y, mean, var, prior=prior, target_variance=1.0, reduction="none")
    return Reversal(prior, error, variance, (float(nll[0]), float(nll[1])), (float(loss[0]), float(loss[1])))


def abstention_under_inverse_square(eps: float) -> float:
    """Expected cost of abstaining below lambda = 1 under the weight 1 / lambda^2 on lambda > eps: log(1 / eps).

    It grows without bound as eps falls to 0, so the weight that would align the NLL for all variances gives no finite
    expected utility.
    """
    nodes, rule = np.polynomial.legendre.leggauss(20)
    total = 0.0
    edges = np.append(np.geomspace(eps, 1, 60), 1.0)
    for low, high in pairwise(edges):
        cost = (low + high) / 2 + (high - low) / 2 * nodes
        total += (high - low) / 2 * float(np.sum(rule * cost / cost**2))
    return total
