"""Utilities in exact rational arithmetic, and comparisons that hold for every decision of a family at once.

A utility is piecewise linear in its continuous parameter, with finitely many breakpoints given by the predictions.
Comparing two predictions at every breakpoint and at both ends of every piece therefore compares them for all theta,
and hence under every prior: if no decision prefers b to a, no prior does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from uqalign.tasks import Task

Rationals = list[Fraction]
Prediction = tuple[Any, ...]


@dataclass(frozen=True)
class Slice:
    """A one-dimensional part of a family: fixed discrete parameters, one continuous parameter or none.

    Attributes:
        fixed: discrete parameters by name.
        parameter: name of the continuous parameter, "" if there is none.
        high: its upper end (it starts at 0); None without bound.
        utility: exact utility of a prediction at a value of the parameter.
        breakpoints: values at which the utility of a prediction may leave its straight line.
    """

    fixed: Mapping[str, int]
    parameter: str
    high: Fraction | None
    utility: Callable[[Prediction, Fraction], Fraction]
    breakpoints: Callable[[Prediction], set[Fraction]]


@dataclass(frozen=True)
class Comparison:
    """How the decisions of a family see prediction a against prediction b.

    Attributes:
        never_worse: no decision prefers b.
        sometimes_better: some decisions prefer a.
        gain: largest utility that a decision gains by a instead of b (a limit at the end of a piece).
        at: the decision with that gain.
        loss: largest utility that a decision loses.
        lost_at: the decision with that loss.
    """

    never_worse: bool
    sometimes_better: bool
    gain: float
    at: Mapping[str, float]
    loss: float
    lost_at: Mapping[str, float]


def rationals(values: Any) -> Rationals:
    """The exact values of floats (n,)."""
    return [Fraction(float(value)) for value in np.asarray(values).ravel()]


def _tied_top_mean(score: Rationals, payoff: Rationals, k: int) -> Fraction:
    """Mean payoff of the k highest scores, in expectation over the order of tied rows."""
    left, total = Fraction(k), Fraction(0)
    for level in sorted(set(score), reverse=True):
        block = [pay for value, pay in zip(score, payoff, strict=True) if value == level]
        taken = min(left, Fraction(len(block)))
        total += taken * sum(block, Fraction(0)) / len(block)
        left -= taken
        if left == 0:
            break
    return total / k


def _threshold(positive: Rationals, p: Callable[[Prediction], Rationals], fixed: Mapping[str, int]) -> Slice:
    n = len(positive)

    def utility(prediction: Prediction, c: Fraction) -> Fraction:
        losses = ((1 - y) * c if f > c else y * (1 - c) for y, f in zip(positive, p(prediction), strict=True))
        return -sum(losses, Fraction(0)) / n

    def breakpoints(prediction: Prediction) -> set[Fraction]:
        return set(p(prediction))

    return Slice(fixed, "c", Fraction(1), utility, breakpoints)


def binary_decision(y: Any) -> list[Slice]:
    """All c in (0, 1)."""
    return [_threshold(rationals(y), lambda prediction: rationals(prediction[0]), {})]


def one_vs_rest(y: Any, n_classes: int) -> list[Slice]:
    """All (j, c)."""

    def column(j: int) -> Callable[[Prediction], Rationals]:
        return lambda prediction: rationals(np.asarray(prediction[0])[:, j])

    labels = np.asarray(y)
    return [_threshold(rationals(labels == j), column(j), {"j": j}) for j in range(n_classes)]


def top_k(y: Any) -> list[Slice]:
    """All k in 1 .. n."""
    labels = rationals(y)

    def at(k: int) -> Slice:
        def utility(prediction: Prediction, _: Fraction) -> Fraction:
            return _tied_top_mean(rationals(prediction[0]), labels, k)

        return Slice({"k": k}, "", None, utility, lambda prediction: set())

    return [at(k) for k in range(1, len(labels) + 1)]


def selective(y: Any) -> list[Slice]:
    """All lambda > 0."""
    targets = rationals(y)

    def utility(prediction: Prediction, cost: Fraction) -> Fraction:
        mean, var = (rationals(part) for part in prediction)
        losses = ((t - m) ** 2 if v <= cost else cost for t, m, v in zip(targets, mean, var, strict=True))
        return -sum(losses, Fraction(0)) / len(targets)

    return [Slice({}, "lambda", None, utility, lambda prediction: set(rationals(prediction[1])))]


def multivariate_selective(y: Any) -> list[Slice]:
    """All lambda > 0, in units of each coordinate's population variance.

    Raises:
        ValueError: a coordinate is constant.
    """
    columns = [rationals(column) for column in np.asarray(y).T]
    units = [_variance(column) for column in columns]
    if not all(units):
        raise ValueError(f"coordinate {units.index(Fraction(0))} of y is constant: its costs have no unit")
    size = len(columns) * len(columns[0])

    def marginals(prediction: Prediction, d: int) -> tuple[Rationals, Rationals]:
        mean, cov = np.asarray(prediction[0]), np.asarray(prediction[1])
        return rationals(mean[:, d]), [v / units[d] for v in rationals(cov[:, d, d])]

    def utility(prediction: Prediction, cost: Fraction) -> Fraction:
        total = Fraction(0)
        for d, (targets, unit) in enumerate(zip(columns, units, strict=True)):
            for t, m, v in zip(targets, *marginals(prediction, d), strict=True):
                total += (t - m) ** 2 / unit if v <= cost else cost
        return -total / size

    def breakpoints(prediction: Prediction) -> set[Fraction]:
        return {v for d in range(len(columns)) for v in marginals(prediction, d)[1]}

    return [Slice({}, "lambda", None, utility, breakpoints)]


def _variance(values: Rationals) -> Fraction:
    centre = sum(values, Fraction(0)) / len(values)
    return sum(((value - centre) ** 2 for value in values), Fraction(0)) / len(values)


def risk_averse_top_k(y: Any) -> list[Slice]:
    """All k in 1 .. n and gamma > 0, charged for the reported variance."""
    targets = rationals(y)

    def at(k: int) -> Slice:
        def utility(prediction: Prediction, gamma: Fraction) -> Fraction:
            mean, var = (rationals(part) for part in prediction)
            score = [m - gamma * v for m, v in zip(mean, var, strict=True)]
            payoff = [t - gamma * v for t, v in zip(targets, var, strict=True)]
            return _tied_top_mean(score, payoff, k)

        return Slice({"k": k}, "gamma", None, utility, _crossings)

    return [at(k) for k in range(1, len(targets) + 1)]


def _crossings(prediction: Prediction) -> set[Fraction]:
    mean, var = (rationals(part) for part in prediction)
    lines = set(zip(mean, var, strict=True))
    return {(m - n) / (v - w) for (m, v), (n, w) in combinations(lines, 2) if v != w}


SLICES: Mapping[str, tuple[Task, Callable[[Any, Prediction], list[Slice]]]] = MappingProxyType(
    {
        "binary_decision": ("binary", lambda y, prediction: binary_decision(y)),
        "top_k": ("binary", lambda y, prediction: top_k(y)),
        "one_vs_rest": ("multiclass", lambda y, prediction: one_vs_rest(y, np.asarray(prediction[0]).shape[1])),
        "selective": ("regression", lambda y, prediction: selective(y)),
        "risk_averse_top_k": ("regression", lambda y, prediction: risk_averse_top_k(y)),
        "multivariate_selective": ("multivariate", lambda y, prediction: multivariate_selective(y)),
    }
)
"""Per family, its task and its slices for given rows."""


def compare(family: str, y: Any, a: Prediction, b: Prediction) -> Comparison:
    """How every decision of `family` sees prediction `a` against `b` on the rows `y`, in exact arithmetic.

    Args:
        family: name of a decision family.
        y: labels or targets.
        a, b: predictions (p,), (mean, var) or (mean, cov).
    """
    found: list[tuple[Fraction, dict[str, float]]] = []
    for part in SLICES[family][1](y, a):
        found += _differences(part, a, b)
    best = max(found, key=lambda item: item[0])
    worst = min(found, key=lambda item: item[0])
    return Comparison(
        never_worse=worst[0] >= 0,
        sometimes_better=best[0] > 0,
        gain=float(max(best[0], Fraction(0))),
        at=best[1],
        loss=float(max(-worst[0], Fraction(0))),
        lost_at=worst[1],
    )


def _differences(part: Slice, a: Prediction, b: Prediction) -> list[tuple[Fraction, dict[str, float]]]:
    """Utility of a minus that of b at the breakpoints and at both ends of every piece (or far out, on the last one)."""

    def gap(theta: Fraction) -> Fraction:
        return part.utility(a, theta) - part.utility(b, theta)

    def named(theta: Fraction) -> dict[str, float]:
        return {**part.fixed, **({part.parameter: float(theta)} if part.parameter else {})}

    if not part.parameter:
        return [(gap(Fraction(0)), named(Fraction(0)))]
    inside = {x for x in part.breakpoints(a) | part.breakpoints(b) if x > 0 and (part.high is None or x < part.high)}
    edges = [Fraction(0), *sorted(inside)]
    found = [(gap(x), named(x)) for x in edges[1:]]
    ends: Sequence[Fraction | None] = [*edges[1:], part.high]
    for low, high in zip(edges, ends, strict=True):
        third = Fraction(1) if high is None else (high - low) / 3
        first, second = gap(low + third), gap(low + 2 * third)
        slope = (second - first) / third
        found += [(first - slope * third, named(low + third)), (first, named(low + third))]
        if high is not None:
            found.append((second + slope * third, named(low + 2 * third)))
        elif slope:
            # On the unbounded piece the slope wins in the end: a point far enough out has its sign.
            far = low + 3 * third + 2 * abs(second / slope)
            found.append((gap(far), named(far)))
    return found
