"""What the paper claims of its experiments, each as a test on medians, and the verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from uqalign.audit.evidence import Evidence
from uqalign.audit.summaries import MIN_SEEDS, Block
from uqalign.checks import FloatArray

Verdict = Literal["holds", "fails", "undecided", "not run"]

SURE = 0.95
"""A claim holds (fails) if its probability is at least this (at most 1 less this)."""

Decision = Callable[[Block, FloatArray], FloatArray]
"""From a block and medians (..., m) to how far a statement about one data set holds (...): 1, 0, or a share."""


@dataclass(frozen=True)
class Statement:
    """One statement about the data sets of one family.

    Attributes:
        family: decision family.
        decide: whether it holds on a data set.
        tell: the numbers behind it, for one data set.
        datasets: published names of the data sets it is about; all of the family's where empty.
        at_least: share of the data sets on which it must hold; above it where `strictly`.
        strictly: whether the share must be exceeded ("most").
    """

    family: str
    decide: Decision
    tell: Callable[[Block], str]
    datasets: tuple[str, ...] = ()
    at_least: float = 1.0
    strictly: bool = False

    def reached(self, count: FloatArray, number: int) -> npt.NDArray[np.bool_]:
        """Whether `count` of `number` data sets are enough."""
        needed = self.at_least * number
        return count > needed + 1e-9 if self.strictly else count >= needed - 1e-9


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes:
        id: unique short name.
        where: place in the paper.
        text: what is claimed, in our words where the paper's are longer.
        read_as: the statement that is tested.
        statements: all must hold; none where the claim cannot be tested here.
        bold: whether it is a bold cell of a table.
        why_not: why it is not tested.
    """

    id: str
    where: str
    text: str
    read_as: str
    statements: tuple[Statement, ...] = ()
    bold: bool = False
    why_not: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a claim fares under one protocol.

    Attributes:
        verdict: holds, fails, undecided or not run.
        at_medians: whether it holds for the medians as they are; None where not run.
        probability: share of the drawn medians for which it holds; NaN where not known.
        detail: numbers and data sets.
    """

    verdict: Verdict
    at_medians: bool | None
    probability: float
    detail: str


def judge(claim: Claim, evidence: Evidence) -> Outcome:
    """The outcome of a claim for some evidence; data sets that were not run are left out and named."""
    if not claim.statements:
        return Outcome("not run", None, math.nan, claim.why_not)
    point, drawn, details, enough = True, None, [], True
    for statement in claim.statements:
        blocks = evidence.of(statement.family, statement.datasets)
        if not blocks:
            return Outcome("not run", None, math.nan, "no data set of this family was run")
        shares = [float(statement.decide(b, b.medians)) for b in blocks.values()]
        point &= bool(statement.reached(np.asarray(sum(shares)), len(blocks)))
        details.append("; ".join(_told(statement, blocks, shares)))
        if not evidence.sampled:
            continue
        enough &= all(block.seeds >= MIN_SEEDS for block in blocks.values())
        count = np.sum([statement.decide(b, b.draws) for b in blocks.values()], axis=0)
        # A place that two metrics share in a draw is half a success: the probability is the mean, not a count.
        held = count if len(blocks) == 1 else statement.reached(count, len(blocks)).astype(np.float64)
        drawn = held if drawn is None else drawn * held
    probability = math.nan if drawn is None else float(np.mean(drawn))
    return Outcome(_verdict(point, probability, enough), point, probability, " | ".join(details))


def _told(statement: Statement, blocks: dict[str, Block], shares: Sequence[float]) -> Iterable[str]:
    if len(blocks) > 1:
        yield f"{sum(share == 1 for share in shares)} of {len(blocks)}"
    for (dataset, block), held in zip(blocks.items(), shares, strict=True):
        yield f"{dataset}{'' if held == 1 else ' (not)'}: {statement.tell(block)}"


def _verdict(point: bool, probability: float, enough: bool) -> Verdict:
    if math.isnan(probability):
        return "holds" if point else "fails"
    if enough and probability >= SURE:
        return "holds"
    return "fails" if enough and probability <= 1 - SURE else "undecided"
