"""What a run shows: which tables and figures a configuration asks for, and what each job is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from uqalign.jobs import Plan
from uqalign.provenance import canonical_json, code_digest
from uqalign.reporting.names import BOXPLOTS, COMPARISONS, FIGURE_FORMATS, PRIORS, TABLE_FORMATS, TEXT_FORMATS


@dataclass(frozen=True)
class ReportPlan:
    """Tables and figures of a plan."""

    plan: Plan

    # Targets

    def tables(self) -> list[str]:
        """Every table."""
        families, tasks = self.plan.families, self.plan.tasks
        return [
            *(f"results/tables/alignment_{family}.{kind}" for family in families for kind in TABLE_FORMATS),
            *(
                f"results/tables/{name}_{family}.{kind}"
                for family in families
                for name in ("pooled", "pairwise", "ranks")
                for kind in TEXT_FORMATS
            ),
            *(
                f"results/tables/{name}_{task}.{kind}"
                for task in tasks
                for name in ("models", "stability", "model_ranks")
                for kind in TEXT_FORMATS
            ),
            *(f"results/tables/first_places_{task}.csv" for task in tasks),
            *(f"results/tables/table_1.{kind}" for kind in TEXT_FORMATS),
            *(f"results/tables/ablations.{kind}" for kind in TEXT_FORMATS if tasks),
        ]

    def figures(self) -> list[str]:
        """Every figure."""
        return [
            *(path for task in self.plan.tasks for path in self.boxplots(task)),
            *(path for task in self.plan.tasks for path in self.pictures(f"model_ranks_{task}")),
            *(path for family in self.plan.families for path in self.comparisons(family)),
            *self.priors(),
        ]

    def boxplots(self, task: str, kinds: Sequence[str] = FIGURE_FORMATS) -> list[str]:
        """Pictures of the `figure` stage of a task (or of a wildcard)."""
        return [path for name in BOXPLOTS for path in self.pictures(f"{name}_{task}", kinds)]

    def comparisons(self, family: str, kinds: Sequence[str] = FIGURE_FORMATS) -> list[str]:
        """Pictures of the `comparison_figure` stage of a family (or of a wildcard)."""
        return [path for name in COMPARISONS for path in self.pictures(f"{name}_{family}", kinds)]

    def priors(self, kinds: Sequence[str] = FIGURE_FORMATS) -> list[str]:
        """Pictures of the `prior_figures` stage."""
        return [path for name in PRIORS for path in self.pictures(name, kinds)]

    @staticmethod
    def pictures(name: str, kinds: Sequence[str] = FIGURE_FORMATS) -> list[str]:
        """One picture in every format, or in some."""
        return [f"results/figures/{name}.{kind}" for kind in kinds]

    # Parameters, by the wildcards of a rule

    def table_spec(self, wildcards: Any) -> str:
        """What the `table` and `compare` stages of a family are told."""
        return canonical_json({"family": wildcards.family, **self._grid, "n_folds": self.plan.config.folds})

    def comparison_figure_spec(self, wildcards: Any) -> str:
        """What the `comparison_figure` stage of a family is told."""
        return canonical_json({"family": wildcards.family, "metrics": self.plan.config.metrics})

    def leaderboard_spec(self, wildcards: Any) -> str:
        """What the `leaderboard` and `stability` stages of a task are told."""
        spec = {"task": wildcards.task, **self._grid, "models": list(self.plan.models)}
        return canonical_json({**spec, "n_folds": self.plan.config.folds})

    def figure_spec(self, wildcards: Any) -> str:
        """What the `figure` and `model_figure` stages of a task are told."""
        return canonical_json({"task": wildcards.task, "metrics": self.plan.config.metrics})

    def ablations_spec(self, _: Any) -> str:
        """What the `ablations` stage is told."""
        return canonical_json({"families": self.plan.families, **self._grid})

    @property
    def _grid(self) -> dict[str, Any]:
        return {"datasets": list(self.plan.datasets), "metrics": self.plan.config.metrics}

    @staticmethod
    def code(stage: str) -> str:
        """Code behind a stage."""
        return code_digest(f"uqalign.stages.{stage}")
