"""Prediction caches read split by split: what is held in memory does not grow with the number of seeds in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.contracts.predictions import KEYS, SplitResult
from uqalign.files import METADATA_KEY, FileError
from uqalign.predictions import check_prediction, from_columns
from uqalign.tasks import Task, prediction_columns, target_columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class PredictionStream:
    """A cache of which the metadata are read; iterating reads and checks its splits one after the other.

    Attributes:
        statuses: seed, fold, error, seconds and rows of every split, in the file's order.
        provenance: all of the file's metadata.
    """

    path: Path
    task: Task
    width: int
    statuses: Sequence[Mapping[str, Any]]
    provenance: Mapping[str, Any]

    @property
    def _remedy(self) -> str:
        return f"remove it and run again (rm {self.path})"

    @property
    def _names(self) -> list[str]:
        return [*KEYS, *target_columns(self.task, self.width), *prediction_columns(self.task, self.width)]

    def __iter__(self) -> Iterator[SplitResult]:
        """The splits in the file's order.

        Raises:
            FileError: damaged, or with values out of range; names the split.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.path, pre_buffer=False, page_checksum_verification=True) as file:
                rows = _Rows(file.iter_batches(BATCH_ROWS, columns=self._names))
                for status in self.statuses:
                    yield self._split(status, rows.take(0 if status["error"] else status["rows"]))
                left = rows.take(1)
        except (pa.ArrowException, OSError) as error:
            raise FileError(f"{self.path} is damaged or incomplete ({error}): {self._remedy}") from error
        if len(left):
            raise FileError(
                f"{self.path} holds rows beyond its last split, of seed {left['seed'].iloc[0]} fold "
                f"{left['fold'].iloc[0]}: {self._remedy}"
            )

    def _split(self, status: Mapping[str, Any], part: pd.DataFrame) -> SplitResult:
        seed, fold, seconds = status["seed"], status["fold"], status["seconds"]
        where = f"{self.path}, seed {seed}, fold {fold}"
        if status["error"]:
            empty = np.empty((0, self.width) if self.task == "multivariate" else 0)
            return SplitResult(seed, fold, np.empty(0, int), empty, None, status["error"], seconds)
        own = int(((part["seed"] == seed) & (part["fold"] == fold)).sum()) if len(part) else 0
        if own != status["rows"]:
            raise FileError(f"{where}: {own} rows, expected {status['rows']}: {self._remedy}")
        rows = part["row"].to_numpy()
        if (np.diff(rows) <= 0).any():
            raise FileError(f"{where}: rows are repeated or out of order: {self._remedy}")
        prediction = from_columns(self.task, part, self.width)
        try:
            check_prediction(self.task, prediction, len(part), self.width)
        except (ArithmeticError, ValueError) as error:
            raise FileError(f"{where}: {error}; {self._remedy}") from error
        y = part[target_columns(self.task, self.width)].to_numpy(dtype=np.float64)
        return SplitResult(seed, fold, rows, y if self.task == "multivariate" else y[:, 0], prediction, "", seconds)


class _Rows:
    """Batches of rows, handed out in pieces of any size."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches, self._rest = batches, None

    def take(self, count: int) -> pd.DataFrame:
        """The next `count` rows, or what is left."""
        import pandas as pd
        import pyarrow as pa

        pieces: list[pa.RecordBatch] = []
        missing = count
        while missing > 0:
            batch = self._rest if self._rest is not None else next(self._batches, None)
            if batch is None:
                break
            pieces.append(batch.slice(0, missing))
            self._rest = batch.slice(missing) if len(batch) > missing else None
            missing -= len(pieces[-1])
        frame: pd.DataFrame = pa.Table.from_batches(pieces).to_pandas() if pieces else pd.DataFrame()
        return frame


def stream_predictions(path: Path, *, spec: Mapping[str, Any], code: str) -> PredictionStream:
    """A cache made by the expected job and code, of which only the metadata are read so far.

    Raises:
        FileError: missing, damaged, of another schema, or made by another job or other code.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    remedy = f"remove it and run again (rm {path})"
    if not path.exists():
        raise FileError(f"{path} does not exist: {remedy}")
    try:
        schema = pq.read_schema(path)
        metadata = json.loads((schema.metadata or {})[METADATA_KEY])
    except KeyError:
        raise FileError(f"{path} was not written by uqalign (its metadata is missing): {remedy}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise FileError(f"{path} is damaged or incomplete ({error}): {remedy}") from error
    if metadata.get("kind") != "predictions":
        raise FileError(f"{path} holds {metadata.get('kind')!r}, not predictions: {remedy}")
    if metadata.get("spec") != spec:
        found = metadata.get("spec") or {}
        differing = sorted(key for key in {*spec, *found} if spec.get(key) != found.get(key))
        told = "; ".join(f"{key} is {found.get(key)!r}, expected {spec.get(key)!r}" for key in differing)
        raise FileError(f"{path} comes from another job ({told}): {remedy}")
    if metadata.get("code") != code:
        raise FileError(f"{path} was made by other code (digest {metadata.get('code')}, expected {code}): {remedy}")
    stream = PredictionStream(path, metadata["task"], metadata["width"], metadata["splits"], metadata)
    if schema.names != stream._names:
        raise FileError(f"{path} has columns {schema.names}, expected {stream._names}: {remedy}")
    return stream
