"""Pairs of predictions that show a metric not aligned with a family of decisions, under any prior whatsoever.

A metric M is aligned with a family under a prior if it orders any two predictions as their expected utility does
(Schneider et al. 2026, Proposition 3.4). A pair refutes this for all priors at once if M strictly prefers one
prediction while no decision of the family does: whatever the weights, their mean cannot prefer it either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from uqalign.metrics.metric import Metric
from uqalign.metrics.registry import get
from uqalign.tasks import Task
from uqalign.theory.exact import Comparison, Prediction, compare

MARGIN = 1e-9
"""Smallest difference between two metric values, relative to their size, that counts as a strict preference."""


@dataclass(frozen=True, eq=False)
class Counterexample:
    """Two predictions of the same rows.

    Attributes:
        y: labels or targets.
        useful: the prediction that no decision of the family would swap for the other.
        flattered: the prediction that the metric prefers.
        metric_useful, metric_flattered: the metric's values, oriented so that lower is better.
        comparison: how the decisions see `useful` against `flattered`.
    """

    y: tuple[Any, ...]
    useful: Prediction
    flattered: Prediction
    metric_useful: float
    metric_flattered: float
    comparison: Comparison

    @property
    def refutes_every_prior(self) -> bool:
        """The metric strictly prefers what no decision prefers."""
        return prefers(self.metric_flattered, self.metric_useful) and self.comparison.never_worse

    def text(self) -> str:
        """The pair in one line."""
        best = ", ".join(f"{name} = {value:.3g}" for name, value in self.comparison.at.items())
        verdict = f"one gains {self.comparison.gain:.3g} at {best}" if self.comparison.gain else "all are indifferent"
        return (
            f"y = {_listed(self.y)}: the metric prefers {_shown(self.flattered)} ({self.metric_flattered:.4g}) to "
            f"{_shown(self.useful)} ({self.metric_useful:.4g}), no decision does; with the latter, {verdict}"
        )


def prefers(value: float, other: float) -> bool:
    """Whether a metric of which lower is better strictly prefers `value`, beyond rounding."""
    return value < other - MARGIN * max(abs(value), abs(other), MARGIN)


def _listed(values: Any) -> str:
    return str(np.round(np.asarray(values, dtype=float), 4).tolist())


def _shown(prediction: Prediction) -> str:
    return " with variances ".join(_listed(part) for part in prediction)


def examine(metric: Metric, family: str, y: Any, useful: Prediction, flattered: Prediction) -> Counterexample:
    """Evaluate a pair: the metric's values and the comparison by every decision."""
    target = np.asarray(y)
    a, b = (tuple(np.asarray(part, dtype=float) for part in side) for side in (useful, flattered))
    return Counterexample(
        y=tuple(target.tolist()),
        useful=a,
        flattered=b,
        metric_useful=metric.signed(metric.evaluate(target, a)) + 0.0,
        metric_flattered=metric.signed(metric.evaluate(target, b)) + 0.0,
        comparison=compare(family, target, a, b),
    )


@dataclass(frozen=True)
class _Pair:
    y: Any
    useful: Prediction
    flattered: Prediction


_RANKED = _Pair([1, 0], ([0.2, 0.1],), ([0.5, 0.5],))
"""A perfect ranking by low probabilities, against a calibrated coin."""

_ALL_POSITIVE = _Pair([1, 0, 0], ([0.9, 0.8, 0.7],), ([0.3, 0.3, 0.3],))
_CALIBRATED_COIN = _Pair([0, 1], ([0.1, 0.9],), ([0.5, 0.5],))
_LUCKY_COVERAGE = _Pair([1.0, 2.0], ([2.0, 5.0], [0.25, 1.25]), ([2.0, 5.0], [4.25, 0.25]))
_WRONG_WINNER = _Pair([1.0, 4.0], ([3.0, 5.0], [0.25, 0.25]), ([2.5, 2.0], [3.25, 3.25]))

_THIRD = 1 / 3
_CORRELATED = _Pair(
    [[0.0, 0.0], [2.0, 2.0]],
    ([[0.0, 0.0], [2.0, 2.0]], [[[1.0, 0.0], [0.0, 1.0]]] * 2),
    ([[0.0, 0.0], [2.0, 2.0]], [[[1.0, 0.8], [0.8, 1.0]]] * 2),
)
"""Right means, and covariances that differ off the diagonal only: no coordinate-wise decision can tell them apart."""

_PAIRS: Mapping[tuple[Task, str, str], _Pair] = MappingProxyType(
    {
        ("binary", "binary_decision", "ece"): _CALIBRATED_COIN,
        ("binary", "binary_decision", "mce"): _CALIBRATED_COIN,
        ("binary", "binary_decision", "rauc"): _Pair([0, 0, 1], ([0.5, 0.6, 0.5],), ([0.4, 0.6, 0.4],)),
        ("binary", "binary_decision", "edet"): _Pair([1, 1, 0], ([0.6, 0.2, 0.3],), ([0.2, 0.9, 0.9],)),
        ("binary", "top_k", "nll"): _RANKED,
        ("binary", "top_k", "brier"): _RANKED,
        ("binary", "top_k", "accuracy"): _ALL_POSITIVE,
        ("binary", "top_k", "ece"): _RANKED,
        ("binary", "top_k", "mce"): _RANKED,
        ("binary", "top_k", "rauc"): _Pair([1, 0, 0], ([0.5, 0.2, 0.9],), ([0.4, 0.5, 0.4],)),
        ("binary", "top_k", "edet"): _Pair([0, 0, 1], ([0.4, 0.7, 0.6],), ([0.6, 0.2, 0.2],)),
        ("multiclass", "one_vs_rest", "ece"): _Pair(
            [0, 1, 2],
            ([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]],),
            ([[_THIRD] * 3] * 3,),
        ),
        ("regression", "selective", "ece"): _LUCKY_COVERAGE,
        ("regression", "selective", "mce"): _Pair([1.0, 3.0], ([3.5, 4.5], [1.25, 0.25]), ([4.5, 2.5], [0.25, 1.25])),
        ("regression", "selective", "rauc"): _Pair([3.0, 1.0], ([1.5, 4.5], [3.25, 3.25]), ([1.5, 4.5], [0.25, 2.25])),
        ("regression", "selective", "edet"): _Pair([5.0, 2.0], ([4.0, 2.0], [1.25, 3.25]), ([5.0, 3.5], [3.25, 4.25])),
        ("regression", "risk_averse_top_k", "nll"): _WRONG_WINNER,
        ("regression", "risk_averse_top_k", "mse"): _Pair(
            [1.0, 1.0], ([4.0, 4.5], [0.25, 2.25]), ([2.5, 1.5], [3.25, 4.25])
        ),
        ("regression", "risk_averse_top_k", "ece"): _WRONG_WINNER,
        ("regression", "risk_averse_top_k", "mce"): _WRONG_WINNER,
        ("regression", "risk_averse_top_k", "rauc"): _Pair(
            [1.0, 1.0], ([2.0, 5.0], [2.25, 1.25]), ([2.0, 2.0], [3.25, 2.25])
        ),
        ("regression", "risk_averse_top_k", "edet"): _Pair(
            [3.0, 2.0], ([4.0, 2.0], [1.25, 2.25]), ([4.0, 2.0], [3.25, 2.25])
        ),
        ("multivariate", "multivariate_selective", "nll"): _CORRELATED,
        ("multivariate", "multivariate_selective", "energy_score"): _CORRELATED,
    }
)


def known_counterexample(task: Task, family: str, metric: str) -> Counterexample | None:
    """The stored pair for a built-in metric and a family, evaluated; None if there is none."""
    pair = _PAIRS.get((task, family, metric))
    if pair is None:
        return None
    return examine(get(task, metric), family, pair.y, pair.useful, pair.flattered)
