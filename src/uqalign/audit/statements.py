"""The statements that claims are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqalign.audit.claims import Finding
from uqalign.audit.evidence import Evidence
from uqalign.audit.summaries import Block
from uqalign.audit.text import number
from uqalign.checks import FloatArray

LITTLE = 0.3
"""A median tau below this counts as little or no alignment."""

STRONG = 0.5
"""A median tau of this or more counts as strong alignment."""

AMONG = 3
"""Places that count as being among the most aligned metrics."""

LEVEL = 1e-9
"""Medians this close are equal."""

Held = npt.NDArray[np.bool_]


def is_prior_weighted(metric: str) -> bool:
    """Whether a metric is a prior-weighted utility."""
    return metric.startswith("pwu_")


def _classical(block: Block) -> list[int]:
    return [i for i, name in enumerate(block.metrics) if not is_prior_weighted(name)]


def _held(truth: Any) -> Held:
    return np.asarray(truth, dtype=np.bool_)


@dataclass(frozen=True)
class OnDatasets:
    """A statement that each data set of a family bears out or not.

    Attributes:
        family: decision family.
        decide: whether a data set bears it out, from a block and medians (..., m).
        tell: the numbers behind it, for one data set.
        datasets: published names of the data sets it is about; all of the family's where empty.
        most: whether more than half of the data sets are enough; otherwise all must.
    """

    family: str
    decide: Callable[[Block, FloatArray], Held]
    tell: Callable[[Block], str]
    datasets: tuple[str, ...] = ()
    most: bool = False

    def examine(self, evidence: Evidence) -> Finding | None:
        """See `claims.Statement`."""
        blocks = evidence.of(self.family, self.datasets)
        if not blocks:
            return None
        held = {name: bool(self.decide(block, block.medians)) for name, block in blocks.items()}
        told = [f"{sum(held.values())} of {len(held)}"] if len(held) > 1 else []
        told += [f"{name}{'' if held[name] else ' (not)'}: {self.tell(block)}" for name, block in blocks.items()]
        drawn = [self.decide(block, block.draws) for block in blocks.values()] if evidence.sampled else None
        return Finding(
            bool(self._enough(np.array(list(held.values())))),
            None if drawn is None else self._enough(np.array(drawn)),
            min(block.seeds for block in blocks.values()),
            "; ".join(told),
        )

    def _enough(self, held: Held) -> Held:
        return _held(2 * held.sum(axis=0) > len(held)) if self.most else _held(held.all(axis=0))


@dataclass(frozen=True)
class NoClassicalConsistent:
    """Every classical metric has a median of 0 or less with some family on some data set.

    Attributes:
        families: the families of one task.
    """

    families: tuple[str, ...]

    def examine(self, evidence: Evidence) -> Finding | None:
        """See `claims.Statement`."""
        blocks = [block for family in self.families for block in evidence.of(family).values()]
        if not blocks:
            return None
        names = [blocks[0].metrics[i] for i in _classical(blocks[0])]
        lowest = {name: min(block.at(name) for block in blocks) for name in names}
        drawn = None
        if evidence.sampled:
            always = [np.min([block.drawn(name) for block in blocks], axis=0) > 0 for name in names]
            drawn = _held(~np.any(always, axis=0))
        detail = "lowest median: " + ", ".join(f"{name} {number(value)}" for name, value in lowest.items())
        point = not any(value > 0 for value in lowest.values())
        return Finding(point, drawn, min(block.seeds for block in blocks), detail)


def best(metric: str, family: str, *datasets: str, most: bool = False) -> OnDatasets:
    """No metric has a higher median than this one."""

    def decide(block: Block, medians: FloatArray) -> Held:
        highest = np.where(np.isnan(medians), -np.inf, medians).max(axis=-1)
        return _held(medians[..., block.metrics.index(metric)] >= highest - LEVEL)

    def tell(block: Block) -> str:
        others = [(value, name) for value, name in zip(block.medians, block.metrics, strict=True) if name != metric]
        value, name = max(others, key=lambda pair: -np.inf if np.isnan(pair[0]) else pair[0])
        return f"{metric} {number(block.at(metric))}, {name} {number(float(value))}"

    return OnDatasets(family, decide, tell, datasets, most)


def above(metric: str, others: Sequence[str], family: str) -> OnDatasets:
    """The metric has a higher median than each of some others."""

    def decide(block: Block, medians: FloatArray) -> Held:
        own = medians[..., [block.metrics.index(metric)]]
        theirs = medians[..., [block.metrics.index(name) for name in others]]
        return _held((own > theirs + LEVEL).all(axis=-1))

    def tell(block: Block) -> str:
        return ", ".join(f"{name} {number(block.at(name))}" for name in (metric, *others))

    return OnDatasets(family, decide, tell)


def reaches(metric: str, level: float, family: str) -> OnDatasets:
    """The metric's median is at least `level`, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> Held:
        return _held(medians[..., block.metrics.index(metric)] >= level - LEVEL)

    def tell(block: Block) -> str:
        return f"{metric} {number(block.at(metric))}"

    return OnDatasets(family, decide, tell, most=True)


def positive(metric: str, family: str) -> OnDatasets:
    """The metric's median is above 0, on every data set."""

    def decide(block: Block, medians: FloatArray) -> Held:
        return _held(medians[..., block.metrics.index(metric)] > LEVEL)

    def tell(block: Block) -> str:
        return f"{metric} {number(block.at(metric))}"

    return OnDatasets(family, decide, tell)


def most_classical_below(level: float, family: str) -> OnDatasets:
    """More than half of the classical metrics have a median below `level`, on every data set."""

    def decide(block: Block, medians: FloatArray) -> Held:
        classical = medians[..., _classical(block)]
        return _held((classical < level).sum(axis=-1) * 2 > (~np.isnan(classical)).sum(axis=-1))

    def tell(block: Block) -> str:
        values = block.medians[_classical(block)]
        return f"{int((values < level).sum())} of {int((~np.isnan(values)).sum())} below {level}"

    return OnDatasets(family, decide, tell)


def among_best(metric: str, family: str) -> OnDatasets:
    """The metric is among the three highest medians, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> Held:
        own = medians[..., [block.metrics.index(metric)]]
        return _held(((medians > own + LEVEL).sum(axis=-1) < AMONG) & ~np.isnan(own[..., 0]))

    def tell(block: Block) -> str:
        place = 1 + int((block.medians > block.at(metric) + LEVEL).sum())
        return f"{metric} {number(block.at(metric))}, place {place}"

    return OnDatasets(family, decide, tell, most=True)
