"""Files and orders of the report, worked out from the configuration."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from uqalign.audit.plan import AuditPlan
from uqalign.cases.plan import CasePlan
from uqalign.jobs import Plan, fold_token, seed_token
from uqalign.models.base import REGISTRY, Model
from uqalign.models.suites import SUITES
from uqalign.provenance import canonical_json, code_digest
from uqalign.report.assets import assets_digest
from uqalign.reporting.plan import ReportPlan
from uqalign.sensitivity.plan import SensitivityPlan
from uqalign.superiority.plan import StudyPlan

FOLDER = "results/report"
DATA = ("standings", "curves", "fits")
UNTOLD = {"data_dir", "device", "chunk"}
"""Settings that change no result."""

COMMANDS = {
    "alignment": "snakemake --cores 2 alignment",
    "pooled": "snakemake --cores 2 tables",
    "theory": "snakemake --cores 2 results/tables/table_1.csv",
    "standings": "snakemake --cores 2 report",
    "curves": "snakemake --cores 2 report",
    "fits": "snakemake --cores 2 predictions",
    "resources": "snakemake --cores 2 (every job writes to results/benchmarks)",
}


@dataclass(frozen=True)
class PagePlan:
    """The report of a plan."""

    plan: Plan
    cases: CasePlan

    # Targets

    @property
    def page(self) -> str:
        """The page."""
        return f"{FOLDER}/index.html"

    @property
    def archive(self) -> str:
        """The page and its data as a zip."""
        return f"{FOLDER}/report.zip"

    @staticmethod
    def data(kind: str) -> str:
        """A file of the `dataset` stage, with the task and data set as wildcards."""
        return f"{FOLDER}/data/{{task}}/{{dataset}}/{kind}.parquet"

    # Inputs

    def inputs(self) -> list[str]:
        """Everything that the page shows: the default targets of the workflow, and the sections asked for."""
        tables = [path for path in ReportPlan(self.plan).tables() if path.endswith(".csv")]
        own = [
            self.data(kind).format(task=dataset.task, dataset=name)
            for name, dataset in self.plan.datasets.items()
            for kind in DATA
        ]
        shown = [path for path in (*self.cases.case_targets(), *self._asked_for()) if not path.endswith(".pdf")]
        return [*self.plan.alignments(), *tables, *own, *shown]

    def _asked_for(self) -> list[str]:
        found: list[str] = []
        for section in self.plan.config.report.sections:
            match section:
                case "sensitivity":
                    found += [path for path in SensitivityPlan(self.plan).targets() if "/tables/" in path]
                case "audit":
                    found += AuditPlan(self.plan, self.cases).audit()
                case "superiority":
                    study = StudyPlan(self.plan.config)
                    found += [*study.tables(), *study.figures()]
        return found

    def predictions_of(self, wildcards: Any) -> list[str]:
        """The prediction caches of one data set."""
        return [f"results/predictions/{job.path}.parquet" for job in self.plan.jobs if job.dataset == wildcards.dataset]

    # Parameters

    def dataset_spec(self, wildcards: Any) -> str:
        """What the `dataset` stage is told, with the jobs that must have made its predictions."""
        jobs = [job for job in self.plan.jobs if job.dataset == wildcards.dataset]
        places = [
            SimpleNamespace(
                task=job.task,
                dataset=job.dataset,
                model=job.model,
                seeds=seed_token(job.seeds),
                folds=fold_token(job.folds),
            )
            for job in jobs
        ]
        spec = {
            "task": wildcards.task,
            "dataset": wildcards.dataset,
            "models": list(dict.fromkeys(job.model for job in jobs)),
            "metrics": self.plan.config.metrics,
            "n_folds": self.plan.config.folds,
            "expects": [json.loads(self.plan.score_spec(place))["expects"] for place in places],
        }
        return canonical_json(spec)

    def _own_metrics(self) -> list[str]:
        return [name.partition(":")[0] for name in self.plan.config.metrics if ":" in name]

    def dataset_code(self, _: Any) -> str:
        """Code behind the `dataset` stage."""
        return code_digest("uqalign.report.stages.dataset", *self._own_metrics())

    def page_spec(self, _: Any = None) -> str:
        """What the `page` stage is told: the configuration, and what is known of its data sets and models."""
        config = self.plan.config
        spec = {
            "config": config.model_dump(mode="json", exclude=UNTOLD),
            "metrics": config.metrics,
            "seeds": config.seed_list,
            "folds": config.folds,
            "sections": config.report.sections,
            "datasets": [_dataset(dataset) for dataset in self.plan.datasets.values()],
            "models": [_model(model) for model in self.plan.models.values()],
            "absent": self._absent(),
            "cases": [
                {"name": case.name, "title": case.title, "task": case.task} for case in self.cases.cases.values()
            ],
            "commands": COMMANDS,
            "assets": assets_digest(),
        }
        return canonical_json(spec)

    def _absent(self) -> list[dict[str, str]]:
        """Models of the published suites that the run leaves out, and why."""
        published = [REGISTRY.get(name) for name in SUITES["paper"]]
        wanted = [model for model in published if model.tasks & set(self.plan.tasks)]
        return [
            {"model": m.name, "title": m.title, "why": m.available() or "not in the configuration"}
            for m in wanted
            if m.name not in self.plan.models
        ]

    def page_code(self, _: Any = None) -> str:
        """Code behind the `page` stage."""
        return code_digest("uqalign.report.stages.page", *self._own_metrics())


def _dataset(dataset: Any) -> dict[str, Any]:
    facts = dataset.facts
    return {
        "name": dataset.name,
        "task": dataset.task,
        "title": dataset.title,
        "rows": facts.rows if facts else None,
        "features": facts.features if facts else None,
        "source": dataset.citation or dataset.licence,
    }


def _model(model: Model) -> dict[str, Any]:
    kind = "control" if model.control else "contender"
    return {"name": model.name, "title": model.title, "kind": kind, "predicts": model.distribution}
