"""From a raw frame to the table that a declaration describes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.data.declare import Dataset
from uqalign.data.errors import DataError
from uqalign.data.levels import level_names
from uqalign.data.table import Kind, Table
from uqalign.tasks import CLASSIFICATION


def build_table(dataset: Dataset, frame: pd.DataFrame, source: dict[str, Any] | None = None) -> Table:
    """Clean `frame` and give every column its role.

    Raises:
        DataError: absent or repeated columns, a target that is missing or not of the task, features of no
            usable type.
    """
    where = f"data set {dataset.name!r}"
    if dataset.clean is not None:
        frame = dataset.clean(frame)
    frame = frame.rename(columns=str)
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"{where}: two columns are called {twice!r}: rename one in the file")
    roles = [*dataset.targets, *(role for role in (dataset.group, dataset.time) if role)]
    for column in [*roles, *dataset.drop, *dataset.categorical, *dataset.numeric]:
        if column not in frame.columns:
            raise DataError(f"{where}: no column {column!r}; there are {', '.join(map(str, frame.columns))}")
    features = frame.drop(columns=[*dict.fromkeys((*roles, *dataset.drop))]).reset_index(drop=True)
    if dataset.task in CLASSIFICATION:
        target, classes = _codes(where, frame[dataset.targets[0]], dataset.classes)
    else:
        target, classes = _target(where, frame[list(dataset.targets)]), ()
    kinds = {column: _kind(where, features[column], dataset) for column in features.columns}
    return Table(
        name=dataset.name,
        task=dataset.task,
        features=pd.DataFrame(
            {
                column: _numbers(where, features[column])
                if kind == "numeric"
                else pd.Series(level_names(features[column]), dtype=object)
                for column, kind in kinds.items()
            }
        ),
        target=target,
        classes=classes,
        target_names=dataset.targets,
        kinds=kinds,
        group=_group(where, frame, dataset.group),
        time=_time(where, frame, dataset.time),
        source=source or {},
    )


def _codes(
    where: str, column: pd.Series[Any], classes: tuple[str, ...]
) -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    labels = level_names(column)
    unlabelled = np.flatnonzero(labels == None)  # noqa: E711
    if len(unlabelled):
        raise DataError(f"{where}: the target {column.name!r} is missing in row {unlabelled[0]}: drop such rows")
    classes = classes or tuple(sorted(set(labels)))
    code = {label: float(number) for number, label in enumerate(classes)}
    strange = sorted(set(labels) - set(code))
    if strange:
        raise DataError(f"{where}: the target {column.name!r} holds {strange[0]!r}; the classes are {list(classes)}")
    return np.array([code[label] for label in labels]), classes


def _target(where: str, frame: pd.DataFrame) -> npt.NDArray[np.float64]:
    parts = []
    for name in frame.columns:
        values = _numbers(where, frame[name]).to_numpy()
        if np.isnan(values).any():
            row = int(np.flatnonzero(np.isnan(values))[0])
            raise DataError(f"{where}: the target {name!r} is missing in row {row}: drop such rows")
        parts.append(values)
    return parts[0] if len(parts) == 1 else np.column_stack(parts)


def _kind(where: str, column: pd.Series[Any], dataset: Dataset) -> Kind:
    if column.name in dataset.categorical:
        return "categorical"
    if column.name in dataset.numeric:
        return "numeric"
    kind = infer_kind(column)
    if kind is None:
        raise DataError(
            f"{where}: column {column.name!r} holds {column.dtype} values, which are neither numbers "
            f"nor levels: "
            "drop it, or name it as the time"
        )
    return kind


def infer_kind(column: pd.Series[Any]) -> Kind | None:
    """Numbers are numeric; strings, categories, booleans and mixtures categorical; dates and the like None."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return "categorical"
    if pd.api.types.is_numeric_dtype(dtype):
        return None if pd.api.types.is_complex_dtype(dtype) else "numeric"
    if pd.api.types.is_object_dtype(dtype):
        inside = pd.api.types.infer_dtype(column, skipna=True)
        if inside in ("integer", "floating", "mixed-integer-float", "decimal"):
            return "numeric"
        return "categorical" if inside in ("string", "boolean", "mixed", "mixed-integer", "empty") else None
    return "categorical" if pd.api.types.is_string_dtype(dtype) else None


def _numbers(where: str, column: pd.Series[Any]) -> pd.Series[Any]:
    try:
        plain = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
        values = pd.to_numeric(plain).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: column {column.name!r} holds values that are not numbers ({error})") from error
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(f"{where}: column {column.name!r} is infinite in row {row}: correct or drop it")
    return pd.Series(values)


def _group(where: str, frame: pd.DataFrame, name: str | None) -> npt.NDArray[Any] | None:
    if name is None:
        return None
    groups = level_names(frame[name])
    if None in groups.tolist():
        raise DataError(f"{where}: the group {name!r} is missing in row {groups.tolist().index(None)}")
    return groups


def _time(where: str, frame: pd.DataFrame, name: str | None) -> npt.NDArray[Any] | None:
    if name is None:
        return None
    column = frame[name]
    if pd.api.types.is_numeric_dtype(column.dtype):
        moments = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        try:
            # Other formats are ambiguous: is 02/03 in February or in March?
            dates = pd.to_datetime(column, format="ISO8601", utc=True).dt.tz_localize(None)
            moments = dates.to_numpy().astype("datetime64[us]")
        except (TypeError, ValueError) as error:
            raise DataError(f"{where}: the time {name!r} is neither numbers nor ISO 8601 dates ({error})") from error
    if pd.isna(moments).any():
        raise DataError(f"{where}: the time {name!r} is missing in row {int(np.flatnonzero(pd.isna(moments))[0])}")
    return moments
