"""What to set the penalty to: the answer for one number of classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from uqalign.scoring_rules.mixture import mixture_weight
from uqalign.scoring_rules.penalties import (
    BASES,
    MARGIN,
    Base,
    Interval,
    admissible_penalties,
    check_classes,
    endpoints,
    implemented_penalty,
    infimal_penalty,
    penalty_value,
    published_penalty,
)
from uqalign.scoring_rules.ties import LETTER, Ties, check_ties

CONVENTION: dict[Ties, str] = {
    "order": "a tie predicts the first tied class in a fixed order, as argmax does; strictly proper at every penalty",
    "permissive": "a tie predicts every tied class; a forecaster who always reports the uniform distribution is never "
    "wrong, so that no penalty above 0 is proper",
    "strict": "a tie predicts nothing; honesty loses wherever the truth has a tied mode, so that no penalty above 0 is "
    "proper",
}
"""What each convention means and costs."""


@dataclass(frozen=True)
class Setting:
    """One value of the penalty.

    Attributes:
        name: "infimal+", "published" or "implemented".
        value: the penalty.
        ratio: value over the infimal penalty (NaN for two classes, where that is 0).
        width: value over the width of the base scores of correct forecasts: how much an error outweighs everything
            that calibration can gain among correct forecasts.
        mixture: weight of the error rate in the mixture with the class-averaged Brier score that ranks alike (NaN for
            log).
    """

    name: str
    value: float
    ratio: float
    width: float
    mixture: float


@dataclass(frozen=True)
class Answer:
    """The admissible penalties and the known settings, for one base and convention."""

    n_classes: int
    base: Base
    ties: Ties
    infimal: float
    superior: Interval
    superior_and_strictly_proper: Interval
    settings: tuple[Setting, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON (None for what does not exist)."""
        return {
            "classes": self.n_classes,
            "base": self.base,
            "ties": self.ties,
            "convention": LETTER[self.ties],
            "infimal": self.infimal,
            "superior": _interval(self.superior),
            "superior_and_strictly_proper": _interval(self.superior_and_strictly_proper),
            "settings": [
                {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in setting.__dict__.items()}
                for setting in self.settings
            ],
        }

    def advice(self) -> Iterator[str]:
        """What to do, in sentences."""
        c = self.n_classes
        if self.superior_and_strictly_proper.empty:
            yield "No penalty is both superior and strictly proper under this convention: use --ties order."
            return
        if c == 2:
            yield (
                "With two classes the base score alone orders every correct forecast before every incorrect one, up "
                "to the tie at one half; leave the penalty out."
            )
            return
        plain = penalty_value("infimal+", c, self.base)
        yield (
            f"Use anything above {self.infimal:.6g}; penalty='infimal+' is {plain:.6g}. More is not safer: every "
            "further unit moves the score from calibration towards counting errors."
        )
        yield (
            f"At {plain:.4g}, one more error in 100 forecasts weighs as much as {plain / 100:.4g} of "
            f"{'Brier score (sum form)' if self.base == 'brier' else 'log score (nats)'}."
        )


def _interval(interval: Interval) -> dict[str, Any] | None:
    if interval.empty:
        return None
    return {
        "text": str(interval),
        "low": interval.low,
        "high": None if math.isinf(interval.high) else interval.high,
        "low_included": interval.low_closed,
    }


def penalty_answers(n_classes: int, bases: Sequence[Base] = BASES, *, ties: Ties = "order") -> list[Answer]:
    """The answer for every base.

    Raises:
        UserError: fewer than 2 classes, an unknown base or convention.
    """
    c, chosen = check_classes(n_classes), check_ties(ties)
    return [
        Answer(
            n_classes=c,
            base=base,
            ties=chosen,
            infimal=infimal_penalty(c, base),
            superior=admissible_penalties(c, base, ties=chosen),
            superior_and_strictly_proper=admissible_penalties(c, base, ties=chosen, strictly_proper=True),
            settings=tuple(_settings(c, base)),
        )
        for base in bases
    ]


def _settings(c: int, base: Base) -> Iterator[Setting]:
    infimal, width = infimal_penalty(c, base), endpoints(c, base).correct
    for name, value in (
        ("infimal+", infimal + MARGIN),
        ("published", published_penalty(c, base)),
        ("implemented", implemented_penalty(c, base)),
    ):
        ratio = value / infimal if infimal else math.nan
        mixture = mixture_weight(value, c) if base == "brier" else math.nan
        yield Setting(name, value, ratio, value / width, mixture)
