"""No smaller penalty works, every larger one does, and what happens at the infimal penalty itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from uqalign.scoring_rules.penalised import penalised_score
from uqalign.scoring_rules.penalties import BASES, Base, admissible_penalties, endpoints, infimal_penalty
from uqalign.scoring_rules.ties import TIES, Ties, counts_as_correct
from uqalign.scoring_rules.verification.optima import two_way_ties

STEP = 1e-6
_NEAR = 1e-9


def _scores(p: Any, y: Any, base: Base, penalty: float, ties: Ties) -> Any:
    return penalised_score(y, p, base=base, penalty=penalty, ties=ties, reduction="none")


def _margin_of_witnesses(c: int, base: Base, penalty: float, ties: Ties) -> float:
    """Best incorrect minus worst correct score over both extremal forecasts and their neighbours, all true classes."""
    one = np.eye(c)
    forecasts, classes = [], []
    for w in range(c):
        uniform, pairs = np.full((1, c), 1 / c), two_way_ties(w, c)
        lost = pairs * (1 + _NEAR)
        lost[:, w] = 0.5 * (1 - _NEAR)
        for p in (uniform, (1 - _NEAR) * uniform + _NEAR * one[w], pairs, lost):
            forecasts.append(p)
            classes.append(np.full(len(p), w))
    p, y = np.concatenate(forecasts), np.concatenate(classes)
    correct = counts_as_correct(y, p, ties=ties)
    score = _scores(p, y, base, penalty, ties)
    return float(score[~correct].min() - score[correct].max())


def minimality_checks(classes: Iterable[int], optimised: dict[tuple[int, Base], float]) -> Iterator[dict[str, Any]]:
    """One row per number of classes, base and convention.

    Args:
        classes: numbers of classes.
        optimised: infimal penalty by (classes, base), the difference of optimised endpoints.
    """
    for c in classes:
        for base in BASES:
            infimal = infimal_penalty(c, base)
            for ties in TIES:
                ends = endpoints(c, base, ties=ties)
                both = ends.correct_attained and ends.incorrect_attained
                below = _margin_of_witnesses(c, base, infimal - STEP, ties) if infimal > STEP else float("nan")
                yield {
                    "classes": c,
                    "base": base,
                    "ties": ties,
                    "infimal": infimal,
                    "optimised": optimised[c, base],
                    "margin_below": below,
                    "margin_at": _margin_of_witnesses(c, base, infimal, ties),
                    "margin_above": infimal + STEP - optimised[c, base],
                    "admissible_at": infimal in admissible_penalties(c, base, ties=ties),
                    "attainment_allows_it": not both,
                }


def orders(n_classes: int, seed: int) -> dict[str, list[int]]:
    """Four orders of the classes by name."""
    middle = sorted(range(n_classes), key=lambda k: (abs(2 * k - n_classes), k))
    return {
        "lowest first": list(range(n_classes)),
        "highest first": list(range(n_classes))[::-1],
        "middle first": middle,
        "random": np.random.default_rng(seed).permutation(n_classes).tolist(),
    }


def exact_margin(n_classes: int, order: list[int]) -> Fraction:
    """Margin of the Brier rule at its infimal penalty under an order, in rational arithmetic.

    The worst correct forecast is the uniform one for the first class; the best incorrect ones are two-way ties for
    the class that comes later in the order.
    """
    c = n_classes
    penalty = Fraction(c - 2, 2 * c)

    def predicted(p: list[Fraction]) -> int:
        return next(k for k in order if p[k] == max(p))

    def score(p: list[Fraction], w: int) -> Fraction:
        loss = sum(((p[k] - (k == w)) ** 2 for k in range(c)), start=Fraction(0))
        return loss + penalty * (predicted(p) != w)

    uniform = [Fraction(1, c)] * c
    correct = [score(uniform, w) for w in range(c) if predicted(uniform) == w]
    incorrect = []
    for a in range(c):
        for b in range(a):
            p = [Fraction(int(k in (a, b)), 2) for k in range(c)]
            incorrect += [score(p, w) for w in (a, b) if predicted(p) != w]
    return min(incorrect) - max(correct)


def order_checks(classes: Iterable[int], seed: int) -> Iterator[dict[str, Any]]:
    """Margin at the infimal penalty under four orders: exactly zero, so the penalty is not admissible under any."""
    for c in classes:
        for name, order in orders(c, seed).items():
            uniform, first = np.full((1, c), 1 / c), [order[0]]
            pair = np.zeros((1, c))
            pair[0, order[:2]] = 0.5
            rounded = {}
            for base in BASES:
                value = infimal_penalty(c, base)
                scores = [
                    penalised_score(y, p, base=base, penalty=value, order=order)
                    for y, p in ((first, uniform), ([order[1]], pair))
                ]
                rounded[base] = scores[1] - scores[0]
            yield {
                "classes": c,
                "order": name,
                "brier_exact": str(exact_margin(c, order)),
                "brier": rounded["brier"],
                "log": rounded["log"],
            }
