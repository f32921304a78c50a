"""What the paper claims of its experiments, each as a test on medians, and the verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from uqalign.audit.evidence import Evidence
from uqalign.audit.summaries import MIN_SEEDS

Verdict = Literal["holds", "fails", "undecided", "not run"]

SURE = 0.95
"""A claim holds (fails) if its probability is at least this (at most 1 less this)."""


@dataclass(frozen=True)
class Finding:
    """What some evidence says of a statement.

    Attributes:
        point: whether it holds for the medians as they are.
        drawn: (b,) whether it holds in each draw; None where the evidence has none.
        seeds: the smallest number of seeds behind it.
        detail: the numbers.
    """

    point: bool
    drawn: npt.NDArray[np.bool_] | None
    seeds: int
    detail: str


@dataclass(frozen=True)
class NotRun:
    """That some evidence says nothing of a statement.

    Attributes:
        why: what it lacks.
    """

    why: str


class Statement(Protocol):
    """One statement about median taus, or medians of other agreements."""

    def examine(self, evidence: Evidence) -> Finding | NotRun:
        """What the evidence says, if it has any of the data sets concerned."""
        ...


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes:
        id: unique short name.
        where: place in the paper.
        text: what is claimed, in our words where the paper's are longer.
        read_as: the statement that is tested.
        statements: all must hold.
        bold: whether it is a bold cell of a table.
    """

    id: str
    where: str
    text: str
    read_as: str
    statements: tuple[Statement, ...]
    bold: bool = False


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
    found = []
    for statement in claim.statements:
        finding = statement.examine(evidence)
        if isinstance(finding, NotRun):
            return Outcome("not run", None, math.nan, finding.why)
        found.append(finding)
    point = all(finding.point for finding in found)
    drawn = [finding.drawn for finding in found if finding.drawn is not None]
    probability = float(np.mean(np.all(drawn, axis=0))) if drawn else math.nan
    enough = min(finding.seeds for finding in found) >= MIN_SEEDS
    return Outcome(_verdict(point, probability, enough), point, probability, " / ".join(f.detail for f in found))


def _verdict(point: bool, probability: float, enough: bool) -> Verdict:
    if math.isnan(probability):
        return "holds" if point else "fails"
    if enough and probability >= SURE:
        return "holds"
    return "fails" if enough and probability <= 1 - SURE else "undecided"
