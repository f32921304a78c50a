"""How large a penalty on misclassification has to be: endpoints, the infimal penalty, and the admissible set.

A scoring rule is *superior* if every correct forecast scores strictly better than every incorrect one (Ahmadian,
Ghatee and Wahlstroem 2025). With beta+ the supremum of the scores of correct forecasts and beta- the infimum of those
of incorrect ones, that is beta+ < beta-, or equality with at least one of the two not attained. A penalty on incorrect
forecasts shifts beta- alone, so the infimal penalty is beta+ - beta- ("Minimal Superior Penalties").

Brier is in sum form throughout: the sum over classes of (p_k - 1[k = y])^2, in [0, 2].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from uqalign.errors import UserError
from uqalign.registry import did_you_mean
from uqalign.scoring_rules.ties import Ties, check_order, check_ties

Base = Literal["brier", "log"]
NamedPenalty = Literal["infimal+", "published", "implemented"]
Penalty = NamedPenalty | float
"""A penalty by name, or its value."""

BASES: tuple[Base, ...] = get_args(Base)
NAMED: tuple[NamedPenalty, ...] = get_args(NamedPenalty)

MARGIN = 1e-3
"""How far "infimal+" lies above the infimal penalty, which itself is not admissible under an order.

Any positive number keeps the guarantee for exact probabilities. This one also outweighs what the accepted inputs leave
open (rows of probabilities that sum to one within 1e-6 move a score by less than 1e-5) and is small beside any
difference of scores that selects between models.
"""


def check_base(base: str) -> Base:
    """`base` if it is a known scoring rule.

    Raises:
        UserError: anything else.
    """
    for known in BASES:
        if base == known:
            return known
    raise UserError(f"base = {base!r}: {did_you_mean(str(base), BASES)}")


def check_classes(n_classes: int) -> int:
    """`n_classes` if it is a whole number of at least 2.

    Raises:
        UserError: anything else.
    """
    if isinstance(n_classes, bool) or n_classes != int(n_classes) or n_classes < 2:
        raise UserError(f"n_classes = {n_classes!r}: there must be at least 2 classes")
    return int(n_classes)


@dataclass(frozen=True)
class Endpoints:
    """Range of the scores of correct and of incorrect forecasts, as far as it matters.

    Attributes:
        correct: supremum over correct forecasts, beta+.
        incorrect: infimum over incorrect forecasts, beta-, without penalty.
        correct_attained: whether some correct forecast scores exactly `correct`.
        incorrect_attained: whether some incorrect forecast scores exactly `incorrect`.
    """

    correct: float
    incorrect: float
    correct_attained: bool
    incorrect_attained: bool


def endpoints(
    n_classes: int,
    base: Base = "brier",
    *,
    ties: Ties = "order",
    true_class: int | None = None,
    order: Sequence[int] | None = None,
) -> Endpoints:
    """Closed forms of both endpoints.

    Brier: (c - 1) / c, at the uniform forecast, and 1/2, at a two-way tie of the true class with another one. Log:
    ln c and ln 2, at the same forecasts. The values depend neither on the convention nor on the true class; which of
    them is attained does, because both forecasts are ties.

    Args:
        n_classes: number of classes c.
        base: "brier" (sum form) or "log" (natural).
        ties: convention.
        true_class: only forecasts for this class; without it, over all classes.
        order: classes from first to last with ties="order" (default 0, 1, ...).

    Raises:
        UserError: an argument that is none of these.
    """
    c = check_classes(n_classes)
    first = int(check_order(order, check_ties(ties), c)[0])
    if true_class is not None and true_class not in range(c):
        raise UserError(f"true_class = {true_class!r}: the classes are 0 to {c - 1}")
    brier = check_base(base) == "brier"
    correct, incorrect = ((c - 1) / c, 0.5) if brier else (math.log(c), math.log(2))
    # The first class of an order wins the uniform tie and every two-way tie; the others lose both to it.
    wins = ties == "permissive" or (ties == "order" and true_class in (None, first))
    loses = ties == "strict" or (ties == "order" and true_class != first)
    return Endpoints(correct, incorrect, correct_attained=wins, incorrect_attained=loses)


def infimal_penalty(n_classes: int, base: Base = "brier") -> float:
    """Greatest lower bound of the penalties that make the rule superior: (c - 2) / (2 c) for Brier, ln(c / 2) for log.

    It is 0 for two classes. Whether it is itself admissible depends on the tie convention: see `admissible_penalties`.

    Raises:
        UserError: fewer than 2 classes, or an unknown base.
    """
    c = check_classes(n_classes)
    return (c - 2) / (2 * c) if check_base(base) == "brier" else math.log(c / 2)


def published_penalty(n_classes: int, base: Base = "brier") -> float:
    """The penalty of Ahmadian et al. (2025), the supremum over correct forecasts: (c - 1) / c for Brier, ln c for log.

    Raises:
        UserError: fewer than 2 classes, or an unknown base.
    """
    c = check_classes(n_classes)
    return (c - 1) / c if check_base(base) == "brier" else math.log(c)


def implemented_penalty(n_classes: int, base: Base = "brier") -> float:
    """The penalty that the released code of Ahmadian et al. applies, in units of the sum-form Brier score: c - 1.

    The code adds (c - 1) / c to the Brier score averaged over classes, which is 1 / c times the sum form; ranking by
    it is ranking by the sum form with a penalty c times as large. For log it is the published ln c.

    Raises:
        UserError: fewer than 2 classes, or an unknown base.
    """
    c = check_classes(n_classes)
    return float(c - 1) if check_base(base) == "brier" else math.log(c)


def penalty_value(penalty: Penalty | str, n_classes: int, base: Base = "brier") -> float:
    """A penalty as a number.

    Args:
        penalty: "infimal+" (the infimal penalty plus `MARGIN`), "published", "implemented", or a number >= 0.
        n_classes: number of classes.
        base: "brier" or "log".

    Raises:
        UserError: an unknown name, or a number that is negative, infinite or NaN.
    """
    match penalty:
        case "infimal+":
            return infimal_penalty(n_classes, base) + MARGIN
        case "published":
            return published_penalty(n_classes, base)
        case "implemented":
            return implemented_penalty(n_classes, base)
        case str():
            raise UserError(f"penalty = {penalty!r}: {did_you_mean(penalty, NAMED)} (or a number >= 0)")
    value = float(penalty)
    if not (math.isfinite(value) and value >= 0):
        raise UserError(f"penalty = {penalty!r}: a penalty must be finite and >= 0")
    return value


@dataclass(frozen=True)
class Interval:
    """A set of penalties from `low` to `high`; empty where `low` exceeds `high` or is excluded from a single point."""

    low: float
    high: float
    low_closed: bool
    high_closed: bool = False

    @property
    def empty(self) -> bool:
        """Whether no penalty is in it."""
        return self.low > self.high or (self.low == self.high and not (self.low_closed and self.high_closed))

    def __contains__(self, penalty: float) -> bool:
        above = penalty > self.low or (self.low_closed and penalty == self.low)
        below = penalty < self.high or (self.high_closed and penalty == self.high)
        return above and below

    def __str__(self) -> str:
        if self.empty:
            return "empty"
        if self.low == self.high:
            return f"{{{self.low:.6g}}}"
        upper = "inf" if math.isinf(self.high) else f"{self.high:.6g}"
        return f"{'[' if self.low_closed else '('}{self.low:.6g}, {upper}{']' if self.high_closed else ')'}"


def admissible_penalties(
    n_classes: int, base: Base = "brier", *, ties: Ties = "order", strictly_proper: bool = False
) -> Interval:
    """The penalties for which the penalised rule is superior, and on request strictly proper too.

    Superior: with ties="order" the open interval above the infimal penalty, whatever the order (both endpoints are
    attained, for different true classes); with "permissive" and "strict" the infimal penalty belongs to it.

    Strictly proper: with "order" every penalty >= 0; with "permissive" and "strict" only 0, so that for three classes
    or more nothing is left. A uniform report escapes every permissive penalty, at an expected cost in the base
    score that vanishes as the truth approaches the uniform distribution; a strict penalty hits the honest report of a
    truth with a tied mode and spares its neighbours.

    Args:
        n_classes: number of classes.
        base: "brier" or "log".
        ties: convention.
        strictly_proper: also ask for strict propriety over all truths.

    Raises:
        UserError: an argument that is none of these.
    """
    low = infimal_penalty(n_classes, base)
    closed = check_ties(ties) != "order"
    if strictly_proper and closed:
        return Interval(low, 0.0, low_closed=True, high_closed=True)
    return Interval(low, math.inf, low_closed=closed)
