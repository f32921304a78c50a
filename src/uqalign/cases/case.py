"""What a case study is: one declaration of its data, its side information, its decision rule and what that earns.

A declaration is light: importing one imports neither pandas nor scikit-learn nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray
from uqalign.predictions import Prediction
from uqalign.tasks import TASKS, Task

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.cases.results import Results
    from uqalign.contracts.predictions import Cache
    from uqalign.data.table import Table
    from uqalign.metrics.metric import Metric

Option = int | float | str
Options = Mapping[str, Option]


SCHEME = "fixed"
TESTED, NEVER_TESTED = 1, 2
"""The two "folds" of a fixed test set; the second is only ever trained on."""


@dataclass(frozen=True)
class CrossValidated:
    """Folds and seeds of the configuration, as in the benchmark."""


@dataclass(frozen=True)
class FixedTest:
    """One fixed set of test rows; every other row is trained on and never tested.

    Args:
        test: function from a cleaned table to (n,) booleans, True for the test rows.
        replicates: option that says how many replicates the case's own `score` writes in the place of seeds.
    """

    test: Callable[[Table], npt.NDArray[np.bool_]]
    replicates: str


@dataclass(frozen=True)
class Arm:
    """One setting of a case study, with an alignment of its own.

    Args:
        name: in folder names and tables.
        title: what a reader calls it.
        datasets: data sets by name, dotted path or YAML file; each is predicted by its own fits.
        options: values that differ from the case's.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    options: Options = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class CaseSplit:
    """What a decision is made from, and what its consequences are computed from: one (seed, fold) of one data set.

    Attributes:
        arm: name of the arm.
        seed, fold: of the split.
        y: (m,) or (m, D) outcomes of the test rows; a decision rule has no business with them.
        prediction: of the test rows, arrays of the task.
        side: m rows, side information of the test rows in the order of `y`.
        y_train, side_train: the same of the training rows.
        options: values of the case's options for this arm.
        switches: protocol switches that are on.
    """

    arm: str
    seed: int
    fold: int
    y: FloatArray
    prediction: Prediction
    side: pd.DataFrame
    y_train: FloatArray
    side_train: pd.DataFrame
    options: Options
    switches: frozenset[str]


@dataclass(frozen=True, eq=False)
class Part:
    """One data set of an arm, with one model's predictions.

    Attributes:
        dataset: its name.
        table: the cleaned data.
        side: side information, a row per row of the table.
        folds: per seed, (n,) the fold in which each row is a test row.
        cache: the predictions.
    """

    dataset: str
    table: Table
    side: pd.DataFrame
    folds: Mapping[int, npt.NDArray[np.int8]]
    cache: Cache


@dataclass(frozen=True, eq=False)
class CaseInputs:
    """All that a case's scores are computed from: one model, one arm, one range of seeds and folds.

    Attributes:
        case, arm: the declaration.
        options: values of the case's options for this arm.
        switches: the case's protocol switches that are on.
        metrics: metrics to evaluate, by name, under the configured protocol.
        parts: the arm's data sets, in order.
    """

    case: Case
    arm: Arm
    options: Options
    switches: frozenset[str]
    metrics: Mapping[str, Metric]
    parts: tuple[Part, ...]


ScoreRow = tuple[int, int, str, str, str, float, str]
"""seed, fold, kind (metric | utility | detail), name, theta, value, note."""

Side = Callable[["Table", "pd.DataFrame"], "pd.DataFrame"]
Decide = Callable[[CaseSplit], Any]
Utility = Callable[[CaseSplit, Any], float]
Details = Callable[[CaseSplit, Any], Mapping[str, float]]
Priors = Callable[[CaseSplit], Mapping[str, Mapping[str, Any]]]
Scorer = Callable[[CaseInputs], Iterator[ScoreRow]]


@dataclass(frozen=True)
class CaseTable:
    """A table of a case study: `results/cases/<case>/tables/<name>.csv` and `.md`.

    Args:
        name: file stem.
        build: function from the results to (caption, rows).
        render: function from the results, the caption and the rows to Markdown; without it, a plain table.
    """

    name: str
    build: Callable[[Results], tuple[str, pd.DataFrame]]
    render: Callable[[Results, str, pd.DataFrame], str] | None = None


@dataclass(frozen=True)
class CaseFigure:
    """A figure of a case study: `results/cases/<case>/figures/<name>.pdf` and `.png`.

    Args:
        name: file stem.
        draw: function from the results to an Altair chart.
    """

    name: str
    draw: Callable[[Results], Any]


@dataclass(frozen=True, eq=False)
class Case:
    """One case study.

    Args:
        name: id in the config, in folder names, and name of the utility in score files.
        title: what a reader calls it.
        task: prediction task of all its data sets.
        arms: its settings.
        side: what the utility needs beside predictions, by row: from the cleaned table and the frame it was made of
            (what the data set's `clean` returned, all columns, row by row the same) to a frame of as many rows.
        decide: the decisions taken from the predictions of one split.
        utility: what these decisions earn, in `unit` (higher is better).
        details: further numbers of a split, kept beside the scores as kind "detail" (money spent, shares acted on).
        priors: priors that the case itself implies, from what is known in training: options by metric's name.
        splits: how its rows are split.
        score: replaces split-by-split scoring where an outcome needs several data sets or replicates of its own.
        options: names and default values of what a configuration may change.
        switches: protocol switches that concern it.
        tables, figures: its own, beside those that every case study has.
        unit: unit of the utility.
        note: what a reader should know.
    """

    name: str
    title: str
    task: Task
    arms: tuple[Arm, ...]
    side: Side
    decide: Decide
    utility: Utility
    details: Details | None = None
    priors: Priors | None = None
    splits: CrossValidated | FixedTest = field(default_factory=CrossValidated)
    score: Scorer | None = None
    options: Options = field(default_factory=dict)
    switches: tuple[str, ...] = ()
    tables: tuple[CaseTable, ...] = ()
    figures: tuple[CaseFigure, ...] = ()
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"case study {self.name!r}: task {self.task!r} is none of {', '.join(TASKS)}")
        if not self.arms or not all(arm.datasets for arm in self.arms):
            raise ValueError(f"case study {self.name!r} needs an arm, and each arm a data set")
        names = [arm.name for arm in self.arms]
        if len(set(names)) < len(names):
            raise ValueError(f"case study {self.name!r}: two arms share a name")
        for arm in self.arms:
            strange = sorted(set(arm.options) - set(self.options))
            if strange:
                raise ValueError(f"case study {self.name!r}: arm {arm.name!r} sets {strange[0]!r}, which is no option")
        if self.score is None and any(len(arm.datasets) > 1 for arm in self.arms):
            raise ValueError(f"case study {self.name!r}: an arm with several data sets needs a `score` of its own")
        if isinstance(self.splits, FixedTest):
            if self.score is None:
                raise ValueError(f"case study {self.name!r}: a fixed test set needs a `score` that writes replicates")
            if self.splits.replicates not in self.options:
                raise ValueError(f"case study {self.name!r}: {self.splits.replicates!r} is no option")

    @property
    def scoring(self) -> tuple[Any, ...]:
        """The functions that its scores depend on."""
        return self.decide, self.utility, self.details, self.priors, self.score

    def arm(self, name: str) -> Arm:
        """The arm called `name`."""
        return next(arm for arm in self.arms if arm.name == name)

    def options_of(self, arm: Arm, changed: Options) -> dict[str, Option]:
        """Values of the options in an arm: the configuration's where it sets one, else the arm's, else the case's."""
        return {**self.options, **arm.options, **changed}
