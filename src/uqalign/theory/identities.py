"""The identities of Table 1, evaluated on rows that reach far into the tails.

On one side stands the expectation of minus the utility under the implicit prior, integrated numerically from the
utilities themselves (not from the closed forms that the metrics use); on the other, the classical metric. Every
function returns the largest difference over all rows, relative to the metric where that exceeds 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from uqalign.checks import FloatArray
from uqalign.metrics import brier_score, error_rate, gaussian_nll, log_score, mean_squared_error
from uqalign.protocol.utilities import threshold_utility
from uqalign.utilities import binary_decision_utility, one_vs_rest_utility, selective_utility

SEED = 0
ROWS = 25
REACH = 45.0
"""Integrals over logit(c), or over log(lambda), run this far: what lies beyond weighs e^-45."""

_NODES, _RULE = np.polynomial.legendre.leggauss(16)

Losses = Callable[[float], FloatArray]


def _integral(losses: Losses, weight: Callable[[float], float], low: float, breaks: FloatArray) -> FloatArray:
    """Integral of losses(t) weight(t) from `low` to REACH, row by row; a loss may jump at the `breaks` only."""
    edges = np.unique(np.concatenate([np.arange(low, REACH + 1), breaks]))
    parts = []
    for left, right in pairwise(edges):
        half = (right - left) / 2
        for node, rule in zip(_NODES, _RULE, strict=True):
            t = float(left + half + half * node)
            parts.append(half * rule * weight(t) * losses(t))
    return np.array([math.fsum(column) for column in np.array(parts).T])


def _difference(left: FloatArray, right: FloatArray) -> float:
    return float(np.max(np.abs(left - right) / np.maximum(1.0, np.abs(right))))


def _logistic(t: float) -> float:
    return 1 / (1 + math.exp(-t))


def _logit(p: FloatArray) -> FloatArray:
    return np.log(p) - np.log1p(-p)


def _binary_rows() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(SEED)
    p = np.concatenate([[1e-9, 1e-4, 0.25, 0.5, 0.75, 1 - 1e-4, 1 - 1e-9], rng.uniform(size=ROWS)])
    return np.tile([0.0, 1.0], len(p)), np.repeat(p, 2)


def _binary(metric: Callable[..., FloatArray], weight: Callable[[float], float]) -> float:
    """`weight` is that of c times dc/dt = c (1 - c), as a function of t = logit(c)."""
    y, p = _binary_rows()

    def losses(t: float) -> FloatArray:
        return -np.asarray(binary_decision_utility(y, p, c=_logistic(t), reduction="none"))

    return _difference(_integral(losses, weight, -REACH, _logit(p)), metric(y, p, reduction="none"))


def binary_log_score() -> float:
    """NLL = integral of -U_c / (c (1 - c)) over c."""
    return _binary(log_score, lambda t: 1.0)


def binary_brier_score() -> float:
    """Brier score = integral of -2 U_c over c."""
    return _binary(brier_score, lambda t: 2 * _logistic(t) * _logistic(-t))


def binary_error_rate() -> float:
    """Error rate = -2 U_c at c = 1/2, acting iff p > c."""
    y, p = _binary_rows()
    left = -2 * np.asarray(binary_decision_utility(y, p, c=0.5, reduction="none"))
    return _difference(left, np.asarray(error_rate(y, p, reduction="none")))


def error_rate_acting_at_the_threshold() -> float:
    """The same with the published rule, acting iff p >= c: it fails at p = 1/2."""
    y, p = _binary_rows()
    left = np.array([-2 * threshold_utility(y[i : i + 1], p[i : i + 1], c=0.5) for i in range(len(y))])
    return _difference(left, np.asarray(error_rate(y, p, reduction="none")))


def _multiclass(metric: Callable[..., FloatArray], weight: Callable[[float], float]) -> float:
    rng = np.random.default_rng(SEED)
    p = rng.dirichlet([0.3, 1.0, 3.0], size=ROWS)
    y = rng.integers(0, 3, size=ROWS)
    total = np.zeros(ROWS)
    for j in range(3):

        def losses(t: float, j: int = j) -> FloatArray:
            return -np.asarray(one_vs_rest_utility(y, p, j=j, c=_logistic(t), reduction="none"))

        total += _integral(losses, weight, -REACH, _logit(p[:, j]))
    return _difference(total, metric(y, p, reduction="none"))


def multiclass_log_score() -> float:
    """Multiclass NLL = sum over j of the integral of -U_jc / c."""
    return _multiclass(log_score, lambda t: _logistic(-t))


def multiclass_brier_score() -> float:
    """Multiclass Brier score = sum over j of the integral of -2 U_jc."""
    return _multiclass(brier_score, lambda t: 2 * _logistic(t) * _logistic(-t))


EPS = 0.01
"""Lower end of the abstention costs in the Pareto(1, eps) identity."""


def _pareto(var: FloatArray) -> tuple[FloatArray, FloatArray]:
    """E[-U_lambda] under Pareto(1, eps), and h(NLL) = 2 eps NLL - eps log(2 pi eps), row by row."""
    rng = np.random.default_rng(SEED)
    y = rng.normal(size=len(var))
    mean = y + rng.normal(size=len(var)) * np.sqrt(np.maximum(var, EPS))

    def losses(t: float) -> FloatArray:
        return -np.asarray(selective_utility(y, mean, var, cost=EPS * math.exp(t), reduction="none"))

    # lambda = eps e^t has density e^-t; abstaining costs lambda e^-t = eps at every t, so no term grows.
    left = _integral(losses, lambda t: math.exp(-t), 0.0, np.log(np.maximum(var, EPS) / EPS))
    nll = np.asarray(gaussian_nll(y, mean, var, reduction="none"))
    return left, 2 * EPS * nll - EPS * math.log(2 * math.pi * EPS)


def gaussian_log_score() -> float:
    """2 eps NLL - eps log(2 pi eps) = E[-U_lambda], lambda ~ Pareto(1, eps), for variances >= eps."""
    left, right = _pareto(EPS * np.concatenate([[1.0, 1e3, 1e6], np.geomspace(1, 1e4, ROWS)]))
    return _difference(left, right)


def gaussian_log_score_below_eps() -> float:
    """The same for a variance of eps / 2, where it fails."""
    left, right = _pareto(np.array([EPS / 2]))
    return float(abs(left[0] - right[0]) / EPS)


def squared_error() -> float:
    """MSE = -U_lambda at lambda = infinity."""
    rng = np.random.default_rng(SEED)
    y, mean, var = rng.normal(size=ROWS), rng.normal(size=ROWS), rng.uniform(size=ROWS)
    left = -np.asarray(selective_utility(y, mean, var, cost=math.inf, reduction="none"))
    return _difference(left, np.asarray(mean_squared_error(y, mean, var, reduction="none")))
