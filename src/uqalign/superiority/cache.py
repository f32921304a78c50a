"""Epoch predictions in a Parquet file: one row group per seed and epoch, so that scoring holds one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from uqalign.files import METADATA_KEY, FileError, atomic_path
from uqalign.superiority.images import Labels

if TYPE_CHECKING:
    from uqalign.superiority.training import Run

KIND = "epoch predictions"
VALIDATION, TEST = 0, 1
"""Codes of the column `part`."""


@dataclass(frozen=True, eq=False)
class Epoch:
    """One epoch of one seed.

    Attributes:
        y, y_test: labels of the validation and the test pictures.
        p, p_test: (n, classes) their predicted probabilities.
    """

    seed: int
    epoch: int
    y: Labels
    p: npt.NDArray[np.float64]
    y_test: Labels
    p_test: npt.NDArray[np.float64]


def _columns(n_classes: int) -> list[str]:
    return ["seed", "epoch", "part", "row", "y", *(f"p_{code}" for code in range(n_classes))]


def write_epochs(path: Path, runs: Sequence[Run], labels: Labels, metadata: Mapping[str, Any]) -> None:
    """Write every epoch of every seed; the file appears only when complete.

    Args:
        labels: of all pictures by position.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_classes = runs[0].p.shape[2]
    small = [pa.int32(), pa.int16(), pa.int8(), pa.int32(), pa.int16()]
    fields = zip(_columns(n_classes), [*small, *[pa.float32()] * n_classes], strict=True)
    text = json.dumps({"kind": KIND, "classes": n_classes, **metadata}, sort_keys=True).encode()
    schema = pa.schema(list(fields), metadata={METADATA_KEY: text})
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for run in sorted(runs, key=lambda run: run.seed):
            rows = np.concatenate([run.split.validation, run.split.test])
            part = np.repeat([VALIDATION, TEST], [len(run.split.validation), len(run.split.test)])
            for epoch, p in enumerate(run.p, start=1):
                keys = [np.full(len(rows), run.seed), np.full(len(rows), epoch), part, rows, labels[rows]]
                arrays = [pa.array(values, field.type) for values, field in zip([*keys, *p.T], schema, strict=True)]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def read_metadata(path: Path) -> dict[str, Any]:
    """What a file of epoch predictions says about itself.

    Raises:
        FileError: missing, damaged, or another kind of file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    remedy = f"remove it and run again (rm {path})"
    try:
        metadata: dict[str, Any] = json.loads((pq.read_schema(path).metadata or {})[METADATA_KEY])
    except FileNotFoundError:
        raise FileError(f"{path} does not exist: {remedy}") from None
    except (KeyError, pa.ArrowException, OSError, ValueError) as error:
        raise FileError(f"{path} is damaged or no file of this package ({error}): {remedy}") from error
    if metadata.get("kind") != KIND:
        raise FileError(f"{path} holds {metadata.get('kind')!r}, not {KIND}: {remedy}")
    return metadata


def read_epochs(path: Path) -> Iterator[Epoch]:
    """Epoch after epoch, seed after seed, one in memory at a time.

    Probabilities are turned into double precision and made to sum to one again, which single precision misses by
    about 1e-7.

    Raises:
        FileError: missing, damaged, of another kind, or with rows that are no probabilities.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    remedy = f"remove it and run again (rm {path})"
    n_classes = read_metadata(path)["classes"]
    try:
        file = pq.ParquetFile(path)
        for number in range(file.num_row_groups):
            table = file.read_row_group(number)
            if table.column_names != _columns(n_classes):
                raise FileError(f"{path} has columns {table.column_names}: {remedy}")
            yield _epoch(table, n_classes, f"{path}, row group {number}", remedy)
    except (pa.ArrowException, OSError) as error:
        raise FileError(f"{path} is damaged ({error}): {remedy}") from error


def _epoch(table: Any, n_classes: int, where: str, remedy: str) -> Epoch:
    seed, epoch, part, _, y = (table.column(i).to_numpy() for i in range(5))
    p = np.stack([table.column(5 + code).to_numpy() for code in range(n_classes)], axis=1).astype(np.float64)
    total = p.sum(axis=1, keepdims=True)
    if not ((p >= 0).all() and (np.abs(total - 1) < 1e-5).all()):
        raise FileError(f"{where}: rows that are no probabilities: {remedy}")
    if seed.min() != seed.max() or epoch.min() != epoch.max():
        raise FileError(f"{where}: more than one seed or epoch: {remedy}")
    p /= total
    held = part == VALIDATION
    labels = y.astype(np.int64)
    return Epoch(int(seed[0]), int(epoch[0]), labels[held], p[held], labels[~held], p[~held])
