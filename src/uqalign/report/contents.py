"""What a page can show, as data frames and facts of any origin; whatever is empty is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uqalign.families import Family, families_of
from uqalign.report.elements import Section

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.metrics.metric import Metric
    from uqalign.tasks import Task


@dataclass(frozen=True)
class Facts:
    """What was run. Every entry may be left out.

    Attributes:
        lines: sentences for the top of the page.
        config: the configuration, as YAML.
        datasets, models: one row each, columns as headings.
        absent: models that could not be used or were left out, columns model and why.
        fits: rows as `frames.FIT_COLUMNS`.
        runs: one row per run of the workflow.
        machine: facts of the machine that built the page, by name.
    """

    lines: Sequence[str] = ()
    config: str = ""
    datasets: pd.DataFrame | None = None
    models: pd.DataFrame | None = None
    absent: pd.DataFrame | None = None
    fits: pd.DataFrame | None = None
    runs: pd.DataFrame | None = None
    machine: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents:
    """Everything on a page.

    Attributes:
        title: heading of the page.
        datasets: names in order, with their task.
        models: names in order.
        metrics: those of each task by name, in order.
        alignment: columns task, dataset, family, metric, seed, tau (means over a family's decisions); None without
            repeats or with one model.
        pooled: output of `inference.comparison.pooled_table` of each family below a column family, or None.
        standings: rows as `frames.STANDING_COLUMNS`, or None.
        curves: rows as `frames.CURVE_COLUMNS`, or None.
        families: what models are ranked for by task, with their priors; a task that is left out has all of its own.
        facts: what was run.
        theory: columns metric and one per family with a verdict each, or None.
        resources: one row per kind of job, or None.
        extra: further sections, shown before runtime and memory.
        commands: what makes the data of a part of the page, by `alignment`, `pooled`, `standings`, `curves`, `fits`,
            `theory`, `resources`.
    """

    title: str
    datasets: Mapping[str, Task]
    models: Sequence[str]
    metrics: Mapping[Task, Mapping[str, Metric]]
    alignment: pd.DataFrame | None = None
    pooled: pd.DataFrame | None = None
    standings: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    families: Mapping[Task, Sequence[Family]] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    theory: pd.DataFrame | None = None
    resources: pd.DataFrame | None = None
    extra: Sequence[Section] = ()
    commands: Mapping[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> list[Task]:
        """Tasks of the data sets, in the order they first appear."""
        return list(dict.fromkeys(self.datasets.values()))

    def families_of(self, task: Task) -> Sequence[Family]:
        """The decision families of a task, in the order of the page."""
        return self.families.get(task, families_of(task))

    def command(self, part: str) -> str:
        """What makes the data of a part of the page, or ""."""
        return self.commands.get(part, "")

    def weighted(self, task: Any) -> set[str]:
        """Names of the prior-weighted utilities among a task's metrics."""
        return {name for name, metric in self.metrics[task].items() if metric.family == "decision"}

    def titles(self, task: Any) -> dict[str, str]:
        """Titles of a task's metrics by name."""
        return {name: metric.title for name, metric in self.metrics[task].items()}
