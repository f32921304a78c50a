"""The audit's part of the workflow: which files it has, and what each of its jobs is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from uqalign.audit.claimed_cases import CASES
from uqalign.audit.published import PATH, PUBLISHED_AS
from uqalign.cases.case import Case
from uqalign.cases.plan import CasePlan
from uqalign.config import ConfigError
from uqalign.jobs import FIGURE_FORMATS, Job, Plan, fold_token, seed_token
from uqalign.models.base import REGISTRY
from uqalign.models.suites import SUITES
from uqalign.provenance import canonical_json, code_digest, sha256_of
from uqalign.tasks import Task

FOLDER = "results/audit"
STAGES = "uqalign.audit.stages"
COMPARISON = ("comparison.csv", "comparison.md")
REPORT = (
    "effects.csv",
    "rankings.csv",
    "claims.csv",
    "selective_cost.csv",
    "top_k_ties.csv",
    "row_orders.csv",
    "audit.md",
)
FIGURES = ("switches", "comparison")
CLAIMED: tuple[Task, ...] = ("binary", "regression")
"""The tasks that the paper makes claims about."""


@dataclass(frozen=True)
class AuditPlan:
    """A configuration's audit.

    Attributes:
        cases: its case studies.
    """

    plan: Plan
    cases: CasePlan

    def _models(self, task: Task) -> list[str]:
        return [model.name for model in self.plan.models.values() if task in model.tasks]

    def _jobs(self, dataset: str, model: str) -> list[Job]:
        return [job for job in self.plan.jobs if (job.dataset, job.model) == (dataset, model)]

    def _missing(self) -> dict[str, list[str]]:
        """The published models of each task that the configuration leaves out."""
        published = [REGISTRY.get(name) for name in SUITES["paper"]]
        return {
            task: [m.name for m in published if task in m.tasks and m.name not in self.plan.models]
            for task in self.plan.tasks
        }

    def folder(self, _: Any, output: Any) -> str:
        """Where the audit writes."""
        return str(Path(output[0]).parent)

    # Targets

    def audit(self, _: Any = None) -> list[str]:
        """Everything that the audit writes for people.

        Raises:
            ConfigError: no data sets, of which nothing could be said.
        """
        if not self.plan.datasets:
            raise ConfigError(
                "the audit is about data sets, and the configuration has none: list some under `datasets`"
            )
        return [*self.report().values(), *self.comparison().values(), *self.figures()]

    def report(self) -> dict[str, str]:
        """Tables and page by stem."""
        return _by_stem(REPORT)

    def comparison(self) -> dict[str, str]:
        """The comparison with the published tables, by format."""
        return {name.rpartition(".")[2]: f"{FOLDER}/{name}" for name in COMPARISON}

    def figures(self) -> list[str]:
        """The figures in every format."""
        return [f"{FOLDER}/{name}.{kind}" for name in FIGURES for kind in FIGURE_FORMATS]

    def comparison_figures(self) -> list[str]:
        """The figures that show the comparison."""
        return [path for path in self.figures() if Path(path).stem == "comparison"]

    # Inputs, by the wildcards of a rule

    def score_files(self, wildcards: Any) -> list[str]:
        """The prediction caches of one model on one data set, then the splits behind them, each once."""
        jobs = self._jobs(wildcards.dataset, wildcards.model)
        return [*(f"results/predictions/{job.path}.parquet" for job in jobs), *self._splits_of(jobs)]

    def _splits_of(self, jobs: Sequence[Job]) -> list[str]:
        return list(dict.fromkeys(self._splits(job) for job in jobs))

    def _splits(self, job: Job) -> str:
        return self.plan.splits_of(_Wildcards(job))

    def measures_of(self, wildcards: Any) -> list[str]:
        """The measures of one data set's models."""
        return [
            f"{FOLDER}/measures/{wildcards.task}/{wildcards.dataset}/{model}.parquet"
            for model in self._models(wildcards.task)
        ]

    def taus(self) -> list[str]:
        """The taus of every data set."""
        return self._per_dataset("taus", self.plan.tasks)

    def without(self) -> list[str]:
        """The medians with each model left out, of every data set."""
        return self._per_dataset("without", self.plan.tasks)

    def ties(self) -> list[str]:
        """The ties on top-k decisions of every binary data set."""
        return self._per_dataset("ties", ["binary"])

    def row_orders(self) -> list[str]:
        """The effect of the order of the models, of every binary data set."""
        return self._per_dataset("orders", ["binary"])

    def other_yardsticks(self) -> list[str]:
        """Agreements other than tau, taus under other priors and with money, of all that has claims about it."""
        levels = [self._per_dataset(kind, CLAIMED, "results") for kind in ("alignment", "sensitivity/levels")]
        return [*chain(*levels), *(path for case in self._claimed() for path in self.cases.case_alignment(case))]

    def _claimed(self) -> list[Case]:
        return [case for name, case in self.cases.cases.items() if name in CASES]

    def _per_dataset(self, kind: str, tasks: Sequence[Task], folder: str = FOLDER) -> list[str]:
        chosen = [dataset for dataset in self.plan.datasets.values() if dataset.task in tasks]
        return [f"{folder}/{kind}/{dataset.task}/{dataset.name}.parquet" for dataset in chosen]

    # Parameters, by the wildcards of a rule

    def score_spec(self, wildcards: Any) -> str:
        """What the scoring of one model is told."""
        jobs = self._jobs(wildcards.dataset, wildcards.model)
        splits = self._splits_of(jobs)
        caches = []
        for job in jobs:
            expects = json.loads(self.plan.score_spec(_Wildcards(job)))["expects"]
            caches.append({**expects, "splits": splits.index(self._splits(job))})
        config = self.plan.config
        spec = {
            "dataset": wildcards.dataset,
            "model": wildcards.model,
            "metrics": config.metrics,
            "thetas": config.thetas,
            "caches": caches,
        }
        return canonical_json(spec)

    def dataset_spec(self, wildcards: Any) -> str:
        """What the alignment of one data set is told."""
        config = self.plan.config
        spec = {
            "task": wildcards.task,
            "dataset": wildcards.dataset,
            "models": self._models(wildcards.task),
            "metrics": config.metrics,
            "thetas": config.thetas,
            "seeds": config.seed_list,
            "n_folds": config.folds,
        }
        return canonical_json(spec)

    def report_spec(self, _: Any) -> str:
        """What the comparison and the figures are told."""
        return canonical_json(self._report())

    def claims_spec(self, _: Any) -> str:
        """What tables and page are told: the other yardsticks follow the protocol of the configuration."""
        from uqalign.audit.settings import setting_of
        from uqalign.protocol import expand

        on = expand(self.plan.config.switches)
        settings = {task: setting_of(task, on) for task in self.plan.tasks if task in CLAIMED}
        of_cases = {case.name: setting_of(case.task, on, case.switches) for case in self._claimed()}
        return canonical_json(self._report() | {"settings": settings, "cases": of_cases})

    def _report(self) -> dict[str, Any]:
        named = {name: PUBLISHED_AS[name] for name in self.plan.datasets if name in PUBLISHED_AS}
        return {
            "datasets": {name: dataset.task for name, dataset in self.plan.datasets.items()},
            "published": {"sha256": sha256_of(PATH), "names": named},
            "missing": self._missing(),
        }

    # Code behind each stage

    def score_code(self, _: Any) -> str:
        """Code that scores."""
        return code_digest(f"{STAGES}.score")

    def align_code(self, _: Any) -> str:
        """Code that aligns."""
        return code_digest(f"{STAGES}.align")

    def ties_code(self, _: Any) -> str:
        """Code that counts ties."""
        return code_digest(f"{STAGES}.ties")

    def comparison_code(self, _: Any) -> str:
        """Code that compares with the published tables."""
        return code_digest(f"{STAGES}.comparison")

    def report_code(self, _: Any) -> str:
        """Code that writes tables and page."""
        return code_digest(f"{STAGES}.report")

    def figures_code(self, _: Any) -> str:
        """Code that draws."""
        return code_digest(f"{STAGES}.figures")


def _by_stem(names: Sequence[str]) -> dict[str, str]:
    return {name.rpartition(".")[0]: f"{FOLDER}/{name}" for name in names}


class _Wildcards:
    """The wildcards of a training job."""

    def __init__(self, job: Job) -> None:
        self.task, self.dataset, self.model = job.task, job.dataset, job.model
        self.seeds, self.folds = seed_token(job.seeds), fold_token(job.folds)
