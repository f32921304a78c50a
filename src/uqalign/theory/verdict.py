"""What an executed check of a claim found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from uqalign.tasks import Task
from uqalign.theory.counterexamples import Counterexample

Finding = Literal["aligned", "not aligned", "undecided"]

TOLERANCE = 1e-12
"""Largest relative difference between the two sides of an identity that is taken for rounding."""


def numbers(**values: float) -> Mapping[str, float]:
    """Read-only evidence."""
    return MappingProxyType({name: float(value) for name, value in values.items()})


@dataclass(frozen=True)
class Verdict:
    """One entry of Table 1, executed.

    Attributes:
        task: prediction task.
        metric: name of the metric.
        family: name of the decision family.
        scope: which decisions and predictions the entry is about, "" for all of the family.
        claim: what the paper says: "aligned" or "not aligned".
        verdict: what the check found.
        prior: the implicit prior of an aligned metric.
        evidence: the numbers behind the verdict.
        reason: the verdict in a sentence.
        counterexample: the pair that refutes alignment, if the entry rests on one.
    """

    task: Task
    metric: str
    family: str
    scope: str
    claim: Finding
    verdict: Finding
    prior: str
    evidence: Mapping[str, float]
    reason: str
    counterexample: Counterexample | None = field(default=None, repr=False, compare=False)

    @property
    def confirms(self) -> bool:
        """Whether the check found what the paper says."""
        return self.verdict == self.claim

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and tables."""
        return {
            "task": self.task,
            "metric": self.metric,
            "family": self.family,
            "scope": self.scope,
            "claim": self.claim,
            "verdict": self.verdict,
            "prior": self.prior,
            "evidence": dict(self.evidence),
            "reason": self.reason,
        }
