"""What a model is to the benchmark: one declaration with one function, and what may go wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from uqalign.checks import FloatArray
from uqalign.predictions import Prediction
from uqalign.registry import Registry
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

NUMERICAL_FAILURES = (ArithmeticError, np.linalg.LinAlgError)


class FitFailed(ArithmeticError):
    """A fit that failed for numerical reasons of its own; recorded as a result, never hidden."""


@dataclass(frozen=True)
class Problem:
    """Everything one fit may see: the rows of one (seed, fold) of a data set.

    Attributes:
        task: prediction task.
        features: all rows, typed columns, missing values as missing.
        kinds: "numeric" or "categorical" per column.
        target: (n,) or (n, D); class codes 0..width-1 for classification. Rows in `test` are NaN unless the model
            is a control that declares `sees_truth`.
        train, test: row positions.
        width: classes (classification) or target coordinates (regression).
        seed: the model's own seed, derived from the split's seed and fold.
    """

    task: Task
    features: pd.DataFrame
    kinds: Mapping[str, str]
    target: FloatArray
    train: np.ndarray
    test: np.ndarray
    width: int
    seed: int

    @property
    def y_train(self) -> FloatArray:
        return self.target[self.train]

    def arrays(self, *, scale: bool) -> tuple[FloatArray, FloatArray]:
        """Train and test features as numbers, preprocessing fitted on the training rows only."""
        from uqalign.data.preprocess import prepare

        return prepare(self.features, self.kinds, self.train, self.test, scale=scale)


@dataclass(frozen=True)
class Model:
    """One model: a name, the tasks it knows, and a function from a `Problem` to a `Prediction` of its test rows.

    Attributes:
        fit_predict: fits on the training rows, predicts the test rows. All randomness from `problem.seed`.
            A numerical failure is raised as `FitFailed` (or LinAlgError, FloatingPointError) and recorded.
        distribution: the predictive distribution as a formula, for the model card.
        reproducible: "bitwise" (same bits on one machine) or "tolerance" (equal to about 1e-5).
        sees_truth: controls only: `problem.target` keeps the test labels.
        control: a yardstick rather than a contender.
    """

    name: str
    title: str
    tasks: frozenset[Task]
    fit_predict: Callable[[Problem], Prediction] = field(repr=False)
    distribution: str
    hyperparameters: Mapping[str, object] = field(default_factory=dict)
    reference: str = ""
    libraries: tuple[str, ...] = ()
    devices: tuple[Literal["cpu", "cuda"], ...] = ("cpu",)
    reproducible: Literal["bitwise", "tolerance"] = "bitwise"
    sees_truth: bool = False
    control: bool = False


REGISTRY: Registry[Model] = Registry(
    what="model", package="uqalign.models", attribute="MODELS", group="uqalign.models", kind=Model
)


def model_seed(seed: int, fold: int) -> int:
    """The model's seed of a split, as in the published protocol: ten times the seed plus the fold (from 1)."""
    return 10 * seed + fold
