"""Endpoints found by constrained optimisation, without their closed forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

from uqalign.checks import FloatArray
from uqalign.scoring_rules.penalties import BASES, Base, endpoints
from uqalign.scoring_rules.ties import LETTER, TIES, Ties, counts_as_correct

_APPROACH = 1e-7


def _sum_to_one(c: int) -> dict[str, Any]:
    return {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(c)}


def _inequality(rows: FloatArray) -> dict[str, Any]:
    return {"type": "ineq", "fun": lambda p: rows @ p, "jac": lambda p: rows}


def linear_optimum(cost: FloatArray, rows: FloatArray) -> FloatArray:
    """The forecast with the least `cost @ p` among those with `rows @ p >= 0`."""
    c = len(cost)
    found = linprog(cost, A_ub=-rows, b_ub=np.zeros(len(rows)), A_eq=np.ones((1, c)), b_eq=[1.0], bounds=(0, 1))
    if not found.success:
        raise ArithmeticError(f"the linear programme in {c} classes failed: {found.message}")
    p: FloatArray = found.x
    return p


def largest_brier(true_class: int, rows: FloatArray, rng: np.random.Generator) -> float:
    """Largest Brier score for `true_class` among forecasts with `rows @ p >= 0`.

    A convex function lies above its tangents, so the vertex that is best for the tangent at any point is better than
    the point; from random points this climbs until nothing improves.
    """
    c = rows.shape[1]
    one = np.eye(c)[true_class]
    best = 0.0
    for _ in range(3):
        p = rng.dirichlet(np.ones(c))
        value = -np.inf
        while True:
            p = linear_optimum(-2 * (p - one), rows)
            score = float(((p - one) ** 2).sum())
            if score <= value + 1e-15:
                break
            value = score
        best = max(best, value)
    return best


def smallest_brier(true_class: int, rows: FloatArray, rng: np.random.Generator) -> float:
    """Smallest Brier score for `true_class` among forecasts with `rows @ p >= 0`, by sequential quadratic programming.

    A strictly convex function on a convex set: one start finds the only minimum.
    """
    c = rows.shape[1]
    one = np.eye(c)[true_class]
    found = minimize(
        lambda p: float(((p - one) ** 2).sum()),
        rng.dirichlet(np.ones(c)),
        jac=lambda p: 2 * (p - one),
        bounds=[(0, 1)] * c,
        constraints=[_sum_to_one(c), _inequality(rows)],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return float(found.fun)


def optimised_endpoints(n_classes: int, base: Base, rng: np.random.Generator) -> tuple[float, float]:
    """Supremum over correct and infimum over incorrect forecasts of class 0, both by optimisation.

    The three conventions differ on ties alone, so their sets of forecasts share these closures: correct, p_0 >= p_k
    for all k; incorrect, p_k >= p_0 for some k, by symmetry k = 1.
    """
    c = n_classes
    one = np.eye(c)[0]
    correct, incorrect = one - np.eye(c)[1:], (np.eye(c)[1] - one)[None]
    if base == "brier":
        return largest_brier(0, correct, rng), smallest_brier(0, incorrect, rng)
    return -float(np.log(linear_optimum(one, correct)[0])), -float(np.log(linear_optimum(-one, incorrect)[0]))


def scores_of(p: FloatArray, true_class: int, base: Base) -> FloatArray:
    """Base scores (m,) of forecasts (m, K), written out afresh."""
    if base == "log":
        with np.errstate(divide="ignore"):
            surprise: FloatArray = -np.log(p[:, true_class])
        return surprise
    squared: FloatArray = ((p - np.eye(p.shape[1])[true_class]) ** 2).sum(axis=1)
    return squared


def two_way_ties(true_class: int, n_classes: int) -> FloatArray:
    """The forecasts (c - 1, c) that split everything between `true_class` and one other class."""
    others = np.delete(np.eye(n_classes), true_class, axis=0)
    split: FloatArray = (others + np.eye(n_classes)[true_class]) / 2
    return split


def found_attained(n_classes: int, ties: Ties, true_class: int) -> tuple[bool, bool]:
    """Whether the forecasts at which the endpoints lie are themselves correct, and incorrect."""
    uniform, pairs = np.full((1, n_classes), 1 / n_classes), two_way_ties(true_class, n_classes)
    correct = counts_as_correct(np.array([true_class]), uniform, ties=ties)
    incorrect = ~counts_as_correct(np.full(len(pairs), true_class), pairs, ties=ties)
    return bool(correct.any()), bool(incorrect.any())


def approached(n_classes: int, base: Base, ties: Ties, true_class: int) -> float:
    """How far strictly correct and strictly incorrect forecasts next to the ties score from the closed forms."""
    one = np.eye(n_classes)[true_class]
    winning = (1 - _APPROACH) / n_classes + _APPROACH * one
    losing = two_way_ties(true_class, n_classes)[0] * (1 + _APPROACH)
    losing[true_class] = 0.5 * (1 - _APPROACH)
    p, y = np.stack([winning, losing]), np.array([true_class, true_class])
    ends = endpoints(n_classes, base, ties=ties, true_class=true_class)
    sides = counts_as_correct(y, p, ties=ties)
    if sides.tolist() != [True, False]:
        return float("inf")
    return float(np.abs(scores_of(p, true_class, base) - [ends.correct, ends.incorrect]).max())


def endpoint_checks(classes: Iterable[int], seed: int) -> Iterator[dict[str, Any]]:
    """One row per number of classes, base, convention, and position of the true class in the order."""
    rng = np.random.default_rng(seed)
    for c in classes:
        for base in BASES:
            high, low = optimised_endpoints(c, base, rng)
            for ties in TIES:
                for true_class in (0, c - 1):
                    ends = endpoints(c, base, ties=ties, true_class=true_class)
                    attained = found_attained(c, ties, true_class)
                    yield {
                        "classes": c,
                        "base": base,
                        "ties": ties,
                        "convention": LETTER[ties],
                        "true_class": "first" if true_class == 0 else "last",
                        "correct": ends.correct,
                        "correct_optimised": high,
                        "incorrect": ends.incorrect,
                        "incorrect_optimised": low,
                        "difference": max(abs(ends.correct - high), abs(ends.incorrect - low)),
                        "approached_within": approached(c, base, ties, true_class),
                        "correct_attained": ends.correct_attained,
                        "incorrect_attained": ends.incorrect_attained,
                        "attainment_found": attained == (ends.correct_attained, ends.incorrect_attained),
                    }
