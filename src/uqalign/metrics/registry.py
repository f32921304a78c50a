"""Metrics by name: built-in, installed, or a user's own."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from uqalign.metrics.builtin import METRICS
from uqalign.metrics.metric import Metric
from uqalign.registry import Registry
from uqalign.tasks import TASKS, Task

__all__ = ["GROUP", "METRICS", "Metric", "for_task", "get"]

GROUP = "uqalign.metrics"
"""Entry-point group through which installed packages add metrics."""


@dataclass(frozen=True)
class _TaskRegistry(Registry[Metric]):
    """The metrics of one task: built-in, installed, or at a dotted path."""

    task: Task = "binary"

    def _built_in(self) -> Iterator[Metric]:
        return (metric for metric in METRICS if metric.task == self.task)

    def _installed(self) -> Iterator[Metric]:
        for point in sorted(importlib.metadata.entry_points(group=self.group), key=lambda point: point.name):
            member = point.load()
            if not isinstance(member, Metric) or member.task == self.task:
                yield self._checked(member, f"entry point {point.value}")

    def _checked(self, member: object, where: str) -> Metric:
        metric = super()._checked(member, where)
        if metric.task != self.task:
            raise ValueError(f"{where} is a metric for {metric.task} problems, expected one for {self.task}")
        return metric


@cache
def _registry(task: Task) -> _TaskRegistry:
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, got {task!r}")
    return _TaskRegistry(f"{task} metric", "uqalign.metrics", "METRICS", GROUP, Metric, task)


def for_task(task: Task) -> dict[str, Metric]:
    """All metrics of `task` by name: the built-in ones in their declared order, then installed ones.

    Raises:
        ValueError: unknown task, or two metrics of one name.
    """
    return dict(_registry(task)._members)


def get(task: Task, name: str) -> Metric:
    """The metric of `task` called `name`, or the one at a dotted path `package.module:ATTRIBUTE`.

    Raises:
        UnknownNameError: no such metric; the message names the nearest one.
        ValueError: unknown task, or an object at the path that is no metric of this task.
    """
    return _registry(task).get(name)
