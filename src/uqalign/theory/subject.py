"""A metric under examination, whatever it was given as."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from uqalign.checks import FloatArray
from uqalign.metrics.metric import Metric
from uqalign.metrics.registry import get
from uqalign.tasks import Task
from uqalign.theory.exact import Prediction


@dataclass(frozen=True)
class Subject:
    """A metric that can be evaluated on anything without raising, oriented so that lower is better.

    Attributes:
        name: how reports call it.
        task: prediction task.
        function: called as function(y_true, *prediction).
        weighted: whether it also takes sample_weight=.
        sign: -1 where higher is better.
    """

    name: str
    task: Task
    function: Callable[..., Any]
    weighted: bool
    sign: float

    def value(self, y: Any, prediction: Prediction, weight: FloatArray | None = None) -> float:
        """The oriented value; NaN where the metric has none, or refuses the rows (ValueError, ZeroDivisionError)."""
        options = {"sample_weight": weight} if weight is not None else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return self.sign * float(self.function(y, *prediction, **options)) + 0.0
            except (ValueError, ZeroDivisionError, FloatingPointError):
                return math.nan


def subject(metric: Metric | Callable[..., Any] | str, task: Task, *, higher_is_better: bool = False) -> Subject:
    """A metric, a function f(y_true, *prediction) or the name of a registered metric as a subject.

    Raises:
        ValueError: unknown name, or a metric of another task.
        TypeError: something that cannot be called.
    """
    if isinstance(metric, str):
        metric = get(task, metric)
    if isinstance(metric, Metric):
        if metric.task != task:
            raise ValueError(f"{metric.name} is a {metric.task} metric, not a {task} one")
        options = dict(metric.options)
        function = metric.function

        def call(*arguments: Any, **more: Any) -> Any:
            return function(*arguments, **options, **more)

        return Subject(metric.name, task, call, True, metric.signed(1.0))
    if not callable(metric):
        raise TypeError(f"metric must be a Metric, a function or a name, got {type(metric).__name__}")
    name = getattr(metric, "__name__", type(metric).__name__)
    return Subject(name, task, metric, _takes_weights(metric), -1.0 if higher_is_better else 1.0)


def _takes_weights(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in parameters
