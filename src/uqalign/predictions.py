"""A predictive distribution for some rows: its arrays by task, what makes them valid, and their columns in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uqalign.checks import FloatArray, check_simplex, refuse
from uqalign.tasks import CLASSIFICATION, Task, prediction_columns

if TYPE_CHECKING:
    import pandas as pd

Prediction = tuple[FloatArray, ...]
"""By task: `(p,)` (n,) | `(p,)` (n, K) | `(mean, var)` (n,), (n,) | `(mean, cov)` (n, D), (n, D, D)."""


class NotFiniteError(ArithmeticError):
    """A prediction with NaN or infinite entries."""


def check_prediction(task: Task, prediction: Prediction, n: int, width: int) -> Prediction:
    """`prediction` as float64 arrays if it is a valid distribution for `n` rows.

    Args:
        width: number of classes, or of target coordinates.

    Raises:
        NotFiniteError: NaN or infinite entries.
        ValueError: wrong shapes, probabilities outside [0, 1] or not summing to one, negative variances.
    """
    shapes: list[tuple[int, ...]]
    if task in CLASSIFICATION:
        shapes = [(n,) if task == "binary" else (n, width)]
    else:
        shapes = [(n,), (n,)] if task == "regression" else [(n, width), (n, width, width)]
    arrays = tuple(np.asarray(array, dtype=np.float64) for array in prediction)
    found = [array.shape for array in arrays]
    if found != shapes:
        raise ValueError(f"a {task} prediction must have shapes {shapes}, got {found}")
    if not all(np.isfinite(array).all() for array in arrays):
        raise NotFiniteError("the prediction holds NaN or infinite values")
    match task:
        case "binary":
            refuse("p", arrays[0], (arrays[0] < 0) | (arrays[0] > 1), "a probability in [0, 1]")
        case "multiclass":
            check_simplex(arrays[0])
        case "regression":
            refuse("var", arrays[1], arrays[1] < 0, ">= 0")
        case "multivariate":
            variances = np.diagonal(arrays[1], axis1=1, axis2=2).astype(np.float64)
            refuse("cov diagonal", variances, variances < 0, ">= 0")
    return arrays


def to_columns(task: Task, prediction: Prediction) -> dict[str, FloatArray]:
    """A prediction as named columns."""
    match task:
        case "binary":
            arrays = [prediction[0]]
        case "multiclass":
            arrays = list(prediction[0].T)
        case "regression":
            arrays = list(prediction)
        case "multivariate":
            mean, cov = prediction
            arrays = [*mean.T, *(cov[:, i, j] for i in range(mean.shape[1]) for j in range(i + 1))]
    width = prediction[0].shape[-1] if prediction[0].ndim > 1 else 1
    return dict(zip(prediction_columns(task, width), arrays, strict=True))


def from_columns(task: Task, frame: pd.DataFrame, width: int) -> Prediction:
    """The inverse of `to_columns`."""
    values = [frame[name].to_numpy(dtype=np.float64) for name in prediction_columns(task, width)]
    match task:
        case "binary":
            return (values[0],)
        case "multiclass":
            return (np.column_stack(values),)
        case "regression":
            return values[0], values[1]
        case "multivariate":
            mean = np.column_stack(values[:width])
            cov = np.empty((len(frame), width, width))
            lower = iter(values[width:])
            for i in range(width):
                for j in range(i + 1):
                    cov[:, i, j] = cov[:, j, i] = next(lower)
            return mean, cov
