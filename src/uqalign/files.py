"""Files that are whole or absent, and Parquet files with their provenance inside."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

METADATA_KEY = b"uqalign"


class FileError(UserError):
    """A file that is missing, damaged, or not what this run expects; the message says which and what to do."""


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block succeeds and vanishes when it fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_parquet(frame: pd.DataFrame, path: Path, metadata: Mapping[str, Any]) -> None:
    """Write `frame` (zstd) with JSON `metadata`; the file appears only when complete."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    text = json.dumps(metadata, sort_keys=True).encode()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), METADATA_KEY: text})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_parquet(path: Path, remedy: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A frame and its metadata.

    Args:
        remedy: what to do when the file is missing or damaged, as the end of an error message.

    Raises:
        FileError: missing, not a readable Parquet file, or without this package's metadata.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.exists():
        raise FileError(f"{path} does not exist: {remedy}")
    try:
        table = pq.read_table(path)
        metadata = json.loads((table.schema.metadata or {})[METADATA_KEY])
    except KeyError:
        raise FileError(f"{path} was not written by uqalign (its metadata is missing): {remedy}") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise FileError(f"{path} is damaged or incomplete ({error}): {remedy}") from error
    return table.to_pandas(), metadata


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) that appears only when complete."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
