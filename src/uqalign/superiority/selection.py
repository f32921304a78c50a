"""Which epoch a monitor would have kept: offline, from what was measured at every epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from uqalign.scoring_rules import (
    Base,
    implemented_penalty,
    infimal_penalty,
    mixture_penalty,
    penalty_value,
    published_penalty,
)

Mode = Literal["checkpointing", "early_stopping"]
MODES: tuple[Mode, ...] = get_args(Mode)

LIMIT = 1e3
"""A penalty at which the error rate alone decides, up to ties of it."""

WEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Weights of the error rate in the mixtures with the Brier score."""

GRID_POINTS = ("zero", "subcritical", "critical", "supercritical", "published", "implemented", "limit")

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Monitor:
    """What is watched during training: a sum of columns of the measures, lower is better.

    Attributes:
        kind: "penalised" (a point of the penalty grid), "mixture", or "plain" (one measure).
        base: of a penalised score; "" otherwise.
        point: grid point, weight, or measure.
        penalty: on misclassification, in units of the base score; NaN for plain measures.
        terms: (measure, factor) pairs whose sum is the monitor.
    """

    kind: Literal["penalised", "mixture", "plain"]
    base: str
    point: str
    penalty: float
    terms: tuple[tuple[str, float], ...]

    def watch(self, measures: dict[str, Values]) -> Values:
        """(epochs,) values of the monitor."""
        return sum((factor * measures[name] for name, factor in self.terms), start=np.zeros(()))


def penalty_grid(n_classes: int, base: Base) -> dict[str, float]:
    """Penalties by the names of the grid points; there is no separate implemented one for the log score."""
    infimal = infimal_penalty(n_classes, base)
    grid = {
        "zero": 0.0,
        "subcritical": infimal / 2,
        "critical": infimal,
        "supercritical": penalty_value("infimal+", n_classes, base),
        "published": published_penalty(n_classes, base),
        "implemented": implemented_penalty(n_classes, base),
        "limit": LIMIT,
    }
    if base == "log":
        del grid["implemented"]
    return grid


def monitors(n_classes: int) -> Iterator[Monitor]:
    """Every monitor of the study: the penalty grid of both bases, the mixtures, and measures on their own."""
    bases: tuple[Base, Base] = ("brier", "log")
    for base in bases:
        for point, penalty in penalty_grid(n_classes, base).items():
            yield Monitor("penalised", base, point, penalty, ((base, 1.0), ("error", penalty)))
    for weight in WEIGHTS:
        terms = (("brier", (1 - weight) / n_classes), ("error", weight))
        yield Monitor("mixture", "brier", f"{weight:g}", mixture_penalty(weight, n_classes), terms)
    for name, sign in (("error", 1.0), ("macro_f1", -1.0), ("pwu", 1.0), ("ece", 1.0)):
        yield Monitor("plain", "", name, math.nan, ((name, sign),))


def selected_epoch(values: Values, mode: Mode, patience: int) -> int:
    """Position of the epoch that a monitor keeps: the first of the smallest values.

    Args:
        values: (epochs,) of the monitor, lower is better; NaN never counts as an improvement.
        mode: "checkpointing" looks at all epochs, "early_stopping" stops looking after `patience` epochs in a row
            without a new smallest value.
        patience: epochs.

    Raises:
        ValueError: no epoch has a value.
    """
    best, position, waited = math.inf, -1, 0
    for epoch, value in enumerate(values.tolist()):
        if value < best:
            best, position, waited = value, epoch, 0
            continue
        waited += 1
        if mode == "early_stopping" and waited >= patience:
            break
    if position < 0:
        raise ValueError("the monitor has no finite value in any epoch that was looked at")
    return position
