"""Files and jobs of the sensitivity analysis: a job per prediction cache, per data set and per task."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from uqalign.jobs import FIGURE_FORMATS, Plan
from uqalign.provenance import canonical_json, code_digest
from uqalign.tasks import Task

ROOT = "results/sensitivity"
TABLES = ("levels", "surfaces", "best")
FIGURES = ("levels", "surfaces", "surfaces_by_dataset", "best")


@dataclass(frozen=True)
class SensitivityPlan:
    """The sensitivity analysis of a plan: everything that it trains and scores is analysed."""

    plan: Plan

    def scores(self) -> list[str]:
        """Files of the `sensitivity_scores` stage."""
        return [f"{ROOT}/scores/{job.path}.parquet" for job in self.plan.jobs]

    @staticmethod
    def report_files() -> list[str]:
        """Tables and pictures of the `sensitivity_report` stage, with the task as a wildcard."""
        return [
            *(f"{ROOT}/tables/{name}_{{task}}.{kind}" for name in TABLES for kind in ("csv", "md")),
            *(f"{ROOT}/figures/{name}_{{task}}.{kind}" for name in FIGURES for kind in FIGURE_FORMATS),
        ]

    def targets(self) -> list[str]:
        """Every table and picture of the analysis."""
        return [path.format(task=task) for task in self.plan.tasks for path in self.report_files()]

    # Inputs, by the wildcards of a rule

    def scores_of(self, wildcards: Any) -> list[str]:
        """The score files of one data set, then its `sensitivity_scores` files."""
        utilities = [f"{ROOT}/scores/{job.path}.parquet" for job in self.plan.jobs if job.dataset == wildcards.dataset]
        return [*self.plan.scores_of(wildcards), *utilities]

    def results_of(self, wildcards: Any) -> list[str]:
        """The files of alignments by level of one task, then its files of surfaces."""
        names = [name for name, dataset in self.plan.datasets.items() if dataset.task == wildcards.task]
        return [f"{ROOT}/{kind}/{wildcards.task}/{name}.parquet" for kind in ("levels", "surfaces") for name in names]

    # Parameters, by the wildcards of a rule

    def scores_spec(self, wildcards: Any) -> str:
        """What the `sensitivity_scores` stage is told: decisions, and the predictions it may accept."""
        score = json.loads(self.plan.score_spec(wildcards))
        switches = self._concerning(wildcards.task, score["protocol"])
        spec = {
            "expects": score["expects"],
            "thetas": score["thetas"],
            "protocol": switches,
            "modules": ["uqalign.protocol.utilities"] if switches else [],
        }
        return canonical_json(spec)

    @staticmethod
    def _concerning(task: Task, switches: list[str]) -> list[str]:
        """The switches that change decisions or their utilities."""
        if not switches:
            return []
        from uqalign.protocol import concerning

        known = {switch.id for stage in ("utility", "theta") for switch in concerning(task, stage)}
        return [switch for switch in switches if switch in known]

    def scores_code(self, wildcards: Any) -> str:
        """Code behind the `sensitivity_scores` stage."""
        modules = json.loads(self.scores_spec(wildcards))["modules"]
        return code_digest("uqalign.stages.sensitivity_scores", *modules)

    def alignment_code(self, _: Any) -> str:
        """Code behind the `sensitivity_alignment` stage."""
        return code_digest("uqalign.stages.sensitivity_alignment")

    def report_spec(self, wildcards: Any) -> str:
        """What the `sensitivity_report` stage is told."""
        spec = {
            "task": wildcards.task,
            "datasets": [name for name, dataset in self.plan.datasets.items() if dataset.task == wildcards.task],
            "metrics": self.plan.config.metrics,
        }
        return canonical_json(spec)

    def report_code(self, _: Any) -> str:
        """Code behind the `sensitivity_report` stage."""
        return code_digest("uqalign.stages.sensitivity_report")
