"""Side information: further columns that a decision of one's own looks at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from uqalign.compare.layout import BASES, KEYS
from uqalign.compare.matching import Stack
from uqalign.compare.sheets import Sheet
from uqalign.errors import UserError
from uqalign.registry import did_you_mean
from uqalign.tasks import Task, target_columns

if TYPE_CHECKING:
    import pandas as pd


def remaining(sheet: Sheet, task: Task, width: int) -> list[str]:
    """Columns of a file that are no target, prediction, or name of a model, seed, fold or row."""
    claimed = {*target_columns(task, width), *KEYS}
    columns = [str(column) for column in sheet.frame.columns]
    return [name for name in columns if name not in claimed and not re.fullmatch(rf"({BASES[task]})(:.+)?", name)]


class SideColumns:
    """The side information of all models' rows: taken from the first model, and the same for every other.

    Args:
        names: columns that are wanted; None: all that remain, without those that differ between models.

    Attributes:
        frame: (n,) rows of the first model, sorted.
        left_out: columns that differ between models.
    """

    def __init__(self, first: Stack, task: Task, width: int, names: Sequence[str] | None) -> None:
        common = [remaining(part.part.sheet, task, width) for part in first.parts]
        found = [name for name in common[0] if all(name in other for other in common)]
        self._wanted = names is not None
        for name in names or ():
            if name not in found:
                what = did_you_mean(name, found) if found else "no column remains beside targets and predictions"
                raise UserError(f"--side {name}: {first.parts[0].part.sheet.path} has no such column: {what}")
        self._first = first
        self.frame: pd.DataFrame = first.frame(found if names is None else list(dict.fromkeys(names)))
        self.left_out: list[str] = []

    def check(self, other: Stack) -> None:
        """Compare with what another model's files say of the same rows, where they say it.

        Raises:
            UserError: a wanted column differs.
        """
        if {part.part.sheet for part in other.parts} == {part.part.sheet for part in self._first.parts} and all(
            part.part.index is None for part in other.parts
        ):
            return
        names = [n for n in self.frame.columns if all(n in part.part.sheet.frame.columns for part in other.parts)]
        theirs = other.frame(names)
        for name in names:
            differ = _different(self.frame[name], theirs[name])
            if not differ.any():
                continue
            if self._wanted:
                i = int(np.argmax(differ))
                here, there = self.frame[name].iloc[i], theirs[name].iloc[i]
                raise UserError(
                    f"--side {name}: {self._first.place(i)} says {here} (model {self._first.model!r}), "
                    f"{other.place(i)} says {there} (model {other.model!r}): side information is about the row, not "
                    "about the model"
                )
            self.left_out.append(name)
            self.frame = self.frame.drop(columns=name)


def _different(a: pd.Series[Any], b: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    same = (a.to_numpy() == b.to_numpy()) | (a.isna().to_numpy() & b.isna().to_numpy())
    return np.asarray(~same, dtype=np.bool_)
