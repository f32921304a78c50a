"""Penalties per true class: endpoints and thresholds by enumeration and optimisation, and what is proper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.scoring_rules.checkers import check_propriety
from uqalign.scoring_rules.penalties import BASES, Base
from uqalign.scoring_rules.per_class import DECISIONS, class_penalised_score, class_threshold
from uqalign.scoring_rules.verification.optima import linear_optimum, smallest_brier


def enumerated_correct(ratios: FloatArray, true_class: int, base: Base) -> float:
    """Largest base score of forecasts decided for `true_class`, over all vertices of that set of forecasts."""
    c = len(ratios)
    relative = ratios[true_class] / ratios
    others = [k for k in range(c) if k != true_class]
    best = -np.inf
    for members in chain.from_iterable(combinations(others, size) for size in range(c)):
        p = np.zeros(c)
        p[[true_class, *members]] = relative[[true_class, *members]]
        p /= p.sum()
        score = -np.log(p[true_class]) if base == "log" else ((p - np.eye(c)[true_class]) ** 2).sum()
        best = max(best, float(score))
    return best


def optimised_incorrect(ratios: FloatArray, true_class: int, base: Base, rng: np.random.Generator) -> float:
    """Smallest base score of forecasts decided for another class, by optimisation over each of the others."""
    c = len(ratios)
    one = np.eye(c)[true_class]
    found = []
    for k in range(c):
        if k == true_class:
            continue
        rows = (ratios[k] * np.eye(c)[k] - ratios[true_class] * one)[None]
        if base == "log":
            found.append(-float(np.log(linear_optimum(-one, rows)[true_class])))
        else:
            found.append(smallest_brier(true_class, rows, rng))
    return min(found)


def threshold_checks(draws: int, seed: int) -> Iterator[dict[str, Any]]:
    """One row per random vector of ratios and base: the threshold in closed form and by search."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        c = int(rng.integers(3, 8))
        ratios = np.exp(rng.normal(scale=0.8, size=c))
        for base in BASES:
            high = max(enumerated_correct(ratios, w, base) for w in range(c))
            low = np.array([optimised_incorrect(ratios, w, base, rng) for w in range(c)])
            searched = float(((high - low) / ratios).max())
            closed = class_threshold(ratios, base)
            yield {
                "classes": c,
                "base": base,
                "largest_ratio": float(ratios.max() / ratios.min()),
                "threshold": closed,
                "searched": searched,
                "difference": abs(closed - searched),
            }


def propriety_checks(seed: int) -> Iterator[dict[str, Any]]:
    """One row per decision, base and inequality of the penalties: what a search for profitable lies finds."""
    for unequal in (1.0, 1.01, 4.0):
        penalties = np.array([unequal, 1.0, 1.0, 1.0])
        for decision in DECISIONS:
            for base in BASES:
                rule = partial(
                    class_penalised_score, penalties=penalties, base=base, decision=decision, reduction="none"
                )
                report = check_propriety(rule, 4, draws=60, seed=seed)
                yield {
                    "decision": decision,
                    "base": base,
                    "penalties": "1, 1, 1, 1" if unequal == 1 else f"{unequal:g}, 1, 1, 1",
                    "found": report.status,
                    "largest_gain": report.gain,
                    "truth": ", ".join(f"{q:.4g}" for q in report.truth),
                    "report": ", ".join(f"{q:.4g}" for q in report.report),
                }
