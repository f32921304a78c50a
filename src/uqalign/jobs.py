"""The grid: which files a configuration asks for, and what each job is told.

Everything here is plain data worked out from the configuration and the registries; nothing is read, trained or scored.
The Snakefile asks a `Plan` for paths and parameters and holds no logic of its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from uqalign.config import MAX_SEEDS_PER_BLOCK, Config, ConfigError
from uqalign.models.base import REGISTRY as MODEL_REGISTRY
from uqalign.models.base import Model
from uqalign.models.suites import SUITES, expand_suites
from uqalign.provenance import canonical_json, code_digest, declaration_digest, declaration_modules
from uqalign.registry import UnknownNameError
from uqalign.reporting.names import FIGURE_FORMATS as FIGURE_FORMATS
from uqalign.tasks import Task

if TYPE_CHECKING:
    from uqalign.data.declare import Dataset
    from uqalign.protocol.switches import Stage

FAMILIES: dict[Task, tuple[str, ...]] = {
    "binary": ("binary_decision", "top_k"),
    "multiclass": ("one_vs_rest",),
    "regression": ("selective", "risk_averse_top_k"),
    "multivariate": ("multivariate_selective",),
}
"""Decision families of each task, in the order of the tables."""


def seed_token(seeds: range) -> str:
    """`seeds-000-009`: an inclusive range as a path part."""
    return f"seeds-{seeds[0]:03d}-{seeds[-1]:03d}"


def fold_token(folds: range) -> str:
    """`folds-1-5`: an inclusive range as a path part."""
    return f"folds-{folds[0]}-{folds[-1]}"


def parse_token(token: str) -> range:
    """The range behind a `seeds-..` or `folds-..` path part."""
    match = re.fullmatch(r"(?:seeds|folds)-(\d+)-(\d+)", token)
    if not match:
        raise ValueError(f"{token!r} is no range of seeds or folds such as seeds-000-009 or folds-1-5")
    return range(int(match[1]), int(match[2]) + 1)


def _runs(numbers: list[int], size: int) -> Iterator[range]:
    """Consecutive runs of ascending `numbers` that do not cross a multiple of `size` or of a splits block."""

    def run_of(item: tuple[int, int]) -> tuple[int, int, int]:
        position, number = item
        return number // MAX_SEEDS_PER_BLOCK, number // size, number - position

    for _, run in groupby(enumerate(numbers), key=run_of):
        members = [number for _, number in run]
        yield range(members[0], members[-1] + 1)


def prepare_environment(config: Config) -> None:
    """Set what jobs inherit from the workflow and no parameter should track.

    Jobs find this environment's commands, activated or not. Where raw files lie never changes what they hold, nor the
    device what a model is, so both reach the jobs beside their parameters.
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["UQALIGN_DATA_DIR"] = str(config.data_dir)
    os.environ["UQALIGN_DEVICE"] = config.device


@dataclass(frozen=True)
class Job:
    """One training job: a model fitted to some seeds and folds of a data set."""

    task: Task
    dataset: str
    model: str
    seeds: range
    folds: range

    @property
    def path(self) -> str:
        """The job's place below `results/<stage>/`, without suffix."""
        parts = (self.task, self.dataset, self.model, seed_token(self.seeds), fold_token(self.folds))
        return "/".join(parts)


@dataclass(frozen=True)
class Plan:
    """A configuration resolved against the registries."""

    config: Config

    @cached_property
    def datasets(self) -> dict[str, Dataset]:
        """Data sets by name, in the order of the configuration."""
        from uqalign.data.registry import resolve

        return self._resolved("datasets", self.config.datasets, resolve)

    @cached_property
    def models(self) -> dict[str, Model]:
        """Models by name, in the order of the configuration."""
        return self._resolved("models", expand_suites(self.config.models), MODEL_REGISTRY.get)

    @staticmethod
    def _resolved(key: str, names: list[str], get: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in names:
            try:
                member = get(name)
            except UnknownNameError as error:
                raise ConfigError(f"the configuration cannot be used:\n  {key}: {error}") from None
            if member.name in found:
                raise ConfigError(f"the configuration cannot be used:\n  {key}: two are named {member.name!r}")
            found[member.name] = member
        return found

    @cached_property
    def _references(self) -> dict[str, str]:
        """The configuration's own reference (a name, a dotted path, a file) of each resolved name."""
        pairs = [
            *zip(self.datasets, self.config.datasets, strict=True),
            *zip(self.models, expand_suites(self.config.models), strict=True),
        ]
        return dict(pairs)

    def check(self) -> Plan:
        """This plan, if it can be run.

        Raises:
            ConfigError: unknown names, a model that lacks something here, a data set that cannot be split as asked or
            that fewer than two of the models can be fitted to.
        """
        for model in self.models.values():
            lacking = model.available()
            if lacking:
                hint = "; the suite paper_open does without it" if model.name in SUITES["paper"] else ""
                raise ConfigError(
                    f"the configuration cannot be used:\n  models: {model.name} is not available here: {lacking}{hint}"
                )
        column = {"grouped": "group", "blocked": "time"}.get(self.config.split)
        for name, dataset in self.datasets.items():
            if column and getattr(dataset, column) is None:
                raise ConfigError(
                    f"the configuration cannot be used:\n  split: {self.config.split} needs a {column} column, which "
                    f"{name} does not have: use shuffled, or leave the data set out"
                )
            fitting = [model.name for model in self.models.values() if dataset.task in model.tasks]
            if len(fitting) < 2:
                offered = [m.name for m in MODEL_REGISTRY if dataset.task in m.tasks and not m.control]
                raise ConfigError(
                    f"the configuration cannot be used:\n  models: {len(fitting)} of them can be fitted to "
                    f"{name} ({dataset.task}), and a ranking needs two: add some of {', '.join(offered)}"
                )
        if self.config.metrics != ["all"]:
            self._check_metrics()
        for task in self.tasks:
            self._switches(task)
        return self

    def _switches(self, task: Task, *stages: Stage) -> list[str]:
        """The protocol switches that are on and concern some stages of a task, sorted."""
        if not self.config.switches:
            return []
        from uqalign.protocol import concerning, expand

        try:
            on = expand(self.config.switches)
        except UnknownNameError as error:
            raise ConfigError(f"the configuration cannot be used:\n  protocol: {error}") from None
        return sorted(on & {switch.id for stage in stages for switch in concerning(task, stage)})

    def _check_metrics(self) -> None:
        # The metric library is heavier than all the rest of a plan, and rarely needed for one.
        from uqalign.metrics.select import selected

        for task in self.tasks:
            try:
                chosen = selected(task, self.config.metrics)
            except UnknownNameError as error:
                raise ConfigError(f"the configuration cannot be used:\n  metrics: {error}") from None
            if not chosen:
                raise ConfigError(f"the configuration cannot be used:\n  metrics: none of them scores {task} problems")

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every training job, ordered by data set, model, seeds and folds."""
        chunk = self.config.chunk
        seeds = list(_runs(self.config.seed_list, chunk.seeds))
        all_folds = list(range(1, self.config.folds + 1))
        folds = [
            range(all_folds[i], all_folds[min(i + chunk.folds, len(all_folds)) - 1] + 1)
            for i in range(0, len(all_folds), chunk.folds)
        ]
        return tuple(
            Job(dataset.task, name, model.name, s, f)
            for name, dataset in self.datasets.items()
            for model in self.models.values()
            if dataset.task in model.tasks
            for s in seeds
            for f in folds
        )

    @cached_property
    def tasks(self) -> list[Task]:
        """Tasks of the chosen data sets, in the order they first appear."""
        return list(dict.fromkeys(dataset.task for dataset in self.datasets.values()))

    @property
    def families(self) -> list[str]:
        """Decision families of the chosen tasks."""
        return [family for task in self.tasks for family in FAMILIES[task]]

    # Targets

    def cleaned(self) -> list[str]:
        """Files of the `clean_data` stage."""
        return [f"results/data/{name}.parquet" for name in self.datasets]

    def splits(self) -> list[str]:
        """Files of the `split_data` stage."""
        return sorted({self._splits(job.dataset, job.seeds) for job in self.jobs})

    def predictions(self) -> list[str]:
        """Files of the `train` stage."""
        return [f"results/predictions/{job.path}.parquet" for job in self.jobs]

    def scores(self) -> list[str]:
        """Files of the `score` stage."""
        return [f"results/scores/{job.path}.parquet" for job in self.jobs]

    def alignments(self) -> list[str]:
        """Files of the `align` stage."""
        return self._alignments(*self.tasks)

    # Inputs, by the wildcards of a rule

    def _splits(self, dataset: str, seeds: range) -> str:
        first = seeds[0] // MAX_SEEDS_PER_BLOCK * MAX_SEEDS_PER_BLOCK
        return f"results/splits/{dataset}/{seed_token(range(first, first + MAX_SEEDS_PER_BLOCK))}.parquet"

    def splits_of(self, wildcards: Any) -> str:
        """The splits file that a training job reads."""
        return self._splits(wildcards.dataset, parse_token(wildcards.seeds))

    def scores_of(self, wildcards: Any) -> list[str]:
        """The score files of one data set."""
        return [f"results/scores/{job.path}.parquet" for job in self.jobs if job.dataset == wildcards.dataset]

    def task_scores(self, wildcards: Any) -> list[str]:
        """The score files of one task."""
        return [f"results/scores/{job.path}.parquet" for job in self.jobs if job.task == wildcards.task]

    def family_alignments(self, wildcards: Any) -> list[str]:
        """The alignment files that a family's table shows."""
        task = next(task for task, families in FAMILIES.items() if wildcards.family in families)
        return self._alignments(task)

    def task_alignments(self, wildcards: Any) -> list[str]:
        """The alignment files of one task."""
        return self._alignments(wildcards.task)

    def _alignments(self, *tasks: Task) -> list[str]:
        chosen = {name: ds.task for name, ds in self.datasets.items() if ds.task in tasks}
        return [f"results/alignment/{task}/{name}.parquet" for name, task in chosen.items()]

    def gpus(self, wildcards: Any) -> int:
        """GPUs that a training job asks for: one if its model can use one and there is one to use."""
        if "cuda" not in self.models[wildcards.model].devices or self.config.device == "cpu":
            return 0
        return int(self.config.device == "cuda" or Path("/dev/nvidia0").exists())

    def trained_with(self, gpus: int) -> str:
        """A pattern of the names of the models whose training jobs ask for this many GPUs; without any, of nothing."""
        names = [name for name in self.models if self.gpus(SimpleNamespace(model=name)) == gpus]
        return "|".join(names) or "(?!)"

    # Parameters, by the wildcards of a rule: canonical JSON and code digests, both plain text

    def data_spec(self, wildcards: Any) -> str:
        """What the `clean_data` stage is told."""
        dataset = self.datasets[wildcards.dataset]
        spec = {"dataset": self._references[wildcards.dataset], "declaration": declaration_digest(dataset)}
        return canonical_json(spec)

    def data_code(self, wildcards: Any) -> str:
        """Code behind the `clean_data` stage of a data set."""
        return code_digest("uqalign.stages.clean_data", *declaration_modules(self.datasets[wildcards.dataset]))

    def splits_spec(self, wildcards: Any) -> str:
        """What the `split_data` stage is told."""
        seeds = parse_token(wildcards.block)
        spec = {"split": self.config.split, "folds": self.config.folds, "seeds": [seeds[0], seeds[-1]]}
        return canonical_json(spec)

    def splits_code(self, _: Any) -> str:
        """Code behind the `split_data` stage."""
        return code_digest("uqalign.stages.split_data")

    def _train_spec(self, wildcards: Any) -> dict[str, Any]:
        seeds, folds = parse_token(wildcards.seeds), parse_token(wildcards.folds)
        spec = {
            "task": wildcards.task,
            "dataset": wildcards.dataset,
            "model": self._references[wildcards.model],
            "split": self.config.split,
            "n_folds": self.config.folds,
            "seeds": [seeds[0], seeds[-1]],
            "folds": [folds[0], folds[-1]],
        }
        identity = self.models[wildcards.model].identity(wildcards.task)
        return spec | ({"identity": dict(identity)} if identity else {})

    def train_spec(self, wildcards: Any) -> str:
        """What the `train` stage is told."""
        return canonical_json(self._train_spec(wildcards))

    def train_code(self, wildcards: Any) -> str:
        """Code behind the `train` stage of a model."""
        return code_digest("uqalign.stages.train", *declaration_modules(self.models[wildcards.model]))

    def score_spec(self, wildcards: Any) -> str:
        """What the `score` stage is told: metrics, decisions, and the predictions it may accept."""
        expects = {"spec": self._train_spec(wildcards), "code": self.train_code(wildcards)}
        spec = {
            "metrics": self.config.metrics,
            "thetas": self.config.thetas,
            "protocol": self._switches(wildcards.task, "metric", "utility", "theta"),
            "expects": expects,
        }
        return canonical_json(spec)

    def score_code(self, _: Any) -> str:
        """Code behind the `score` stage, user metrics included."""
        own = [name.partition(":")[0] for name in self.config.metrics if ":" in name]
        return code_digest("uqalign.stages.score", *own)

    def align_spec(self, wildcards: Any) -> str:
        """What the `align` stage is told: the grid whose coverage it reports."""
        dataset = self.datasets[wildcards.dataset]
        models = [model.name for model in self.models.values() if dataset.task in model.tasks]
        spec = {
            "task": dataset.task,
            "dataset": dataset.name,
            "models": models,
            "metrics": self.config.metrics,
            "protocol": self._switches(dataset.task, "alignment"),
            "seeds": self.config.seed_list,
            "n_folds": self.config.folds,
        }
        return canonical_json(spec)

    def align_code(self, _: Any) -> str:
        """Code behind the `align` stage."""
        return code_digest("uqalign.stages.align")
