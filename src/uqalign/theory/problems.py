"""Small random problems on coarse grids: ties are frequent, and what is found can be read and redone by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.tasks import Task
from uqalign.theory.exact import Prediction

CLASSES = 3
COORDINATES = 2
VARIANCES = np.array([0.25, 0.5, 1.0, 2.0, 4.0])


def targets(task: Task, n: int, rng: np.random.Generator) -> Any:
    """Random labels or targets of `n` rows."""
    match task:
        case "binary":
            return rng.integers(0, 2, n)
        case "multiclass":
            return rng.integers(0, CLASSES, n)
        case "regression":
            return rng.integers(0, 5, n).astype(float)
        case "multivariate":
            return rng.integers(0, 5, (n, COORDINATES)).astype(float)


def prediction(task: Task, n: int, rng: np.random.Generator) -> Prediction:
    """A random prediction of `n` rows; probabilities are tenths and never 0 or 1."""
    match task:
        case "binary":
            return (rng.integers(1, 10, n) / 10,)
        case "multiclass":
            return (tenths(rng, n),)
        case "regression":
            return rng.integers(0, 9, n) / 2, rng.choice(VARIANCES, n)
        case "multivariate":
            return rng.integers(0, 9, (n, COORDINATES)) / 2, covariances(rng, n)


def tenths(rng: np.random.Generator, n: int) -> FloatArray:
    """Probability rows (n, CLASSES) of positive tenths."""
    cuts = np.sort([rng.choice(np.arange(1, 10), CLASSES - 1, replace=False) for _ in range(n)], axis=1)
    edges = np.concatenate([np.zeros((n, 1)), cuts, np.full((n, 1), 10)], axis=1)
    rows: FloatArray = np.diff(edges, axis=1) / 10
    return rows


def covariances(rng: np.random.Generator, n: int) -> FloatArray:
    """Covariances (n, 2, 2) with correlations -1/2, 0 or 1/2."""
    std = np.sqrt(rng.choice(VARIANCES, (n, COORDINATES)))
    correlation = rng.choice([-0.5, 0.0, 0.5], n)
    cov = std[:, :, None] * std[:, None, :]
    off = ~np.eye(COORDINATES, dtype=bool)
    return np.asarray(np.where(off, correlation[:, None, None] * cov, cov))


def neighbour(task: Task, base: Prediction, rng: np.random.Generator) -> Prediction:
    """`base` with one row, or for regressions possibly one part (means or variances), drawn anew."""
    n = len(base[0])
    other = prediction(task, n, rng)
    if len(base) == 2 and rng.random() < 0.5:
        return (base[0], other[1]) if rng.random() < 0.5 else (other[0], base[1])
    return replaced(base, int(rng.integers(n)), other)


def replaced(base: Prediction, row: int, other: Prediction) -> Prediction:
    """`base` with `row` taken from `other`."""
    changed = tuple(np.array(part) for part in base)
    for part, source in zip(changed, other, strict=True):
        part[row] = source[row]
    return changed


def permuted(values: Prediction, order: Any) -> Prediction:
    """Rows of a prediction in another order."""
    return tuple(np.asarray(part)[order] for part in values)


def shown(values: Any) -> str:
    """Arrays as short nested lists."""
    return str(np.round(np.asarray(values, dtype=float), 4).tolist())


def shown_prediction(values: Prediction) -> str:
    """A prediction as text."""
    return " with variances ".join(shown(part) for part in values)
