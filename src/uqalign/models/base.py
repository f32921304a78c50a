"""What a model is to the benchmark: one declaration with one function, and what may go wrong in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from uqalign.checks import FloatArray
from uqalign.predictions import Prediction, check_prediction
from uqalign.registry import Registry
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.data.preprocess import Encoded

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
        encoded: the features as arrays, where they are at hand (problems of one data set share them).
    """

    task: Task
    features: pd.DataFrame
    kinds: Mapping[str, str]
    target: FloatArray
    train: np.ndarray
    test: np.ndarray
    width: int
    seed: int
    encoded: Encoded | None = field(default=None, repr=False)

    @property
    def y_train(self) -> FloatArray:
        y: FloatArray = self.target[self.train]
        return y

    def arrays(self, *, scale: bool) -> tuple[FloatArray, FloatArray]:
        """Train and test features as numbers, preprocessing fitted on the training rows only."""
        from uqalign.data.preprocess import encode, prepare_rows

        encoded = self.encoded or encode(self.features, self.kinds)
        return prepare_rows(encoded, self.train, self.test, scale=scale)


@dataclass(frozen=True)
class Compute:
    """What a job may use.

    Attributes:
        threads: cores.
        device: "cpu" or "cuda:N".
    """

    threads: int = 1
    device: str = "cpu"


@dataclass(frozen=True)
class Outcome:
    """What became of one fit: a prediction, or the error that a numerical failure left."""

    prediction: Prediction | None
    error: str = ""
    seconds: float = 0.0


FitOne = Callable[[Problem], Prediction]
FitMany = Callable[[Sequence[Problem], Compute], Iterable["Prediction | Exception"]]


def _always() -> None:
    """The answer of a model that needs nothing beyond its libraries."""


def _by_code(task: Task) -> Mapping[str, str]:
    """The identity of a model that its code and its libraries decide."""
    return {}


@dataclass(frozen=True)
class Model:
    """One model: a name, the tasks it knows, and a function from problems to predictions of their test rows.

    Exactly one of the two functions is given. All randomness comes from each problem's seed, so that a prediction does
    not depend on which other problems are fitted beside it. A numerical failure is raised (or, by `fit_predict_many`,
    yielded in the prediction's place) as `FitFailed` and recorded; any other error stops the job.

    Attributes:
        fit_predict: fits one problem on one core.
        fit_predict_many: fits problems of one data set together and yields their predictions in order.
        distribution: the predictive distribution as a formula, for the model card.
        available: None where the model can be used, otherwise what it lacks and the remedy (an optional library,
            weights to download).
        identity: what beyond code decides its predictions of a task, such as weights read from a file: names and
            digests. Predictions made with another identity are not current.
        reproducible: "bitwise" (same bits on one machine) or "tolerance" (equal to about 1e-5).
        transductive: a row's prediction depends on which other test rows there are.
        sees_truth: controls only: `problem.target` keeps the test labels.
        control: a yardstick rather than a contender.
    """

    name: str
    title: str
    tasks: frozenset[Task]
    distribution: str
    fit_predict: FitOne | None = field(default=None, repr=False)
    fit_predict_many: FitMany | None = field(default=None, repr=False)
    hyperparameters: Mapping[str, object] = field(default_factory=dict)
    available: Callable[[], str | None] = field(default=_always, repr=False)
    identity: Callable[[Task], Mapping[str, str]] = field(default=_by_code, repr=False)
    reference: str = ""
    libraries: tuple[str, ...] = ()
    devices: tuple[Literal["cpu", "cuda"], ...] = ("cpu",)
    reproducible: Literal["bitwise", "tolerance"] = "bitwise"
    transductive: bool = False
    sees_truth: bool = False
    control: bool = False

    def __post_init__(self) -> None:
        if (self.fit_predict is None) == (self.fit_predict_many is None):
            raise ValueError(f"model {self.name!r}: give either fit_predict or fit_predict_many")


def _outcome(problem: Problem, result: Prediction | Exception, seconds: float) -> Outcome:
    if not isinstance(result, Exception):
        try:
            valid = check_prediction(problem.task, result, len(problem.test), problem.width)
            return Outcome(valid, "", seconds)
        except NUMERICAL_FAILURES as failure:
            result = failure
    return Outcome(None, f"{type(result).__name__}: {result}", seconds)


def fit_all(model: Model, problems: Sequence[Problem], compute: Compute | None = None) -> Iterator[Outcome]:
    """Fit every problem and yield what became of each, in order.

    Single fits run `compute.threads` at a time, each on one core; a model that fits many together gets all the cores.
    Where problems are fitted together, each is given an equal share of the time.

    Raises:
        ValueError: a model that breaks its contract (shapes, ranges, number of predictions).
    """
    from threadpoolctl import threadpool_limits

    compute = compute or Compute()
    if model.fit_predict_many is not None:
        start = time.perf_counter()
        predictions = list(model.fit_predict_many(problems, compute))
        share = (time.perf_counter() - start) / max(1, len(problems))
        for problem, prediction in zip(problems, predictions, strict=True):
            yield _outcome(problem, prediction, share)
        return

    fit_one = model.fit_predict
    assert fit_one is not None

    def fit(problem: Problem) -> Outcome:
        start = time.perf_counter()
        result: Prediction | Exception
        try:
            result = fit_one(problem)
        except NUMERICAL_FAILURES as failure:
            result = failure
        return _outcome(problem, result, time.perf_counter() - start)

    with threadpool_limits(1), ThreadPoolExecutor(compute.threads) as pool:
        yield from pool.map(fit, problems)


REGISTRY: Registry[Model] = Registry(
    what="model", package="uqalign.models", attribute="MODELS", group="uqalign.models", kind=Model
)


def model_seed(seed: int, fold: int) -> int:
    """The model's seed of a split, as in the published protocol: ten times the seed plus the fold (from 1)."""
    return 10 * seed + fold
