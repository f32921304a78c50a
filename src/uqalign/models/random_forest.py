"""Random forest."""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray
from uqalign.models.base import Model, Problem
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, TASKS

HYPERPARAMETERS = {"n_estimators": 200, "bootstrap": True}


def _classify(problem: Problem, x_train: FloatArray, x_test: FloatArray) -> Prediction:
    from sklearn.ensemble import RandomForestClassifier

    from uqalign.models.probabilities import class_probabilities

    forest = RandomForestClassifier(**HYPERPARAMETERS, random_state=problem.seed, n_jobs=1)
    forest.fit(x_train, problem.y_train.astype(int))
    return class_probabilities(forest.predict_proba(x_test), forest.classes_, problem)


def _regress(x_train: FloatArray, y_train: FloatArray, x_test: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    """Mean over trees; variance between trees (ddof 1) plus the mean squared out-of-bag residual."""
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(**HYPERPARAMETERS, oob_score=True, random_state=seed, n_jobs=1)
    forest.fit(x_train, y_train)
    trees = np.stack([tree.predict(x_test) for tree in forest.estimators_])
    residual_variance = float(np.mean((y_train - forest.oob_prediction_) ** 2))
    return trees.mean(axis=0), trees.var(axis=0, ddof=1) + residual_variance


def _fit_predict(problem: Problem) -> Prediction:
    x_train, x_test = problem.arrays(scale=False)
    if problem.task in CLASSIFICATION:
        return _classify(problem, x_train, x_test)
    if problem.task == "regression":
        return _regress(x_train, problem.y_train, x_test, problem.seed)
    outputs = [_regress(x_train, problem.y_train[:, d], x_test, problem.seed + d) for d in range(problem.width)]
    mean = np.column_stack([mean for mean, _ in outputs])
    variance = np.column_stack([variance for _, variance in outputs])
    return mean, variance[:, :, None] * np.eye(problem.width)


MODELS = (
    Model(
        name="random_forest",
        title="Random forest",
        tasks=frozenset(TASKS),
        fit_predict=_fit_predict,
        distribution="p = mean leaf share over trees; N(mean over trees, variance between trees + out-of-bag MSE)",
        hyperparameters=HYPERPARAMETERS,
        reference="Breiman (2001), Random forests",
        libraries=("scikit-learn",),
    ),
)
