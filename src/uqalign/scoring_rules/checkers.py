"""Numerical checks of any scoring rule over class probabilities, with witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.scoring_rules.penalties import check_classes
from uqalign.scoring_rules.ties import Ties, check_ties, counts_as_correct

Score = Callable[[Any, Any], Any]
"""Losses (m,) of forecasts: called as score(y_true, p) with classes (m,) and probabilities (m, K)."""

SUPERIORITY_TOLERANCE = 1e-12
PROPRIETY_TOLERANCE = 1e-12
APART = 1e-6
"""Smallest distance in any coordinate at which a report counts as another one than the truth."""

_STEPS = (1e-1, 1e-2, 1e-4, 1e-7)
_ROUNDS = 60


@dataclass(frozen=True)
class Witness:
    """A forecast (K,), the class that happens, and its score."""

    forecast: tuple[float, ...]
    true_class: int
    score: float


@dataclass(frozen=True)
class SuperiorityReport:
    """The worst correct and the best incorrect forecast found.

    Attributes:
        correct: correct forecast with the highest loss.
        incorrect: incorrect forecast with the lowest loss.
        trials: forecasts tried.
    """

    correct: Witness
    incorrect: Witness
    trials: int

    @property
    def margin(self) -> float:
        """By how much the best incorrect forecast scores worse than the worst correct one."""
        return self.incorrect.score - self.correct.score

    @property
    def status(self) -> Literal["separated", "touching", "overlapping"]:
        """Whether the two ranges lie apart; at "touching" rounding hides whether a bound is attained."""
        if abs(self.margin) <= SUPERIORITY_TOLERANCE:
            return "touching"
        return "separated" if self.margin > 0 else "overlapping"

    @property
    def violated(self) -> bool:
        """Whether the two witnesses show that the rule is not superior."""
        return self.status == "overlapping"


@dataclass(frozen=True)
class ProprietyReport:
    """The most rewarding dishonest report found.

    Attributes:
        truth: distribution of the classes (K,).
        report: another forecast (K,).
        gain: expected loss of the truth minus that of the report; positive if lying pays.
        tied: whether some report that differs from its truth scores as well as it, within rounding.
        trials: pairs of a truth and a report tried.
    """

    truth: tuple[float, ...]
    report: tuple[float, ...]
    gain: float
    tied: bool
    trials: int

    @property
    def status(self) -> Literal["strictly proper", "proper", "not proper"]:
        """What the search leaves standing ("not proper" is proved by the witness, the others are no proof)."""
        if self.gain > PROPRIETY_TOLERANCE:
            return "not proper"
        return "proper" if self.tied else "strictly proper"


def _uniform_on(members: Sequence[int], n_classes: int) -> FloatArray:
    p = np.zeros(n_classes)
    p[list(members)] = 1 / len(members)
    return p


def _structured(n_classes: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Forecasts at which something can happen: vertices, two-way ties, ties of every size, the uniform one."""
    for k in range(n_classes):
        for j in range(k):
            yield _uniform_on((j, k), n_classes)
    for size in range(1, n_classes + 1):
        for start in range(n_classes):
            yield _uniform_on([(start + i) % n_classes for i in range(size)], n_classes)
        yield _uniform_on(rng.choice(n_classes, size, replace=False).tolist(), n_classes)


def _tied_modes(n_classes: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Forecasts with a tied mode of every size and something left for the other classes."""
    for size in range(2, n_classes):
        members = rng.choice(n_classes, size, replace=False)
        p = np.full(n_classes, 0.5 / n_classes)
        p[members] = (1 - 0.5 / n_classes * (n_classes - size)) / size
        yield p


def _random(n_classes: int, draws: int, rng: np.random.Generator) -> FloatArray:
    shapes = (0.2, 1.0, 8.0)
    return np.concatenate([rng.dirichlet(np.full(n_classes, a), max(1, draws // len(shapes))) for a in shapes])


def _nudged(p: FloatArray, towards: FloatArray) -> FloatArray:
    return np.concatenate([(1 - step) * p + step * towards for step in _STEPS])


def check_superiority(
    score: Score,
    n_classes: int,
    *,
    ties: Ties = "order",
    order: Sequence[int] | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> SuperiorityReport:
    """Search for a correct forecast that scores no better than an incorrect one.

    Ties of every size, their neighbours and random forecasts are tried for every true class, and the two extremes are
    then improved by a random walk. Finding nothing proves nothing.

    Args:
        score: the rule, `score(y_true, p)` -> losses (m,).
        n_classes: number of classes.
        ties, order: when a forecast is correct; see `counts_as_correct`.
        draws: random forecasts.
        seed: of the search.

    Raises:
        UserError: unknown ties, an order that is none, fewer than 2 classes.
    """
    c = check_classes(n_classes)
    check_ties(ties)
    rng = np.random.default_rng(seed)
    shaped = np.array(list(_structured(c, rng)))
    near = [_nudged(shaped, np.eye(c)[np.full(len(shaped), k)]) for k in range(c)]
    forecasts = np.concatenate([shaped, *near, _random(c, draws, rng)])
    forecasts = _summing_to_one(np.repeat(forecasts, c, axis=0))
    classes = np.tile(np.arange(c), len(forecasts) // c)

    def extreme(p: FloatArray, y: IntArray, *, correct: bool) -> Witness | None:
        kept = np.flatnonzero(counts_as_correct(y, p, ties=ties, order=order) == correct)
        if not len(kept):
            return None
        loss = np.asarray(score(y[kept], p[kept]), dtype=np.float64)
        place = int(loss.argmax() if correct else loss.argmin())
        row = kept[place]
        return Witness(tuple(p[row].tolist()), int(y[row]), float(loss[place]))

    found: list[Witness] = []
    for correct in (True, False):
        best = extreme(forecasts, classes, correct=correct)
        assert best is not None, "vertices are correct for their own class and incorrect for the others"
        for round_ in range(_ROUNDS):
            step = 0.5 * 0.8**round_
            around = (1 - step) * np.array(best.forecast) + step * rng.dirichlet(np.full(c, 0.3), 60)
            other = extreme(_summing_to_one(around), np.full(60, best.true_class), correct=correct)
            if other and (other.score > best.score if correct else other.score < best.score):
                best = other
        found.append(best)
    return SuperiorityReport(found[0], found[1], len(forecasts) + 2 * 60 * _ROUNDS)


def _summing_to_one(p: FloatArray) -> FloatArray:
    """Rows without the rounding error of their sums where that error would leave the simplex."""
    total = p.sum(axis=1, keepdims=True)
    fixed: FloatArray = np.where(total > 1, p / total, p)
    return np.clip(fixed, 0.0, 1.0)


def check_propriety(score: Score, n_classes: int, *, draws: int = 300, seed: int = 0) -> ProprietyReport:
    """Search for a truth under which another report is expected to score better than the truth, or as well.

    Truths: random ones, ties of every size, neighbours of the uniform and of two-way boundaries. Reports: all of these,
    and for every truth its own neighbours and the points across the boundary to its runner-up.

    Args:
        score: the rule, `score(y_true, p)` -> losses (m,); infinite losses are allowed.
        n_classes: number of classes.
        draws: random truths.
        seed: of the search.

    Raises:
        UserError: fewer than 2 classes.
    """
    c = check_classes(n_classes)
    rng = np.random.default_rng(seed)
    shaped = np.array([*_structured(c, rng), *_tied_modes(c, rng)])
    random = _random(c, draws, rng)
    uniform = np.full((1, c), 1 / c)
    close = _nudged(np.repeat(uniform, len(random) // 4 + 1, axis=0), random[: len(random) // 4 + 1])
    truths = _summing_to_one(np.concatenate([shaped, random, close, _across(random, c, 1e-3)]))

    def losses(p: FloatArray) -> FloatArray:
        flat = np.repeat(p, c, axis=0)
        values = np.asarray(score(np.tile(np.arange(c), len(p)), flat), dtype=np.float64)
        return values.reshape(len(p), c)

    honest = _expected(truths, losses(truths))
    best: tuple[float, FloatArray, FloatArray] = (-np.inf, truths[0], truths[0])
    tied, trials = False, 0

    def consider(report: FloatArray, truth: FloatArray, base: FloatArray, loss: FloatArray) -> None:
        nonlocal best, tied, trials
        gain = base - _expected(truth, loss)
        gain = np.where(np.abs(report - truth).max(axis=1) > APART, gain, -np.inf)
        trials += len(gain)
        far = np.abs(report - truth).max(axis=1) > 1e-3
        tied |= bool((np.abs(gain[far]) <= PROPRIETY_TOLERANCE).any())
        place = int(np.argmax(gain))
        if gain[place] > best[0]:
            best = (float(gain[place]), truth[place], report[place])

    pool = losses(truths)
    for report, loss in zip(truths, pool, strict=True):
        consider(np.broadcast_to(report, truths.shape), truths, honest, np.broadcast_to(loss, truths.shape))
    for reports in (*(_nudged_by_class(truths, step) for step in _STEPS), _across(truths, c, 1e-6)):
        repeats = len(reports) // len(truths)
        consider(reports, np.tile(truths, (repeats, 1)), np.tile(honest, repeats), losses(reports))
    gain, truth, report = best
    return ProprietyReport(tuple(truth.tolist()), tuple(report.tolist()), gain, tied, trials)


def _nudged_by_class(p: FloatArray, step: float) -> FloatArray:
    c = p.shape[1]
    moved = [(1 - step) * p + step * np.eye(c)[np.full(len(p), k)] for k in range(c)]
    return _summing_to_one(np.concatenate(moved))


def _across(p: FloatArray, n_classes: int, step: float) -> FloatArray:
    """Each forecast moved just past the boundary between its two largest classes, to either side."""
    rows = np.arange(len(p))
    ranked = np.argsort(p, axis=1)
    first, second = ranked[:, -1], ranked[:, -2]
    middle = (p[rows, first] + p[rows, second]) / 2
    sides = []
    for sign in (1, -1):
        moved = p.copy()
        moved[rows, first] = middle * (1 + sign * step)
        moved[rows, second] = middle * (1 - sign * step)
        sides.append(moved)
    return _summing_to_one(np.concatenate(sides))


def _expected(truth: FloatArray, loss: FloatArray) -> FloatArray:
    """Expected loss of each row; what cannot happen costs nothing, not even infinity."""
    with np.errstate(invalid="ignore"):
        terms = np.where(truth > 0, truth * loss, 0.0)
    total: FloatArray = terms.sum(axis=1)
    return total
