"""Files of predictions as they lie on the disk: read, their columns under the suite's names, and places in them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.checks import FloatArray
from uqalign.errors import UserError
from uqalign.files import FileError

PLACEHOLDERS: Mapping[str, str] = {"model": r".+?", "j": r"\d+", "k": r"\d+"}
"""What a placeholder of a column's name stands for."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One file.

    Attributes:
        path: where it lies.
        frame: its rows, columns under the suite's names; the index counts the rows of the file.
        called: the file's own name of each column that was renamed.
    """

    path: Path
    frame: pd.DataFrame
    called: Mapping[str, str] = field(default_factory=dict)
    _numbers: dict[str, FloatArray] = field(default_factory=dict, repr=False)

    def place(self, position: int) -> str:
        """Where a row is: the line of a CSV file (its first is the heading), the row of a Parquet file (from 0)."""
        row = int(self.frame.index[position])
        return f"{self.path}, line {row + 2}" if self.path.suffix.lower() == ".csv" else f"{self.path}, row {row}"

    def name(self, column: str) -> str:
        """What the file calls a column."""
        return self.called.get(column, column)

    def fault(self, position: int, column: str, must: str) -> FileError:
        """The error that says where a value is, what it is, and what it must be."""
        value = self.frame[column].iloc[position]
        shown = "empty" if pd.isna(value) else repr(value.item() if isinstance(value, np.generic) else value)
        return FileError(f"{self.place(position)}: {self.name(column)} is {shown}: {must}")

    def refuse(self, column: str, bad: npt.NDArray[np.bool_], must: str) -> None:
        """Raise `fault` of the first row that is bad.

        Raises:
            FileError: some row is.
        """
        if bad.any():
            raise self.fault(int(np.argmax(bad)), column, must)

    def numbers(self, column: str) -> FloatArray:
        """A column as numbers; NaN where it is empty. Text is read as the numbers it spells.

        Raises:
            FileError: an entry that spells no number.
        """
        if column not in self._numbers:
            values = self.frame[column]
            if values.dtype.kind in "fiub":
                self._numbers[column] = values.to_numpy(dtype=np.float64, na_value=np.nan)
            else:
                self._numbers[column] = self._spelled(column, values)
        return self._numbers[column]

    def _spelled(self, column: str, values: pd.Series[Any]) -> FloatArray:
        """The nearest numbers to what is spelt."""
        try:
            return values.to_numpy(dtype=object, na_value=np.nan).astype(np.float64)
        except (TypeError, ValueError):
            read = pd.to_numeric(values.astype(object), errors="coerce")
            self.refuse(column, (read.isna() & values.notna()).to_numpy(), _number_remedy(values, read))
            return read.to_numpy(dtype=np.float64)


def _number_remedy(values: pd.Series[Any], read: pd.Series[Any]) -> str:
    wrong = [str(value) for value in values[read.isna() & values.notna()].head(1)]
    if wrong and re.fullmatch(r"\s*-?\d+,\d+\s*", wrong[0]):
        return "write decimals with a point, not a comma"
    if wrong and wrong[0].strip().endswith("%"):
        return "write a number, such as 0.2 for 20 %"
    return "a number is needed"


@dataclass(frozen=True)
class Renaming:
    """`NAME=COLUMN`: a column of the file under one of the suite's names.

    Both may hold the placeholders {model}, {j} and {k}: `p:{model}=prob_{model}` takes `prob_forest` for `p:forest`.
    """

    name: str
    column: str

    @classmethod
    def of(cls, text: str) -> Renaming:
        """From the text of an option.

        Raises:
            UserError: no `=`, an unknown placeholder, or placeholders that differ between the two.
        """
        name, equals, column = text.partition("=")
        if not (name and equals and column):
            raise UserError(
                f"--column {text!r}: write NAME=COLUMN, such as p=probability or p:{{model}}=prob_{{model}}"
            )
        found = [re.findall(r"\{(\w*)\}", part) for part in (name, column)]
        for placeholder in found[0] + found[1]:
            if placeholder not in PLACEHOLDERS:
                known = ", ".join(f"{{{known}}}" for known in PLACEHOLDERS)
                raise UserError(f"--column {text!r}: {{{placeholder}}} stands for nothing; known: {known}")
        if sorted(found[0]) != sorted(found[1]) or len(set(found[0])) < len(found[0]):
            raise UserError(f"--column {text!r}: both sides must hold the same placeholders, each once")
        return cls(name, column)

    def __str__(self) -> str:
        return f"{self.name}={self.column}"

    def renamed(self, columns: Iterable[str]) -> dict[str, str]:
        """Names by column, of those among `columns` that it speaks of."""
        parts = re.split(r"\{(\w+)\}", self.column)
        pattern = "".join(
            f"(?P<{part}>{PLACEHOLDERS[part]})" if i % 2 else re.escape(part) for i, part in enumerate(parts)
        )
        matches = ((column, re.fullmatch(pattern, column)) for column in columns)
        return {
            column: re.sub(r"\{(\w+)\}", lambda found, match=match: match[found[1]], self.name)  # type: ignore[misc]
            for column, match in matches
            if match
        }


def _with_names(path: Path, frame: pd.DataFrame, renamings: Sequence[Renaming], used: set[Renaming]) -> Sheet:
    columns = [str(column) for column in frame.columns]
    names: dict[str, str] = {}
    for renaming in renamings:
        found = renaming.renamed(columns)
        used.update([renaming] if found else [])
        for column, name in found.items():
            if names.get(column, name) != name:
                raise UserError(
                    f"{path}: {column!r} is read as {names[column]!r} and as {name!r}: leave out a --column"
                )
            names[column] = name
    taken = list(names.values())
    for name in taken:
        if taken.count(name) > 1:
            both = [column for column in names if names[column] == name]
            raise UserError(f"{path}: {both[0]!r} and {both[1]!r} are both read as {name!r}: leave out a --column")
    # A column that has the name of another is not the one meant.
    kept = [i for i, column in enumerate(columns) if column in names or column not in taken]
    frame = frame.iloc[:, kept]
    frame.columns = pd.Index([names.get(columns[i], columns[i]) for i in kept])
    return Sheet(path, frame, {name: column for column, name in names.items() if name != column})


def read_frame(path: Path) -> pd.DataFrame:
    """A CSV or Parquet file as a frame.

    Raises:
        FileError: missing, unreadable, empty, or of another type.
    """
    if not path.exists():
        raise FileError(f"{path} does not exist")
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise FileError(f"{path}: predictions are read from .csv or .parquet files, not {suffix or 'this'}")
    is_text = suffix == ".csv"
    try:
        # The nearest double to each decimal, so that a CSV and a Parquet file of the same numbers score the same.
        frame = pd.read_csv(path, float_precision="round_trip") if is_text else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    if is_text and len(frame.columns) == 1 and (found := re.search("[;\t|]", str(frame.columns[0]))):
        raise FileError(f"{path}: columns are separated by {found[0]!r}: write commas, or a Parquet file")
    if frame.empty:
        raise FileError(f"{path} holds no rows")
    # An index with a name, such as row or model, is a column like any other.
    return frame.reset_index(drop=all(name is None for name in frame.index.names))


def read_sheets(paths: Sequence[Path], columns: Sequence[str] = ()) -> list[Sheet]:
    """Files with their columns under the suite's names.

    Args:
        columns: `NAME=COLUMN` for columns that a file calls otherwise, see `Renaming`.

    Raises:
        FileError: a file that is missing, unreadable, empty, of another type, or given twice.
        UserError: a renaming that is none, that no file has a column for, or two that collide.
    """
    renamings = [Renaming.of(text) for text in columns]
    used: set[Renaming] = set()
    resolved = [path.resolve() for path in paths]
    for i, path in enumerate(resolved):
        if path in resolved[:i]:
            raise FileError(f"{paths[i]} is given twice")
    sheets = [_with_names(path, read_frame(path), renamings, used) for path in paths]
    for renaming in renamings:
        if renaming not in used:
            found = sorted({sheet.name(str(column)) for sheet in sheets for column in sheet.frame.columns})
            close = difflib.get_close_matches(renaming.column, found, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"found {', '.join(found)}"
            raise UserError(f"--column {renaming}: no file has a column {renaming.column!r}: {hint}")
    return sheets
