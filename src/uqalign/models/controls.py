"""Controls: models whose place in any sensible ranking is known beforehand."""

from __future__ import annotations

import numpy as np

from uqalign.models.base import Model, Problem
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, TASKS


def _constant(problem: Problem) -> Prediction:
    n, y = len(problem.test), problem.y_train
    match problem.task:
        case "binary":
            return (np.full(n, y.mean()),)
        case "multiclass":
            share = np.bincount(y.astype(int), minlength=problem.width) / len(y)
            return (np.tile(share, (n, 1)),)
        case "regression":
            return np.full(n, y.mean()), np.full(n, y.var())
        case "multivariate":
            cov = np.cov(y, rowvar=False, ddof=0).reshape(problem.width, problem.width)
            return np.tile(y.mean(axis=0), (n, 1)), np.tile(cov, (n, 1, 1))


def _noise(problem: Problem) -> Prediction:
    rng = np.random.default_rng(problem.seed)
    n, y = len(problem.test), problem.y_train
    match problem.task:
        case "binary":
            return (rng.uniform(size=n),)
        case "multiclass":
            return (rng.dirichlet(np.ones(problem.width), size=n),)
        case "regression":
            return rng.choice(y, size=n), y.var() * rng.uniform(0.01, 2, size=n)
        case "multivariate":
            spread = np.diag(y.var(axis=0))
            return y[rng.integers(len(y), size=n)], spread * rng.uniform(0.01, 2, size=(n, 1, 1))


def _oracle(problem: Problem) -> Prediction:
    truth = problem.target[problem.test]
    if problem.task == "binary":
        return (truth,)
    if problem.task in CLASSIFICATION:
        return (np.eye(problem.width)[truth.astype(int)],)
    spread = 1e-6 * np.atleast_1d(problem.y_train.var(axis=0))
    if problem.task == "regression":
        return truth, np.full(len(truth), spread[0])
    return truth, np.tile(np.diag(spread), (len(truth), 1, 1))


MODELS = (
    Model(
        name="constant",
        title="Constant",
        tasks=frozenset(TASKS),
        fit_predict=_constant,
        distribution="class shares of the training rows; N(mean, variance) of the training targets",
        control=True,
    ),
    Model(
        name="noise",
        title="Noise",
        tasks=frozenset(TASKS),
        fit_predict=_noise,
        distribution="p uniform on the simplex; mean a random training target, variance a random multiple of theirs",
        control=True,
    ),
    Model(
        name="oracle",
        title="Oracle",
        tasks=frozenset(TASKS),
        fit_predict=_oracle,
        distribution="probability one on the truth; N(truth, 1e-6 of the training variance)",
        sees_truth=True,
        control=True,
    ),
)
