"""Ordinary least squares with the variance of a new observation."""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray
from uqalign.models.base import FitFailed, Model, Problem
from uqalign.predictions import Prediction


def _with_intercept(x: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(x)), x])


def least_squares(x_train: FloatArray, y_train: FloatArray, x_test: FloatArray) -> tuple[FloatArray, ...]:
    """Least squares with an intercept; the solution of least norm where columns are collinear.

    Args:
        x_train: (n, P) features.
        y_train: (n, D) targets.
        x_test: (m, P) features.

    Returns:
        mean (m, D); residual variance (D,), RSS / (n - rank); leverage (m,), a' (A'A)^+ a of each test row a, where
        A is the design with its intercept. Directions that the training rows do not span add nothing to it.

    Raises:
        FitFailed: no residual degrees of freedom (n <= rank).
    """
    design = _with_intercept(x_train)
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    tolerance = singular[0] * max(design.shape) * np.finfo(np.float64).eps
    rank = int(np.sum(singular > tolerance))
    if len(design) <= rank:
        raise FitFailed(
            f"least squares has no residual degrees of freedom: {len(design)} training rows, design of rank {rank}"
        )
    left, singular, right = left[:, :rank], singular[:rank], right[:rank]
    coordinates = left.T @ y_train
    residuals = y_train - left @ coordinates
    directions = _with_intercept(x_test) @ right.T / singular
    variance = (residuals**2).sum(axis=0) / (len(design) - rank)
    return directions @ coordinates, variance, (directions**2).sum(axis=1)


def _fit_predict(problem: Problem) -> Prediction:
    x_train, x_test = problem.arrays(scale=True)
    y = problem.y_train.reshape(len(x_train), problem.width)
    mean, variance, leverage = least_squares(x_train, y, x_test)
    if problem.task == "regression":
        return mean[:, 0], variance[0] * (1 + leverage)
    return mean, np.tile(np.diag(variance), (len(mean), 1, 1))


MODELS = (
    Model(
        name="linreg",
        title="Linear regression",
        tasks=frozenset({"regression", "multivariate"}),
        fit_predict=_fit_predict,
        distribution=(
            "N(x'b, s2 (1 + x'(X'X)^+ x)), b = (X'X)^+ X'y, s2 = RSS / (n - rank X); "
            "several outputs: N(B'x, diag(s2)), s2 constant per output"
        ),
        hyperparameters={"intercept": True, "collinear columns": "least-norm solution, n - rank degrees of freedom"},
        reference="Gauss (1809); Hastie, Tibshirani & Friedman (2009), The elements of statistical learning, 3.2",
        libraries=("numpy", "scikit-learn"),
    ),
)
