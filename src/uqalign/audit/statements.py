"""The statements that claims are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from uqalign.audit.claims import Statement
from uqalign.audit.summaries import Block, is_highest
from uqalign.audit.text import number
from uqalign.checks import FloatArray

LITTLE = 0.3
"""A median tau below this counts as little or no alignment."""

STRONG = 0.5
"""A median tau of this or more counts as strong alignment."""

AMONG = 3
"""Places that count as being among the most aligned metrics."""


def is_prior_weighted(metric: str) -> bool:
    """Whether a metric is a prior-weighted utility."""
    return metric.startswith("pwu_")


def as_share(held: Any) -> FloatArray:
    """Truth as 1 and 0."""
    return np.asarray(held, dtype=np.float64)


def _places(block: Block, which: Callable[[str], bool]) -> list[int]:
    return [i for i, name in enumerate(block.metrics) if which(name)]


def best(metric: str, family: str, *datasets: str, at_least: float = 1.0, strictly: bool = False) -> Statement:
    """The metric has the highest median."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        return is_highest(medians, block.metrics.index(metric))

    def tell(block: Block) -> str:
        others = [(value, name) for value, name in zip(block.medians, block.metrics, strict=True) if name != metric]
        value, name = max(others, key=lambda pair: -np.inf if np.isnan(pair[0]) else pair[0])
        return f"{metric} {number(block.at(metric))}, {name} {number(float(value))}"

    return Statement(family, decide, tell, datasets, at_least, strictly)


def above(metric: str, others: Sequence[str], family: str, *datasets: str) -> Statement:
    """The metric has a higher median than each of some others."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        own = medians[..., block.metrics.index(metric)]
        theirs = medians[..., [block.metrics.index(name) for name in others]]
        return as_share(np.all(own[..., None] > theirs, axis=-1))

    def tell(block: Block) -> str:
        return ", ".join(f"{name} {number(block.at(name))}" for name in (metric, *others))

    return Statement(family, decide, tell, datasets)


def reaches(
    metric: str, level: float, family: str, *datasets: str, at_least: float = 0.5, strictly: bool = True
) -> Statement:
    """The metric's median is at least `level`, on most data sets unless said otherwise."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        return as_share(medians[..., block.metrics.index(metric)] >= level)

    def tell(block: Block) -> str:
        return f"{metric} {number(block.at(metric))}"

    return Statement(family, decide, tell, datasets, at_least, strictly)


def most_classical_below(level: float, family: str) -> Statement:
    """More than half of the classical metrics have a median below `level`, on every data set."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        classical = medians[..., _places(block, lambda name: not is_prior_weighted(name))]
        defined = (~np.isnan(classical)).sum(axis=-1)
        return as_share((classical < level).sum(axis=-1) * 2 > defined)

    def tell(block: Block) -> str:
        values = block.medians[_places(block, lambda name: not is_prior_weighted(name))]
        return f"{int((values < level).sum())} of {int((~np.isnan(values)).sum())} below {level}"

    return Statement(family, decide, tell)


def among_best(metric: str, family: str) -> Statement:
    """The metric is among the three highest medians, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        own = medians[..., [block.metrics.index(metric)]]
        return as_share((medians > own).sum(axis=-1) < AMONG)

    def tell(block: Block) -> str:
        place = 1 + int((block.medians > block.at(metric)).sum())
        return f"{metric} {number(block.at(metric))}, place {place}"

    return Statement(family, decide, tell, at_least=0.5, strictly=True)


def some_classical_not_positive(family: str) -> Statement:
    """Some classical metric has a median of at most 0, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> FloatArray:
        classical = medians[..., _places(block, lambda name: not is_prior_weighted(name))]
        return as_share(np.any(classical <= 0, axis=-1))

    def tell(block: Block) -> str:
        classical = _places(block, lambda name: not is_prior_weighted(name))
        lowest = min(classical, key=lambda i: np.inf if np.isnan(block.medians[i]) else block.medians[i])
        return f"lowest {block.metrics[lowest]} {number(float(block.medians[lowest]))}"

    return Statement(family, decide, tell, at_least=0.5, strictly=True)
