"""Readers of the raw formats; several files of one kind are stacked in order.

Each function makes a reader out of its arguments alone (a `functools.partial` of a function of this module), so that
a declaration shows exactly how its files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from uqalign.data.declare import Reader

if TYPE_CHECKING:
    import pandas as pd

Files = tuple[BinaryIO, ...]


def csv(*, names: Sequence[str] | None = None, missing: Sequence[str] = (), **options: Any) -> Reader:
    """Delimited text, through `pandas.read_csv`.

    Args:
        names: column names of a file that has no header line.
        missing: cells that mean "missing", besides empty ones. Nothing else does: "NA" or "None" may be levels.
        options: of `pandas.read_csv` (`sep`, `decimal`, `skiprows`, `encoding`, ...).
    """
    layout: dict[str, Any] = {"na_values": ["", *missing], "keep_default_na": False, "low_memory": False}
    layout |= {"header": None, "names": list(names)} if names is not None else {}
    return partial(read_csv, **(layout | options))


def read_csv(files: Files, **options: Any) -> pd.DataFrame:
    """The stacked tables of delimited text files."""
    import pandas as pd

    frames: list[pd.DataFrame] = [pd.read_csv(file, **options) for file in files]
    return pd.concat(frames, ignore_index=True)


def excel(*, columns: Sequence[str]) -> Reader:
    """The first sheet of a workbook, its `columns` only, without empty rows."""
    return partial(read_excel, columns=tuple(columns))


def read_excel(files: Files, *, columns: Sequence[str]) -> pd.DataFrame:
    """The stacked first sheets of workbooks.

    Raises:
        ValueError: openpyxl, which reads them, is not installed.
    """
    import pandas as pd

    try:
        sheets = [pd.read_excel(file, sheet_name=0, engine="openpyxl") for file in files]
    except ImportError as error:
        raise ValueError("reading .xlsx files needs openpyxl: pip install openpyxl") from error
    return pd.concat([sheet[list(columns)].dropna(how="all") for sheet in sheets], ignore_index=True)


def read_parquet(files: Files) -> pd.DataFrame:
    """The stacked tables of Parquet files, with the types that pandas wrote: categories, nullable numbers.

    Raises:
        ValueError: not a Parquet file.
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frames: list[pd.DataFrame] = []
    for file in files:
        try:
            table = pq.read_table(file)
        except pa.ArrowException as error:
            raise ValueError(f"not a readable Parquet file ({error})") from error
        frame = table.to_pandas()
        # Arrow keeps categories of strings only; pandas' own note says which numbers were categories.
        for column in (table.schema.pandas_metadata or {}).get("columns", ()):
            if column["pandas_type"] == "categorical" and column["name"] in frame:
                frame[column["name"]] = frame[column["name"]].astype("category")
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def keel(names: Sequence[str], *, missing: Sequence[str] = ("?", "<null>")) -> Reader:
    """KEEL's format: header lines that start with @, then comma-separated cells with blanks around them."""
    return partial(read_keel, table=csv(names=names, missing=missing, comment="@", skipinitialspace=True))


def read_keel(files: Files, *, table: Reader) -> pd.DataFrame:
    """The stacked tables of files in KEEL's format, text cells without blanks."""
    import pandas as pd

    frame = table(files)
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            frame[column] = frame[column].str.strip()
    return frame


def rounded(read: Reader, *, label: str, decimals: int = 3) -> Reader:
    """Numbers rounded half to even in decimal arithmetic: binary floats miss exact halves.

    Args:
        read: reader that leaves every cell a string.
        label: the one column that is not rounded.
        decimals: to keep.
    """
    return partial(read_rounded, read=read, label=label, decimals=decimals)


def read_rounded(files: Files, *, read: Reader, label: str, decimals: int) -> pd.DataFrame:
    """What `read` yields, rounded."""
    from decimal import ROUND_HALF_EVEN, Decimal

    unit = Decimal(1).scaleb(-decimals)
    frame = read(files)
    for column in frame.columns.drop(label):
        frame[column] = [float(Decimal(cell).quantize(unit, ROUND_HALF_EVEN)) for cell in frame[column]]
    return frame


def one_fold_last(read: Reader, *, rows: Sequence[int]) -> Reader:
    """Undo the order of KEEL's copies, which put one test fold last.

    Args:
        read: reader of the copy.
        rows: positions, in the original, of the rows that stand last in the copy.
    """
    return partial(read_one_fold_last, read=read, rows=tuple(rows))


def read_one_fold_last(files: Files, *, read: Reader, rows: Sequence[int]) -> pd.DataFrame:
    """What `read` yields, in the original's order."""
    frame = read(files)
    order = fold_last_order(len(frame), rows)
    return frame.iloc[sorted(range(len(order)), key=order.__getitem__)].reset_index(drop=True)


def fold_last_order(n: int, rows: Sequence[int]) -> list[int]:
    """Positions 0..n-1 in their order, except that `rows` come last."""
    last = set(rows)
    return [*(row for row in range(n) if row not in last), *rows]


def skipped_rows(rows: int, chosen: Sequence[int], *, header: int) -> list[int]:
    """Line numbers for `skiprows` that leave `header` lines and the `chosen` of the data rows 0..rows-1."""
    keep = {row + header for row in chosen}
    return [line for line in range(header, rows + header) if line not in keep]
