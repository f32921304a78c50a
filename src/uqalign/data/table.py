"""A data set in memory, and its file: one Parquet table that carries roles, kinds and provenance."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.data.errors import DataError
from uqalign.data.levels import level_names
from uqalign.files import METADATA_KEY, atomic_path
from uqalign.tasks import CLASSIFICATION, TASKS, Task

Kind = Literal["numeric", "categorical"]
FORMAT = "uqalign table 1"
_TARGET, _GROUP, _TIME = "__target", "__group", "__time"


@dataclass(frozen=True, eq=False)
class Table:
    """Rows ready to be split.

    Args:
        name: of the data set.
        task: binary, multiclass, regression or multivariate.
        features: (n, F); numeric columns are float64 (NaN is missing), categorical ones hold strings or None.
        target: float64, (n,) or (n, D); class codes 0..K-1 for classification.
        classes: class labels in code order; empty for regression.
        target_names: one name per target coordinate.
        kinds: numeric or categorical, per feature.
        group: (n,) strings, rows of one group belong to one fold under grouped splits.
        time: (n,) datetime64 or float64, the order for blocked splits.
        source: provenance: kind and address of the source used, sha256 of each raw file.
    """

    name: str
    task: Task
    features: pd.DataFrame
    target: npt.NDArray[np.float64]
    classes: tuple[str, ...]
    target_names: tuple[str, ...]
    kinds: Mapping[str, Kind]
    group: npt.NDArray[Any] | None = None
    time: npt.NDArray[Any] | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_table(self)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def n_classes(self) -> int:
        """K for classification, 0 for regression."""
        return len(self.classes)

    @property
    def width(self) -> int:
        """Classes (classification) or target coordinates (regression): the width of a prediction."""
        return len(self.classes) if self.task in CLASSIFICATION else len(self.target_names)

    @property
    def digest(self) -> str:
        """sha256 of all that a model or a split can see, whatever the source or the library versions."""
        return table_digest(self)


def check_table(table: Table) -> None:
    """Refuse a table whose parts do not fit together.

    Raises:
        DataError: names the table and the part.
    """
    n, where = len(table.features), f"table {table.name!r}"
    if table.task not in TASKS:
        raise DataError(f"{where}: unknown task {table.task!r}")
    if n == 0:
        raise DataError(f"{where} has no rows")
    if table.features.shape[1] == 0:
        raise DataError(f"{where} has no features")
    if list(table.kinds) != list(table.features.columns):
        raise DataError(f"{where}: kinds name {list(table.kinds)}, features are {list(table.features.columns)}")
    expected = (n, len(table.target_names)) if table.task == "multivariate" else (n,)
    if table.target.shape != expected or table.target.dtype != np.float64:
        raise DataError(f"{where}: target is {table.target.dtype} {table.target.shape}, expected float64 {expected}")
    if not np.isfinite(table.target).all():
        raise DataError(f"{where}: target row {int(np.argwhere(~np.isfinite(table.target))[0][0])} is not finite")
    if table.task in CLASSIFICATION:
        if table.task == "binary" and len(table.classes) != 2:
            labels = ", ".join(table.classes)
            raise DataError(
                f"{where}: a binary task has two labels, the target {table.target_names[0]!r} holds "
                f"{len(table.classes)}: {labels}; mend the labels, name the two `classes`, or make the task multiclass"
            )
        codes = np.unique(table.target)
        if not np.isin(codes, np.arange(len(table.classes))).all():
            raise DataError(f"{where}: class codes {codes.tolist()} for {len(table.classes)} classes")
    for role, values in (("group", table.group), ("time", table.time)):
        if values is not None and values.shape != (n,):
            raise DataError(f"{where}: {role} has shape {values.shape}, expected {(n,)}")
    for column, kind in table.kinds.items():
        if kind == "numeric" and table.features[column].dtype != np.float64:
            raise DataError(f"{where}: numeric column {column!r} is {table.features[column].dtype}, not float64")


def table_digest(table: Table) -> str:
    """sha256 over names, roles and values."""
    sha = hashlib.sha256()

    def add(*parts: object) -> None:
        sha.update(json.dumps([str(part) for part in parts]).encode())

    add(table.task, table.classes, table.target_names, len(table))
    for column, kind in table.kinds.items():
        add(column, kind)
        if kind == "numeric":
            # Every NaN counts alike, and -0.0 as 0.0.
            values = table.features[column].to_numpy(dtype=np.float64) + 0.0
            sha.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
        else:
            sha.update(json.dumps(level_names(table.features[column]).tolist()).encode())
    sha.update((table.target + 0.0).astype("<f8").tobytes())
    for role, rows in (("group", table.group), ("time", table.time)):
        if rows is not None:
            add(role)
            rows = rows.astype("datetime64[us]") if rows.dtype.kind == "M" else rows
            sha.update(json.dumps(level_names(rows).tolist()).encode())
    return sha.hexdigest()


def write_table(table: Table, path: Path | str) -> None:
    """Write `table` as one Parquet file (zstd), atomically.

    Raises:
        DataError: a feature whose name is reserved.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {}
    for column, kind in table.kinds.items():
        if column.startswith("__"):
            raise DataError(f"table {table.name!r}: feature {column!r}: names starting with __ are reserved")
        values = table.features[column]
        columns[column] = (
            pa.array(values.to_numpy(dtype=np.float64))
            if kind == "numeric"
            else pa.array(level_names(values), pa.string()).dictionary_encode()
        )
    for d, coordinate in enumerate(np.atleast_2d(table.target.T)):
        columns[f"{_TARGET}_{d}"] = pa.array(coordinate)
    if table.group is not None:
        columns[_GROUP] = pa.array(level_names(table.group), pa.string())
    if table.time is not None:
        columns[_TIME] = pa.array(table.time)
    meta = {
        "format": FORMAT,
        "name": table.name,
        "task": table.task,
        "classes": list(table.classes),
        "target_names": list(table.target_names),
        "kinds": dict(table.kinds),
        "source": dict(table.source),
        "digest": table.digest,
    }
    arrow = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(meta)})
    with atomic_path(Path(path)) as temporary:
        pq.write_table(arrow, temporary, compression="zstd")


def read_table(path: Path | str) -> Table:
    """Read what `write_table` wrote, and verify it.

    Raises:
        DataError: missing, truncated, foreign or altered file; names the file and the remedy.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    remedy = f"delete {path} and run again to rebuild it"
    if not path.is_file():
        raise DataError(f"{path} does not exist: run the step that writes it")
    try:
        arrow = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} is not a readable Parquet file ({error}): {remedy}") from error
    raw = (arrow.schema.metadata or {}).get(METADATA_KEY)
    meta = json.loads(raw) if raw else {}
    if meta.get("format") != FORMAT:
        raise DataError(f"{path} is a Parquet file, but not a table written by this version: {remedy}")
    missing = [column for column in [*meta["kinds"], f"{_TARGET}_0"] if column not in arrow.column_names]
    if missing:
        raise DataError(f"{path} lacks the columns {missing}: {remedy}")
    table = _from_arrow(arrow, meta)
    if table.digest != meta["digest"]:
        raise DataError(f"{path} was altered after it was written (its contents do not match its digest): {remedy}")
    return table


def _from_arrow(arrow: Any, meta: dict[str, Any]) -> Table:
    features = {
        column: (
            arrow[column].to_numpy().astype(np.float64)
            if kind == "numeric"
            else np.array(arrow[column].to_pylist(), dtype=object)
        )
        for column, kind in meta["kinds"].items()
    }
    frame = pd.DataFrame({c: pd.Series(v, dtype=v.dtype) for c, v in features.items()})
    target = np.column_stack([arrow[f"{_TARGET}_{d}"].to_numpy() for d in range(len(meta["target_names"]))])
    return Table(
        name=meta["name"],
        task=meta["task"],
        features=frame,
        target=target.astype(np.float64) if meta["task"] == "multivariate" else target[:, 0].astype(np.float64),
        classes=tuple(meta["classes"]),
        target_names=tuple(meta["target_names"]),
        kinds=meta["kinds"],
        group=np.array(arrow[_GROUP].to_pylist(), dtype=object) if _GROUP in arrow.column_names else None,
        time=arrow[_TIME].to_numpy() if _TIME in arrow.column_names else None,
        source=meta["source"],
    )
