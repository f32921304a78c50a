"""Files and jobs of the checkpoint study, worked out from the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.config import Config, ConfigError
from uqalign.jobs import FIGURE_FORMATS, seed_token
from uqalign.provenance import canonical_json, code_digest
from uqalign.registry import UnknownNameError
from uqalign.superiority.settings import FIGURES, TABLES

if TYPE_CHECKING:
    from uqalign.superiority.images import ImageSet

ROOT = "results/superiority"


@dataclass(frozen=True)
class StudyPlan:
    """The study of a configuration: one training job per data set and regime."""

    config: Config

    @cached_property
    def sets(self) -> dict[str, ImageSet]:
        """Image sets by name.

        Raises:
            ConfigError: an unknown name.
        """
        from uqalign.superiority.sets import REGISTRY

        try:
            found = [REGISTRY.get(name) for name in self.config.superiority.datasets]
        except UnknownNameError as error:
            raise ConfigError(f"the configuration cannot be used:\n  superiority.datasets: {error}") from None
        return {member.name: member for member in found}

    @cached_property
    def _references(self) -> dict[str, str]:
        return dict(zip(self.sets, self.config.superiority.datasets, strict=True))

    def _cells(self, stage: str) -> list[str]:
        seeds = seed_token(range(self.config.superiority.seeds))
        return [
            f"{ROOT}/{stage}/{name}/{regime}/{seeds}.parquet"
            for name in self.sets
            for regime in self.config.superiority.regimes
        ]

    def predictions(self) -> list[str]:
        """Files of the training stage."""
        return self._cells("predictions")

    def measures(self) -> list[str]:
        """Files of the scoring stage."""
        return self._cells("measures")

    def tables(self) -> list[str]:
        """Tables of the study."""
        return [f"{ROOT}/tables/{name}.{kind}" for name in TABLES for kind in ("csv", "md")]

    def figures(self) -> list[str]:
        """Pictures of the study."""
        return [f"{ROOT}/figures/{name}.{kind}" for name in FIGURES for kind in FIGURE_FORMATS]

    def gpus(self, _: Any) -> int:
        """GPUs that a training job asks for."""
        if self.config.device == "cpu":
            return 0
        return int(self.config.device == "cuda" or Path("/dev/nvidia0").exists())

    def _train_spec(self, wildcards: Any) -> dict[str, Any]:
        study = self.config.superiority
        noise = study.noise if wildcards.regime in ("noisy", "hard") else 0.0
        share = study.share if wildcards.regime in ("subset", "hard") else 1.0
        return {
            "dataset": self._references[wildcards.dataset],
            "regime": wildcards.regime,
            "seeds": [0, study.seeds - 1],
            "epochs": study.epochs,
            "share": share,
            "noise": noise,
        }

    def train_spec(self, wildcards: Any) -> str:
        """What the training stage is told."""
        return canonical_json(self._train_spec(wildcards))

    def train_code(self, wildcards: Any) -> str:
        """Code behind the training stage of an image set."""
        return code_digest("uqalign.stages.superiority_train", self.sets[wildcards.dataset].load.__module__)

    def score_spec(self, wildcards: Any) -> str:
        """What the scoring stage is told: the predictions it may accept."""
        return canonical_json({"expects": {"spec": self._train_spec(wildcards), "code": self.train_code(wildcards)}})

    def score_code(self, _: Any) -> str:
        """Code behind the scoring stage."""
        return code_digest("uqalign.stages.superiority_score")

    def report_spec(self, _: Any) -> str:
        """What the last stage is told."""
        return canonical_json({"patience": self.config.superiority.patience})

    def report_code(self, _: Any) -> str:
        """Code behind the last stage."""
        return code_digest("uqalign.stages.superiority_report")
