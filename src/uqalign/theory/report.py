"""What a search for violations found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["violated", "no violation found", "undefined", "not applicable"]


@dataclass(frozen=True)
class Check:
    """One property of a metric.

    Attributes:
        name: the property that was looked for.
        status: "violated", or "no violation found" (which is no proof), "undefined" where the metric had no value in
            any trial, "not applicable".
        trials: problems tried.
        text: the smallest counterexample found, or why there was nothing to try.
    """

    name: str
    status: Status
    trials: int
    text: str

    @property
    def violated(self) -> bool:
        """Whether a counterexample was found."""
        return self.status == "violated"

    def line(self) -> str:
        """The check in a sentence."""
        match self.status:
            case "violated":
                return f"{self.name}: violated. {self.text}"
            case "no violation found":
                return f"{self.name}: no violation found in {self.trials} trials"
            case _:
                return f"{self.name}: {self.status}. {self.text}"


def outcome(name: str, violation: str | None, trials: int) -> Check:
    """The check of a search that ended with a violation, without one, or without a single trial."""
    if violation is not None:
        return Check(name, "violated", trials, violation)
    if trials == 0:
        return Check(name, "undefined", 0, "The metric had no value on any problem tried.")
    return Check(name, "no violation found", trials, "")


@dataclass(frozen=True)
class Report:
    """All checks of a metric.

    Examples:
        >>> from uqalign.theory import check_metric
        >>> check_metric("brier", "binary")["proper"].status
        'no violation found'
    """

    metric: str
    task: Task
    checks: tuple[Check, ...]

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(f"{name!r}: checked were {', '.join(repr(check.name) for check in self.checks)}")

    @property
    def violated(self) -> tuple[Check, ...]:
        """The checks that found a counterexample."""
        return tuple(check for check in self.checks if check.violated)

    def text(self) -> str:
        """The report, one line per property."""
        lines = [f"{self.metric} ({self.task})", *(f"  {check.line()}" for check in self.checks)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"metric": self.metric, "task": self.task, "checks": [dict(check.__dict__) for check in self.checks]}

    def to_frame(self) -> pd.DataFrame:
        """One row per property: columns metric, task, name, status, trials, text."""
        import pandas as pd

        return pd.DataFrame([{"metric": self.metric, "task": self.task, **check.__dict__} for check in self.checks])
