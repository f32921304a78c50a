"""What the suite knows about a metric besides its formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from uqalign.checks import FloatArray
from uqalign.tasks import Task

Family = Literal["classical", "calibration", "ranking", "decision"]
Proper = Literal["strictly", "proper", "no"]


def fixed(**options: Any) -> Mapping[str, Any]:
    """Read-only options of a metric."""
    return MappingProxyType(options)


@dataclass(frozen=True)
class Metric:
    """A metric of one task.

    Attributes:
        name: short name, unique within the task ("nll").
        title: heading in tables ("NLL").
        task: binary, multiclass, regression or multivariate.
        family: classical score, calibration, uncertainty ranking, or decision (a prior-weighted utility).
        function: called as function(y_true, *prediction, **options) and optionally sample_weight=.
        options: keyword arguments that fix the metric (number of bins, prior, ...).
        higher_is_better: orientation of the value.
        bounds: smallest and largest possible value.
        proper: whether an honest forecast is optimal in expectation ("strictly": and the only optimum).
        row_mean: whether the value is a weighted mean of per-row losses (function then takes
            reduction="none").
        description: one sentence.
    """

    name: str
    title: str
    task: Task
    family: Family
    function: Callable[..., Any] = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=fixed, hash=False)
    higher_is_better: bool = False
    bounds: tuple[float, float] = (0.0, math.inf)
    proper: Proper = "no"
    row_mean: bool = False
    description: str = ""

    def __getstate__(self) -> dict[str, Any]:
        # A mapping proxy cannot be pickled, and metrics travel to worker processes.
        return {**self.__dict__, "options": dict(self.options)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "options": fixed(**state["options"])})

    def evaluate(self, y_true: Any, prediction: tuple[Any, ...], *, sample_weight: Any = None) -> float:
        """The metric's value; NaN with an `UndefinedMetricWarning` where it has none.

        Args:
            y_true: labels or targets (n,) or (n, D).
            prediction: (p,), (mean, var) or (mean, cov).
            sample_weight: non-negative weights (n,).

        Raises:
            ValueError: invalid labels, predictions or weights.
        """
        return float(self.function(y_true, *prediction, sample_weight=sample_weight, **self.options))

    def rows(self, y_true: Any, prediction: tuple[Any, ...]) -> FloatArray:
        """Losses (n,) whose mean is the value.

        Raises:
            ValueError: the metric is not a mean over rows, or invalid labels or predictions.
        """
        if not self.row_mean:
            raise ValueError(f"{self.task} metric {self.name!r} is not a mean over rows")
        losses: FloatArray = self.function(y_true, *prediction, reduction="none", **self.options)
        return losses

    def signed(self, value: float) -> float:
        """`value` oriented so that lower is better."""
        return -value if self.higher_is_better else value
