"""The statements that claims are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uqalign.audit.claims import Finding, NotRun
from uqalign.audit.evidence import Evidence
from uqalign.audit.summaries import Block
from uqalign.audit.text import number, signed
from uqalign.audit.yardsticks import Yardstick
from uqalign.checks import FloatArray

LITTLE = 0.3
"""A median tau below this counts as little or no alignment."""

STRONG = 0.5
"""A median tau of this or more counts as strong alignment."""

AMONG = 3
"""Places that count as being among the most aligned metrics."""

SECOND = 2

UNMOVED = 0.1
"""A change of a median by less than this counts as no effect."""

LEVEL = 1e-9
"""Medians this close are equal."""

NO_METRICS = "the configuration leaves out the metrics that it is about"

Held = npt.NDArray[np.bool_]


def is_prior_weighted(metric: str) -> bool:
    """Whether a metric is a prior-weighted utility."""
    return metric.startswith("pwu_")


def _classical(block: Block) -> list[int]:
    return [i for i, name in enumerate(block.metrics) if not is_prior_weighted(name)]


def _has(*metrics: str) -> Callable[[Block], bool]:
    return lambda block: set(metrics) <= set(block.metrics)


def _has_classical(block: Block) -> bool:
    return bool(_classical(block))


def _held(truth: Any) -> Held:
    return np.asarray(truth, dtype=np.bool_)


@dataclass(frozen=True)
class OnDatasets:
    """A statement that each data set of a family bears out or not.

    Attributes:
        family: decision family.
        ready: whether a block has the metrics that it is about; those without are left out.
        decide: whether a data set bears it out, from a block and medians (..., m).
        tell: the numbers behind it, for one data set.
        datasets: published names of the data sets it is about; all of the family's where empty.
        most: whether more than half of the data sets are enough; otherwise all must.
        by: what the medians are of.
    """

    family: str
    ready: Callable[[Block], bool]
    decide: Callable[[Block, FloatArray], Held]
    tell: Callable[[Block], str]
    datasets: tuple[str, ...] = ()
    most: bool = False
    by: Yardstick = "tau"

    def examine(self, evidence: Evidence) -> Finding | NotRun:
        """See `claims.Statement`."""
        blocks = evidence.of(self.family, self.datasets, self.by)
        if not blocks:
            return NotRun(evidence.why_not(self.by))
        blocks = {name: block for name, block in blocks.items() if self.ready(block)}
        if not blocks:
            return NotRun(NO_METRICS)
        return _borne_out(blocks, self.decide, self.tell, most=self.most, sampled=evidence.sampled)


@dataclass(frozen=True)
class AcrossLevels:
    """A statement about how other priors move a metric's median, that more than half of the data sets bear out.

    Attributes:
        metric: whose median.
        family: decision family.
        levels: the levels that are compared with the base prior.
        decide: whether a data set bears it out, from the changes (..., levels) of the median.
    """

    metric: str
    family: str
    levels: tuple[Yardstick, ...]
    decide: Callable[[FloatArray], Held]

    def examine(self, evidence: Evidence) -> Finding | NotRun:
        """See `claims.Statement`."""
        by_level = [evidence.of(self.family, by=level) for level in ("base", *self.levels)]
        datasets = [name for name in by_level[0] if all(name in blocks for blocks in by_level)]
        if not datasets:
            return NotRun(evidence.why_not("base"))
        datasets = [name for name in datasets if self.metric in by_level[0][name].metrics]
        if not datasets:
            return NotRun(NO_METRICS)
        blocks = {name: self._changes([blocks[name] for blocks in by_level]) for name in datasets}
        return _borne_out(blocks, lambda _, changes: self.decide(changes), self._tell, sampled=evidence.sampled)

    def _changes(self, blocks: Sequence[Block]) -> Block:
        """A block whose columns are levels: changes of the metric's median from the base prior, draw by draw."""
        medians = np.array([block.at(self.metric) for block in blocks])
        draws = np.stack([block.drawn(self.metric) for block in blocks], axis=-1)
        seeds = min(block.seeds for block in blocks)
        return Block(self.levels, medians[1:] - medians[0], draws[:, 1:] - draws[:, :1], seeds)

    def _tell(self, block: Block) -> str:
        return ", ".join(f"{level} {signed(block.at(level))}" for level in self.levels)


def _borne_out(
    blocks: Mapping[str, Block],
    decide: Callable[[Block, FloatArray], Held],
    tell: Callable[[Block], str],
    *,
    most: bool = True,
    sampled: bool,
) -> Finding:
    """Whether most (or all) of some data sets bear a statement out: for their medians, and in each draw."""
    held = {name: bool(decide(block, block.medians)) for name, block in blocks.items()}
    told = [f"{sum(held.values())} of {len(held)}"] if len(held) > 1 else []
    told += [f"{name}{'' if held[name] else ' (not)'}: {tell(block)}" for name, block in blocks.items()]
    drawn = [decide(block, block.draws) for block in blocks.values()] if sampled else None
    return Finding(
        bool(_enough(np.array(list(held.values())), most)),
        None if drawn is None else _enough(np.array(drawn), most),
        min(block.seeds for block in blocks.values()),
        "; ".join(told),
    )


def _enough(held: Held, most: bool) -> Held:
    return _held(2 * held.sum(axis=0) > len(held)) if most else _held(held.all(axis=0))


@dataclass(frozen=True)
class NoClassicalConsistent:
    """Every classical metric has a median of 0 or less with some family on some data set.

    Attributes:
        families: the families of one task.
    """

    families: tuple[str, ...]

    def examine(self, evidence: Evidence) -> Finding | NotRun:
        """See `claims.Statement`."""
        blocks = [block for family in self.families for block in evidence.of(family).values()]
        if not blocks:
            return NotRun(evidence.why_not())
        if not _classical(blocks[0]):
            return NotRun(NO_METRICS)
        names = [blocks[0].metrics[i] for i in _classical(blocks[0])]
        lowest = {name: min(block.at(name) for block in blocks) for name in names}
        drawn = None
        if evidence.sampled:
            always = [np.min([block.drawn(name) for block in blocks], axis=0) > 0 for name in names]
            drawn = _held(~np.any(always, axis=0))
        detail = "lowest median: " + ", ".join(f"{name} {number(value)}" for name, value in lowest.items())
        point = not any(value > 0 for value in lowest.values())
        return Finding(point, drawn, min(block.seeds for block in blocks), detail)


def best(metric: str, family: str, *datasets: str, most: bool = False, by: Yardstick = "tau") -> OnDatasets:
    """No metric has a higher median than this one."""

    def decide(block: Block, medians: FloatArray) -> Held:
        highest = np.where(np.isnan(medians), -np.inf, medians).max(axis=-1)
        return _held(medians[..., block.metrics.index(metric)] >= highest - LEVEL)

    def tell(block: Block) -> str:
        others = [(value, name) for value, name in zip(block.medians, block.metrics, strict=True) if name != metric]
        value, name = max(others, key=lambda pair: -np.inf if np.isnan(pair[0]) else pair[0])
        return f"{metric} {number(block.at(metric))}, {name} {number(float(value))}"

    return OnDatasets(
        family, lambda block: metric in block.metrics and len(block.metrics) > 1, decide, tell, datasets, most, by
    )


def above(metric: str, others: Sequence[str], family: str) -> OnDatasets:
    """The metric has a higher median than each of some others."""

    def decide(block: Block, medians: FloatArray) -> Held:
        own = medians[..., [block.metrics.index(metric)]]
        theirs = medians[..., [block.metrics.index(name) for name in others]]
        return _held((own > theirs + LEVEL).all(axis=-1))

    def tell(block: Block) -> str:
        return ", ".join(f"{name} {number(block.at(name))}" for name in (metric, *others))

    return OnDatasets(family, _has(metric, *others), decide, tell)


def reaches(metric: str, level: float, family: str) -> OnDatasets:
    """The metric's median is at least `level`, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> Held:
        return _held(medians[..., block.metrics.index(metric)] >= level - LEVEL)

    def tell(block: Block) -> str:
        return f"{metric} {number(block.at(metric))}"

    return OnDatasets(family, _has(metric), decide, tell, most=True)


def positive(metric: str, family: str, by: Yardstick = "tau") -> OnDatasets:
    """The metric's median is above 0, on every data set."""

    def decide(block: Block, medians: FloatArray) -> Held:
        return _held(medians[..., block.metrics.index(metric)] > LEVEL)

    def tell(block: Block) -> str:
        return f"{metric} {number(block.at(metric))}"

    return OnDatasets(family, _has(metric), decide, tell, by=by)


def classical_below(level: float, family: str, by: Yardstick) -> OnDatasets:
    """Every classical metric has a median below `level`, on every data set."""

    def decide(block: Block, medians: FloatArray) -> Held:
        return _held(~(medians[..., _classical(block)] >= level).any(axis=-1))

    def tell(block: Block) -> str:
        return ", ".join(f"{block.metrics[i]} {number(float(block.medians[i]))}" for i in _classical(block))

    return OnDatasets(family, _has_classical, decide, tell, by=by)


def most_classical_below(level: float, family: str) -> OnDatasets:
    """More than half of the classical metrics have a median below `level`, on every data set."""

    def decide(block: Block, medians: FloatArray) -> Held:
        classical = medians[..., _classical(block)]
        return _held((classical < level).sum(axis=-1) * 2 > (~np.isnan(classical)).sum(axis=-1))

    def tell(block: Block) -> str:
        values = block.medians[_classical(block)]
        return f"{int((values < level).sum())} of {int((~np.isnan(values)).sum())} below {level}"

    return OnDatasets(family, _has_classical, decide, tell)


def among_best(metric: str, family: str, by: Yardstick = "tau", places: int = AMONG) -> OnDatasets:
    """The metric is among the highest medians, three unless said otherwise, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> Held:
        own = medians[..., [block.metrics.index(metric)]]
        return _held(((medians > own + LEVEL).sum(axis=-1) < places) & ~np.isnan(own[..., 0]))

    def tell(block: Block) -> str:
        place = 1 + int((block.medians > block.at(metric) + LEVEL).sum())
        return f"{metric} {number(block.at(metric))}, place {place}"

    return OnDatasets(family, _has(metric), decide, tell, most=True, by=by)


def ahead_of_classical(metric: str, family: str, by: Yardstick) -> OnDatasets:
    """No classical metric has a higher median than this one, on most data sets."""

    def decide(block: Block, medians: FloatArray) -> Held:
        classical = medians[..., _classical(block)]
        highest = np.where(np.isnan(classical), -np.inf, classical).max(axis=-1)
        return _held(medians[..., block.metrics.index(metric)] >= highest - LEVEL)

    def tell(block: Block) -> str:
        values = {block.metrics[i]: float(block.medians[i]) for i in _classical(block)}
        name = max(values, key=lambda name: -np.inf if np.isnan(values[name]) else values[name])
        return f"{by} of {metric} {number(block.at(metric))}, {name} {number(values[name])}"

    return OnDatasets(
        family, lambda block: metric in block.metrics and _has_classical(block), decide, tell, most=True, by=by
    )


def improves(metric: str, family: str, *levels: Yardstick) -> AcrossLevels:
    """The metric's median is higher at each of some levels than at the base prior, on most data sets."""
    return AcrossLevels(metric, family, levels, lambda changes: _held((changes > LEVEL).all(axis=-1)))


def stays(metric: str, family: str, *levels: Yardstick) -> AcrossLevels:
    """The metric's median at each of some levels is less than `UNMOVED` from that at the base, on most data sets."""
    return AcrossLevels(metric, family, levels, lambda changes: _held((np.abs(changes) < UNMOVED).all(axis=-1)))
