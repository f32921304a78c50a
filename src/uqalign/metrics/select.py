"""Which metrics a configuration asks for."""

from __future__ import annotations

from collections.abc import Sequence

from uqalign.metrics.metric import Metric
from uqalign.metrics.registry import for_task
from uqalign.registry import UnknownNameError, did_you_mean, load_member
from uqalign.tasks import TASKS, Task

ALL = "all"


def selected(task: Task, names: Sequence[str]) -> dict[str, Metric]:
    """The metrics among `names` that score `task`, by their own names.

    Args:
        names: "all" (every metric of the task), names, or a user's own as `package.module:NAME`; those that belong to
            other tasks are passed over.

    Raises:
        UnknownNameError: a name that no task knows, or a path that leads to no metric.
    """
    known = for_task(task)
    chosen: dict[str, Metric] = {}
    for name in names:
        if name == ALL:
            chosen |= known
        elif name in known:
            chosen[name] = known[name]
        elif ":" in name:
            metric = load_member(name, "metric", Metric)
            if metric.task == task:
                chosen[metric.name] = metric
        elif not any(name in for_task(other) for other in TASKS):
            raise UnknownNameError(f"unknown {task} metric {name!r}: {did_you_mean(name, [*known, ALL])}")
    return chosen
