"""Side information: what a realised utility needs beside predictions, row by row of a cleaned table, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.cases.case import Case
from uqalign.data.build import build_table
from uqalign.data.declare import Dataset
from uqalign.data.fetch import Fetcher
from uqalign.data.table import Table
from uqalign.errors import UserError
from uqalign.files import FileError, read_parquet, write_parquet

if TYPE_CHECKING:
    import pandas as pd

ROW = "row"
"""Column that numbers the rows of the cleaned table, 0, 1, .."""


def side_of(case: Case, table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """The case's side information of a table.

    Args:
        frame: what the table was made of, all columns, row by row the same.

    Raises:
        UserError: a side function that returns other rows, no columns, or one called "row".
    """
    side = case.side(table, frame.reset_index(drop=True))
    where = f"side information of case study {case.name!r} for {table.name!r}"
    if len(side) != len(table):
        raise UserError(f"{where} has {len(side)} rows, expected one for each of the {len(table)} rows of the table")
    if not len(side.columns) or ROW in side.columns or side.columns.has_duplicates:
        raise UserError(f"{where} needs columns with names of their own, none of them {ROW!r}: {list(side.columns)}")
    return side.reset_index(drop=True)


def cleaned_frame(dataset: Dataset, table: Table, *, data_dir: Path, download_dir: Path) -> pd.DataFrame:
    """The frame that `table` was made of: raw files read and cleaned, with all columns.

    Raises:
        DataError: no source yields the raw files.
        FileError: they are not those of the table.
    """
    with Fetcher(data_dir=data_dir, download_dir=download_dir) as fetcher, fetcher.open(dataset) as opened:
        raw = (opened.source.read or dataset.read)(opened.streams)
    if build_table(dataset, raw).digest != table.digest:
        raise FileError(
            f"the raw files of data set {dataset.name!r} are not those its cleaned table was made of: clean it again "
            f"(snakemake --forcerun clean_data)"
        )
    return dataset.clean(raw) if dataset.clean is not None else raw


def write_side(path: Path, side: pd.DataFrame, metadata: dict[str, Any]) -> None:
    """Write side information with a number for every row."""
    keyed = side.copy()
    keyed.insert(0, ROW, np.arange(len(side), dtype=np.int64))
    write_parquet(keyed, path, {"kind": "side", **metadata})


def read_side(path: Path, table: Table | None = None) -> pd.DataFrame:
    """Side information, a row per row of the table that it belongs to.

    Args:
        table: when given, refuse side information of another table.

    Raises:
        FileError: missing, damaged, not side information, with other rows or of other data.
    """
    remedy = f"remove it and run again (rm {path})"
    frame, metadata = read_parquet(path, remedy)
    if metadata.get("kind") != "side" or ROW not in frame.columns:
        raise FileError(f"{path} holds {metadata.get('kind')!r}, not side information: {remedy}")
    if not np.array_equal(frame[ROW].to_numpy(), np.arange(len(frame))):
        raise FileError(f"{path}: its rows are not numbered 0, 1, ..: {remedy}")
    if table is not None and (metadata["data_sha256"] != table.digest or len(frame) != len(table)):
        raise FileError(f"{path} belongs to other data than the present table {table.name!r}: {remedy}")
    return frame.drop(columns=ROW)
