"""The grid of the case studies: what they train, which files they ask for, and what each job is told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from uqalign.cases.case import NEVER_TESTED, SCHEME, TESTED, Arm, Case, FixedTest, Options
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.report import figures_of, tables_of
from uqalign.config import Config, ConfigError
from uqalign.jobs import FIGURE_FORMATS, Job, Plan, parse_token
from uqalign.provenance import canonical_json, code_digest, declaration_digest, declaration_modules
from uqalign.registry import did_you_mean

TABLE_FORMATS = ("csv", "md")
TRAINED_SEED = range(1)
"""The one seed of the fits to a fixed test set; its replicates come from the test rows."""


def _refuse(message: str) -> ConfigError:
    return ConfigError(f"the configuration cannot be used:\n  {message}")


@dataclass(frozen=True)
class CasePlan(Plan):
    """All that a configuration trains: its data sets and those of its case studies, which have stages of their own.

    Attributes:
        config: with the case studies' data sets among its own.
        listed: data sets as the configuration itself lists them.
    """

    listed: tuple[str, ...]

    @classmethod
    def of(cls, config: Config) -> CasePlan:
        """The plan of a configuration.

        Raises:
            ConfigError: unknown case studies.
        """
        cases = cls(config, tuple(config.datasets)).cases.values()
        needed = [reference for case in cases for arm in case.arms for reference in arm.datasets]
        datasets = list(dict.fromkeys([*config.datasets, *needed]))
        return cls(config.model_copy(update={"datasets": datasets}), tuple(config.datasets))

    @cached_property
    def cases(self) -> dict[str, Case]:
        """Case studies by name, in the order of the configuration."""
        return self._resolved("cases", self.config.cases, CASES_REGISTRY.get)

    @cached_property
    def fixed(self) -> dict[str, FixedTest]:
        """Data sets that have one fixed set of test rows."""
        return {
            dataset: case.splits
            for case in self.cases.values()
            if isinstance(case.splits, FixedTest)
            for arm in case.arms
            for dataset in self.datasets_of(arm)
        }

    def datasets_of(self, arm: Arm) -> list[str]:
        """Names of an arm's data sets."""
        names = {reference: name for name, reference in self._references.items()}
        return [names[reference] for reference in arm.datasets]

    def check(self) -> CasePlan:
        """This plan, if it can be run.

        Raises:
            ConfigError: as `Plan.check`; options that no case study has; a data set that cannot serve a case study.
        """
        super().check()
        self._check_options()
        users: dict[str, list[str]] = {}
        for case in self.cases.values():
            for dataset in dict.fromkeys(name for arm in case.arms for name in self.datasets_of(arm)):
                users.setdefault(dataset, []).append(case.name)
                task = self.datasets[dataset].task
                if task != case.task:
                    raise _refuse(f"cases: {case.name} is a {case.task} study, but its data set {dataset} is {task}")
        for dataset in self.fixed:
            others = users[dataset][1:]
            if self._references[dataset] in self.listed or others:
                raise _refuse(
                    f"datasets: {dataset} is split by case study {users[dataset][0]} and serves nothing else: leave it "
                    f"out of {'case study ' + others[0] if others else 'datasets'}"
                )
        return self

    def _check_options(self) -> None:
        for name, changed in self.config.case_options.items():
            if name not in self.cases:
                chosen = did_you_mean(name, self.cases) if self.cases else "no case study is chosen"
                raise _refuse(f"case_options: {name!r} is not among cases: {chosen}")
            known = self.cases[name].options
            for option, value in changed.items():
                if option not in known:
                    raise _refuse(f"case_options.{name}: unknown option {option!r}: {did_you_mean(option, known)}")
                if isinstance(value, str) != isinstance(known[option], str):
                    raise _refuse(f"case_options.{name}.{option}: {value!r} is not of the kind of {known[option]!r}")

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every training job; one per model where the test rows are fixed."""
        tested = range(TESTED, TESTED + 1)
        fixed = [
            Job(self.datasets[name].task, name, model.name, TRAINED_SEED, tested)
            for name in self.fixed
            for model in self.models.values()
            if self.datasets[name].task in model.tasks
        ]
        return (*(job for job in super().jobs if job.dataset not in self.fixed), *fixed)

    # Training

    def _train_spec(self, wildcards: Any) -> dict[str, Any]:
        spec = super()._train_spec(wildcards)
        return {**spec, "split": SCHEME, "n_folds": NEVER_TESTED} if wildcards.dataset in self.fixed else spec

    def fixed_splits(self) -> str:
        """A pattern of the names of the data sets that have fixed test rows; without any, of nothing."""
        return "|".join(self.fixed) or "(?!)"

    def fixed_splits_spec(self, wildcards: Any) -> str:
        """What the `case_splits` stage is told."""
        case = next(
            case for case in self.cases.values() for arm in case.arms if wildcards.dataset in self.datasets_of(arm)
        )
        seeds = parse_token(wildcards.block)
        return canonical_json({"case": self._case_reference(case), "seeds": [seeds[0], seeds[-1]]})

    def fixed_splits_code(self, wildcards: Any) -> str:
        """Code behind the `case_splits` stage."""
        return code_digest("uqalign.stages.case_splits", *declaration_modules(self.fixed[wildcards.dataset]))

    def _case_reference(self, case: Case) -> str:
        return dict(zip(self.cases, self.config.cases, strict=True))[case.name]

    # Side information

    def side(self, case: str, dataset: str) -> str:
        """File of the `case_side` stage."""
        return f"results/cases/{case}/side/{dataset}.parquet"

    def side_spec(self, wildcards: Any) -> str:
        """What the `case_side` stage is told."""
        case, dataset = self.cases[wildcards.case], self.datasets[wildcards.dataset]
        spec = {
            "case": self._case_reference(case),
            "dataset": self._references[dataset.name],
            "declaration": declaration_digest((dataset, case.side)),
        }
        return canonical_json(spec)

    def side_code(self, wildcards: Any) -> str:
        """Code behind the `case_side` stage."""
        declared = (self.datasets[wildcards.dataset], self.cases[wildcards.case].side)
        return code_digest("uqalign.stages.case_side", *declaration_modules(declared))

    # Scores

    def _case_jobs(self, case: Case, arm: Arm) -> list[Job]:
        first = self.datasets_of(arm)[0]
        return [job for job in self.jobs if job.dataset == first]

    def _models_of(self, case: Case) -> list[str]:
        return [model.name for model in self.models.values() if case.task in model.tasks]

    def case_scores(self, case: Case, arm: Arm) -> list[str]:
        """Files of the `case_score` stage of one arm."""
        return [
            f"results/cases/{case.name}/scores/{arm.name}/{job.path.split('/', 2)[2]}.parquet"
            for job in self._case_jobs(case, arm)
        ]

    def _case_and_arm(self, wildcards: Any) -> tuple[Case, Arm]:
        case = self.cases[wildcards.case]
        return case, case.arm(wildcards.arm)

    def score_inputs(self, wildcards: Any) -> list[str]:
        """Data, side information, splits and predictions of every data set of an arm, in this order."""
        case, arm = self._case_and_arm(wildcards)
        names = self.datasets_of(arm)
        tail = f"{wildcards.model}/{wildcards.seeds}/{wildcards.folds}.parquet"
        return [
            *(f"results/data/{name}.parquet" for name in names),
            *(self.side(case.name, name) for name in names),
            *(self._splits(name, parse_token(wildcards.seeds)) for name in names),
            *(f"results/predictions/{case.task}/{name}/{tail}" for name in names),
        ]

    def _changed(self, case: Case) -> Options:
        return self.config.case_options.get(case.name, {})

    def _case_switches(self, case: Case) -> list[str]:
        return [switch for switch in self._switches(case.task, "case") if switch in case.switches]

    def case_score_spec(self, wildcards: Any) -> str:
        """What the `case_score` stage is told: options, switches, metrics, and the predictions it may accept."""
        case, arm = self._case_and_arm(wildcards)
        place = {"task": case.task, "model": wildcards.model, "seeds": wildcards.seeds, "folds": wildcards.folds}
        jobs = [SimpleNamespace(**place, dataset=name) for name in self.datasets_of(arm)]
        code = self.train_code(wildcards)
        spec = {
            "case": self._case_reference(case),
            "arm": arm.name,
            "model": wildcards.model,
            "declaration": declaration_digest(case.scoring),
            "options": case.options_of(arm, self._changed(case)),
            "switches": self._case_switches(case),
            "concerning": list(case.switches),
            "metrics": self.config.metrics,
            "protocol": self._switches(case.task, "metric"),
            "expects": [{"spec": self._train_spec(job), "code": code} for job in jobs],
        }
        return canonical_json(spec)

    def case_score_code(self, wildcards: Any) -> str:
        """Code behind the `case_score` stage, user metrics included."""
        case = self.cases[wildcards.case]
        own = [name.partition(":")[0] for name in self.config.metrics if ":" in name]
        modules = declaration_modules(case.scoring)
        return code_digest("uqalign.stages.case_score", *modules, *own)

    # Alignment

    def case_alignment(self, case: Case) -> list[str]:
        """Files of the `align` stage of a case study, one per arm."""
        return [f"results/cases/{case.name}/alignment/{arm.name}.parquet" for arm in case.arms]

    def case_scores_of(self, wildcards: Any) -> list[str]:
        """The score files of one arm."""
        return self.case_scores(*self._case_and_arm(wildcards))

    def case_align_spec(self, wildcards: Any) -> str:
        """What the `align` stage is told: replicates in the place of seeds where the test rows are fixed."""
        case, arm = self._case_and_arm(wildcards)
        spec = {
            "task": case.task,
            "dataset": arm.name,
            "models": self._models_of(case),
            "metrics": self.config.metrics,
            "protocol": self._switches(case.task, "alignment"),
            "seeds": self._replicates(case, arm),
            "n_folds": self._folds(case),
        }
        return canonical_json(spec)

    def _replicates(self, case: Case, arm: Arm) -> list[int]:
        if isinstance(case.splits, FixedTest):
            return list(range(int(case.options_of(arm, self._changed(case))[case.splits.replicates])))
        return self.config.seed_list

    def _folds(self, case: Case) -> int:
        return 1 if isinstance(case.splits, FixedTest) else self.config.folds

    # Tables and figures

    def case_targets(self) -> list[str]:
        """Tables and figures of all case studies."""
        return [
            f"results/cases/{case.name}/{kind}/{name}.{suffix}"
            for case in self.cases.values()
            for kind, found, suffixes in (
                ("tables", tables_of(case), TABLE_FORMATS),
                ("figures", figures_of(case), FIGURE_FORMATS),
            )
            for name in found
            for suffix in suffixes
        ]

    def report_inputs(self, wildcards: Any) -> list[str]:
        """Everything that a table or figure of a case study may look at."""
        case = self.cases[wildcards.case]
        datasets = list(dict.fromkeys(name for arm in case.arms for name in self.datasets_of(arm)))
        return [
            *(path for arm in case.arms for path in self.case_scores(case, arm)),
            *self.case_alignment(case),
            *(f"results/data/{name}.parquet" for name in datasets),
            *(self.side(case.name, name) for name in datasets),
            *dict.fromkeys(self._splits(job.dataset, job.seeds) for job in self.jobs if job.dataset in datasets),
            *(f"results/predictions/{job.path}.parquet" for job in self.jobs if job.dataset in datasets),
        ]

    def _report_spec(self, case: Case, name: str) -> str:
        spec = {
            "case": self._case_reference(case),
            "name": name,
            "declaration": declaration_digest(case),
            "models": self._models_of(case),
            "metrics": self.config.metrics,
            "options": dict(self._changed(case)),
            "switches": self._case_switches(case),
            "n_folds": self._folds(case),
            "datasets": {arm.name: self.datasets_of(arm) for arm in case.arms},
        }
        return canonical_json(spec)

    def case_table_spec(self, wildcards: Any) -> str:
        """What the `case_table` stage is told."""
        return self._report_spec(self.cases[wildcards.case], wildcards.table)

    def case_figure_spec(self, wildcards: Any) -> str:
        """What the `case_figure` stage is told."""
        return self._report_spec(self.cases[wildcards.case], wildcards.figure)

    def case_table_code(self, wildcards: Any) -> str:
        """Code behind a table of a case study."""
        table = tables_of(self.cases[wildcards.case])[wildcards.table]
        return code_digest("uqalign.stages.case_table", *declaration_modules(table))

    def case_figure_code(self, wildcards: Any) -> str:
        """Code behind a figure of a case study."""
        figure = figures_of(self.cases[wildcards.case])[wildcards.figure]
        return code_digest("uqalign.stages.case_figure", *declaration_modules(figure))
