"""The case studies that the paper makes claims about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from uqalign.tasks import Task


@dataclass(frozen=True)
class ClaimedCase:
    """What claims say about a case study.

    Attributes:
        family: what the claims call its utility.
        task: prediction task.
        arms: its arms that the claims are about, and the names of their data in the claims.
        redrawn: whether its replicates are drawn from one set of test rows, so that their spread is the uncertainty;
            otherwise they are seeds of a cross-validation.
    """

    family: str
    task: Task
    arms: Mapping[str, str]
    redrawn: bool = False


CASES: Mapping[str, ClaimedCase] = MappingProxyType(
    {
        "electricity": ClaimedCase("bidding", "regression", {"days": "electricity"}, redrawn=True),
        "credit": ClaimedCase("credit", "binary", {"kaggle": "kaggle", "pakdd": "pakdd"}),
        "lending": ClaimedCase("lending", "binary", {"lending_club": "lending_club"}),
    }
)
"""By the names of the case studies."""
