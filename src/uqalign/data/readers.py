"""Readers of the raw formats. Each function returns a reader; several files are stacked in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from uqalign.data.declare import Reader

if TYPE_CHECKING:
    import pandas as pd


def csv(*, names: Sequence[str] | None = None, missing: Sequence[str] = (), **options: Any) -> Reader:
    """Delimited text, through `pandas.read_csv`.

    Args:
        names: column names of a file that has no header line.
        missing: cells that mean "missing", besides empty ones. Nothing else does: "NA" or "None" may be
            levels.
        options: of `pandas.read_csv` (`sep`, `decimal`, `skiprows`, `encoding`, ...).
    """

    def read(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        import pandas as pd

        layout: dict[str, Any] = {"na_values": ["", *missing], "keep_default_na": False, "low_memory": False}
        layout |= {"header": None, "names": list(names)} if names is not None else {}
        frames: list[pd.DataFrame] = [pd.read_csv(file, **(layout | options)) for file in files]
        return pd.concat(frames, ignore_index=True)

    return read


def excel(*, columns: Sequence[str]) -> Reader:
    """The first sheet of a workbook, its `columns` only, without empty rows."""

    def read(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        import pandas as pd

        wanted = list(columns)
        frames = [_read_excel(file)[wanted].dropna(how="all") for file in files]
        return pd.concat(frames, ignore_index=True)

    return read


def _read_excel(file: BinaryIO) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_excel(file, sheet_name=0, engine="openpyxl")
    except ImportError as error:
        raise ValueError("reading .xlsx files needs openpyxl: pip install openpyxl") from error


def parquet() -> Reader:
    """Parquet files; pandas' own metadata (categories, nullable types) applies."""

    def read(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        import pandas as pd

        return pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)

    return read


def keel(names: Sequence[str], *, missing: Sequence[str] = ("?", "<null>")) -> Reader:
    """KEEL's format: header lines that start with @, then comma-separated cells with blanks around them."""
    plain = csv(names=names, missing=missing, comment="@", skipinitialspace=True)

    def read(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        import pandas as pd

        frame = plain(files)
        for column in frame.columns:
            if not pd.api.types.is_numeric_dtype(frame[column].dtype):
                frame[column] = frame[column].str.strip()
        return frame

    return read


def rounded(read: Reader, label: str, decimals: int = 3) -> Reader:
    """Numbers read as text, rounded half to even in decimal arithmetic: binary floats miss exact halves.

    Args:
        read: reader that leaves every cell a string.
        label: the one column that is not rounded.
        decimals: to keep.
    """

    def read_rounded(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        from decimal import ROUND_HALF_EVEN, Decimal

        unit = Decimal(1).scaleb(-decimals)
        frame = read(files)
        for column in frame.columns.drop(label):
            frame[column] = [float(Decimal(cell).quantize(unit, ROUND_HALF_EVEN)) for cell in frame[column]]
        return frame

    return read_rounded


def one_fold_last(read: Reader, rows: Sequence[int]) -> Reader:
    """Undo the order of KEEL's copies, which put one test fold last.

    Args:
        read: reader of the copy.
        rows: positions, in the original, of the rows that stand last in the copy.
    """

    def restored(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
        frame = read(files)
        order = fold_last_order(len(frame), rows)
        original = [0] * len(order)
        for place, row in enumerate(order):
            original[row] = place
        return frame.iloc[original].reset_index(drop=True)

    return restored


def fold_last_order(n: int, rows: Sequence[int]) -> list[int]:
    """Positions 0..n-1 in their order, except that `rows` come last."""
    last = set(rows)
    return [*(row for row in range(n) if row not in last), *rows]


def skipped_rows(frame_rows: int, chosen: Sequence[int], *, header: int) -> list[int]:
    """Line numbers for `skiprows` that leave `header` lines and the data rows `chosen`."""
    keep = {row + header for row in chosen}
    return [line for line in range(header, frame_rows + header) if line not in keep]
