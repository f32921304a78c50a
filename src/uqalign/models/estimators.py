"""A user's own scikit-learn style estimator as a model of the benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqalign.models.base import Model, Problem
from uqalign.models.probabilities import class_probabilities
from uqalign.predictions import Prediction
from uqalign.registry import did_you_mean
from uqalign.tasks import CLASSIFICATION, TASKS, Task


@dataclass(frozen=True)
class _Fit:
    """Fits a new estimator to a problem; a dataclass, so that the settings are part of the model's declaration."""

    make: Callable[[int], Any]
    scale: bool

    def __call__(self, problem: Problem) -> Prediction:
        x_train, x_test = problem.arrays(scale=self.scale)
        estimator = self.make(problem.seed)
        if problem.task in CLASSIFICATION:
            estimator.fit(x_train, problem.y_train.astype(int))
            return class_probabilities(estimator.predict_proba(x_test), estimator.classes_, problem)
        estimator.fit(x_train, problem.y_train)
        mean, std = (np.asarray(part, dtype=np.float64) for part in estimator.predict(x_test, return_std=True))
        if problem.task == "regression":
            return mean, std**2
        # One standard deviation per coordinate, or one for all.
        variance = np.broadcast_to((std if std.ndim == 2 else std[:, None]) ** 2, mean.shape)
        return mean, variance[:, :, None] * np.eye(problem.width)


def estimator_model(
    name: str,
    make: Callable[[int], Any],
    *,
    tasks: tuple[Task, ...],
    scale: bool = True,
    title: str = "",
    distribution: str = "as the estimator defines it",
    reference: str = "",
    libraries: tuple[str, ...] = ("scikit-learn",),
) -> Model:
    """A model that fits the estimator `make(seed)` to each split.

    Args:
        name: id in results: lower-case letters, digits and underscores.
        make: returns a new, unfitted estimator whose randomness comes from the seed alone. Classifiers have
            `fit`, `predict_proba` and `classes_`; regressors have `fit` and `predict(x, return_std=True)` that returns
            means (n,) or (n, D) and standard deviations (n,) or (n, D).
        tasks: prediction tasks it can do.
        scale: standardise numeric features (on the training rows), as everything but trees needs.
        title, distribution, reference, libraries: for the model card.

    Raises:
        ValueError: an unknown task.
    """
    for task in tasks:
        if task not in TASKS:
            raise ValueError(f"model {name!r}: unknown task {task!r}: {did_you_mean(task, TASKS)}")
    return Model(
        name=name,
        title=title or name,
        tasks=frozenset(tasks),
        fit_predict=_Fit(make, scale),
        distribution=distribution,
        reference=reference,
        libraries=libraries,
    )
