"""Prediction caches.

A prediction cache is trusted only if its own content says so: Snakemake's records can be lost or overtaken, and a file
can come from another machine. The reader compares schema, coverage, labels, ranges, job and code with what is expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.files import FileError, read_parquet, write_parquet
from uqalign.predictions import Prediction, check_prediction, from_columns, to_columns
from uqalign.tasks import Task, prediction_columns, target_columns

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["seed", "fold", "row"]


@dataclass(frozen=True)
class SplitResult:
    """One (seed, fold) of a prediction cache.

    Attributes:
        rows: (m,) positions of the test rows in the cleaned data set, ascending.
        y: (m,) or (m, D) their targets.
        prediction: arrays of the task, or None where the fit failed.
        error: why it failed, or "".
        seconds: wall time of fit and prediction.
    """

    seed: int
    fold: int
    rows: np.ndarray
    y: FloatArray
    prediction: Prediction | None
    error: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Cache:
    """The splits of one prediction file and where they came from."""

    task: Task
    width: int
    splits: Sequence[SplitResult]
    provenance: Mapping[str, Any] = field(default_factory=dict)


def _targets(task: Task, frame: pd.DataFrame, width: int) -> FloatArray:
    y = frame[target_columns(task, width)].to_numpy(dtype=np.float64)
    return y if task == "multivariate" else y[:, 0]


def write_predictions(path: Path, cache: Cache) -> None:
    """Write a prediction cache: sorted by seed, fold, row; float64; zstd; provenance in the file's metadata."""
    import pandas as pd

    names = [*KEYS, *target_columns(cache.task, cache.width), *prediction_columns(cache.task, cache.width)]
    frames = []
    for split in sorted(cache.splits, key=lambda split: (split.seed, split.fold)):
        if split.prediction is None:
            continue
        check_prediction(cache.task, split.prediction, len(split.rows), cache.width)
        y = split.y if cache.task == "multivariate" else split.y[:, None]
        columns: dict[str, Any] = {
            "seed": np.full(len(split.rows), split.seed, dtype=np.int32),
            "fold": np.full(len(split.rows), split.fold, dtype=np.int16),
            "row": np.asarray(split.rows, dtype=np.int64),
            **dict(zip(target_columns(cache.task, cache.width), y.T, strict=True)),
            **to_columns(cache.task, split.prediction),
        }
        frames.append(pd.DataFrame(columns))
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=names, dtype=np.float64)
    status = [
        {"seed": s.seed, "fold": s.fold, "error": s.error, "seconds": round(s.seconds, 4), "rows": len(s.rows)}
        for s in sorted(cache.splits, key=lambda split: (split.seed, split.fold))
    ]
    metadata = {
        "kind": "predictions",
        "task": cache.task,
        "width": cache.width,
        "splits": status,
        **cache.provenance,
    }
    write_parquet(frame[names], path, metadata)


def read_predictions(path: Path, *, spec: Mapping[str, Any] | None = None, code: str | None = None) -> Cache:
    """A prediction cache whose content agrees with its own metadata, and with the expected job and code if given.

    Raises:
        FileError: missing, damaged, of another schema, with values out of range, or made by another job or other code.
    """
    remedy = f"remove it and run again (rm {path})"
    frame, metadata = read_parquet(path, remedy)
    if metadata.get("kind") != "predictions":
        raise FileError(f"{path} holds {metadata.get('kind')!r}, not predictions: {remedy}")
    if spec is not None and metadata.get("spec") != spec:
        found = metadata.get("spec") or {}
        differing = sorted(key for key in {*spec, *found} if spec.get(key) != found.get(key))
        told = "; ".join(f"{key} is {found.get(key)!r}, expected {spec.get(key)!r}" for key in differing)
        raise FileError(f"{path} comes from another job ({told}): {remedy}")
    if code is not None and metadata.get("code") != code:
        raise FileError(f"{path} was made by other code (digest {metadata.get('code')}, expected {code}): {remedy}")
    task, width = metadata["task"], metadata["width"]
    names = [*KEYS, *target_columns(task, width), *prediction_columns(task, width)]
    if list(frame.columns) != names:
        raise FileError(f"{path} has columns {list(frame.columns)}, expected {names}: {remedy}")
    groups = dict(tuple(frame.groupby(["seed", "fold"], sort=False)))
    splits = []
    for status in metadata["splits"]:
        part = groups.pop((status["seed"], status["fold"]), None)
        where = f"{path}, seed {status['seed']}, fold {status['fold']}"
        if status["error"]:
            empty = np.empty((0, width) if task == "multivariate" else 0)
            splits.append(
                SplitResult(
                    status["seed"], status["fold"], np.empty(0, int), empty, None, status["error"], status["seconds"]
                )
            )
            continue
        if part is None or len(part) != status["rows"]:
            raise FileError(f"{where}: {0 if part is None else len(part)} rows, expected {status['rows']}: {remedy}")
        rows = part["row"].to_numpy()
        if (np.diff(rows) <= 0).any():
            raise FileError(f"{where}: rows are repeated or out of order: {remedy}")
        prediction = from_columns(task, part, width)
        try:
            check_prediction(task, prediction, len(part), width)
        except (ArithmeticError, ValueError) as error:
            raise FileError(f"{where}: {error}; {remedy}") from error
        y = _targets(task, part, width)
        splits.append(SplitResult(status["seed"], status["fold"], rows, y, prediction, "", status["seconds"]))
    if groups:
        raise FileError(f"{path} holds splits its metadata does not list, {sorted(groups)}: {remedy}")
    return Cache(task, width, splits, metadata)


def check_coverage(path: Path, cache: Cache, target: FloatArray, folds: Mapping[int, np.ndarray]) -> None:
    """Refuse a cache that does not hold each test row of each split exactly once, with the data set's own targets.

    Args:
        target: (n,) or (n, D) targets of the cleaned data set.
        folds: per seed, (n,) the fold in which each row is a test row.

    Raises:
        FileError: names the split and what differs.
    """
    remedy = f"remove it and run again (rm {path})"
    for split in cache.splits:
        if split.prediction is None:
            continue
        where = f"{path}, seed {split.seed}, fold {split.fold}"
        expected = np.flatnonzero(folds[split.seed] == split.fold)
        if not np.array_equal(split.rows, expected):
            raise FileError(f"{where}: its rows are not the test rows of this split: {remedy}")
        if not np.array_equal(split.y, target[expected]):
            row = int(expected[np.flatnonzero((split.y != target[expected]).reshape(len(expected), -1).any(1))[0]])
            raise FileError(f"{where}: the label of row {row} is not the data set's: {remedy}")
