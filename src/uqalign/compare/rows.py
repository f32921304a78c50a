"""The checked rows of every model: targets, predictions, and where in a file each row is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.checks import SIMPLEX_TOLERANCE, FloatArray
from uqalign.compare.layout import Part, parts_of, require, width_of
from uqalign.compare.sheets import Sheet
from uqalign.files import FileError
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, Task, prediction_columns, target_columns

PSD_TOLERANCE = 1e-8
"""How far below zero, relative to the largest, an eigenvalue of a covariance may lie by rounding."""

CHUNK = 100_000
"""Covariances whose eigenvalues are computed at once."""


@dataclass(frozen=True, eq=False)
class ModelRows:
    """One model's rows in one file.

    Attributes:
        part: the model, the file, and where in it the rows are.
        y: (n,) or (n, D) targets; classes as 0, 1, ...
        prediction: arrays of the task.
    """

    part: Part
    y: FloatArray
    prediction: Prediction


def read_rows(sheets: Iterable[Sheet], task: Task, labels: Sequence[str] | None = None) -> tuple[int, list[ModelRows]]:
    """The rows of every model in every file.

    Args:
        labels: classes in column order, as text (default: y holds 0, 1, ...).

    Returns:
        number of classes or target coordinates, and the models' rows in the order of the files.

    Raises:
        FileError: columns that are missing or mixed up, models of different widths, labels that do not fit, or a
            value that is no valid target or prediction; names file, row, column and remedy.
    """
    found: list[ModelRows] = []
    first: Part | None = None
    width = 0
    for sheet in sheets:
        targets: FloatArray | None = None
        for part in parts_of(sheet, task):
            first = first or part
            width = width or width_of(part, task)
            require(part, task, width_of(part, task))
            if width_of(part, task) != width:
                what = "classes" if task == "multiclass" else "coordinates"
                raise FileError(
                    f"{sheet.path}: model {part.model!r} predicts {width_of(part, task)} {what}, model "
                    f"{first.model!r} of {first.sheet.path} predicts {width}: give all models the same"
                )
            targets = _targets(sheet, task, width, labels) if targets is None else targets
            found.append(ModelRows(part, _taken(targets, part), _prediction(part, task, width)))
    return width, found


def _taken(array: FloatArray, part: Part) -> FloatArray:
    return array if part.index is None else array[part.index]


def _finite(sheet: Sheet, column: str) -> FloatArray:
    values = sheet.numbers(column)
    sheet.refuse(column, ~np.isfinite(values), "a finite number is needed: fill it, or leave the row out of all models")
    return values


def _targets(sheet: Sheet, task: Task, width: int, labels: Sequence[str] | None) -> FloatArray:
    if task not in CLASSIFICATION:
        columns = [_finite(sheet, name) for name in target_columns(task, width)]
        return np.column_stack(columns) if task == "multivariate" else columns[0]
    values = sheet.frame["y"]
    if labels is None and not _numeric(values):
        classes = list(dict.fromkeys(values.dropna().astype(str)))
        shown = ",".join(classes[:5]) + (",.." if len(classes) > 5 else "")
        raise FileError(
            f"{sheet.path}: {sheet.name('y')} holds text such as {classes[0]!r}: name the classes in column order, "
            f"for instance --labels {shown}" + (" (the second is class 1)" if task == "binary" else "")
        )
    if labels is None:
        codes = _finite(sheet, "y")
        sheet.refuse("y", ~np.isin(codes, np.arange(width)), f"none of the classes {list(range(width))}; see --labels")
        return codes
    if len(labels) != width or len(set(labels)) != width:
        raise FileError(f"labels must name the {width} classes in column order, got {list(labels)}")
    codes = pd.Index(labels).get_indexer(pd.Index(values.astype(str).str.strip())).astype(np.float64)
    sheet.refuse("y", codes < 0, f"not one of the classes {list(labels)} of --labels")
    return codes


def _numeric(values: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values)


def _prediction(part: Part, task: Task, width: int) -> Prediction:
    """A model's arrays; every check names the first row that fails it."""
    if task == "regression" and "var" not in part.columns:
        std = _column(part, "std")
        _refuse(part, "std", std < 0, "a standard deviation must be >= 0")
        return _column(part, "mu"), std**2
    values = {name: _column(part, name) for name in prediction_columns(task, width)}
    if task in CLASSIFICATION:
        for name, array in values.items():
            percent = " (a per cent? divide by 100)" if 2 < array.max() <= 100 else ""
            _refuse(part, name, (array < 0) | (array > 1), f"a probability in [0, 1] is needed{percent}")
        if task == "binary":
            return (values["p"],)
        p = np.column_stack(list(values.values()))
        _refuse_sums(part, p)
        return (p,)
    if task == "regression":
        _refuse(part, "var", values["var"] < 0, "a variance must be >= 0")
        return values["mu"], values["var"]
    mean = np.column_stack([values[f"mu_{d}"] for d in range(width)])
    cov = np.empty((len(mean), width, width))
    for i in range(width):
        for j in range(i + 1):
            cov[:, i, j] = cov[:, j, i] = values[f"cov_{i}_{j}"]
        _refuse(part, f"cov_{i}_{i}", cov[:, i, i] < 0, "a variance must be >= 0")
    _refuse_indefinite(part, cov)
    return mean, cov


def _column(part: Part, base: str) -> FloatArray:
    values = _taken(part.sheet.numbers(part.columns[base]), part)
    must = f"a finite number is needed: fill it, or leave the row out of all models (model {part.model!r})"
    _refuse(part, base, ~np.isfinite(values), must)
    return values


def _refuse(part: Part, base: str, bad: npt.NDArray[np.bool_], must: str) -> None:
    if bad.any():
        raise part.sheet.fault(part.position(int(np.argmax(bad))), part.columns[base], must)


def _refuse_sums(part: Part, p: FloatArray) -> None:
    off = np.abs(p.sum(axis=1) - 1) > SIMPLEX_TOLERANCE
    if off.any():
        i = int(np.argmax(off))
        names = [part.sheet.name(name) for name in part.columns.values() if re.match(r"p_\d", name)]
        raise FileError(
            f"{part.sheet.place(part.position(i))}: the probabilities of model {part.model!r} "
            f"({names[0]} .. {names[-1]}) sum to {p[i].sum():.9g}, not to 1: nothing is renormalised, write them with "
            "more digits or divide each by the sum"
        )


def _refuse_indefinite(part: Part, cov: FloatArray) -> None:
    for start in range(0, len(cov), CHUNK):
        eigenvalues = np.linalg.eigvalsh(cov[start : start + CHUNK])
        bad = eigenvalues[:, 0] < -PSD_TOLERANCE * np.abs(eigenvalues).max(axis=1)
        if bad.any():
            i = int(np.argmax(bad))
            raise FileError(
                f"{part.sheet.place(part.position(start + i))}: cov of model {part.model!r} has the eigenvalue "
                f"{eigenvalues[i, 0]:.6g}, so it is no covariance matrix: it must be positive semidefinite; are "
                "correlations or standard deviations among the covariances?"
            )
