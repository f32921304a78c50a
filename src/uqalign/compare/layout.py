"""Which columns are whose: the rule by which columns are named, and the rows of every model.

A file has the target `y` (multivariate: `y_0 ..`) and, per model, the prediction columns of its task:

    binary        p
    multiclass    p_0 p_1 ..
    regression    mu and var, or mu and std
    multivariate  mu_0 .., cov_0_0 cov_1_0 cov_1_1 .. (lower triangle)

Wide: several models side by side, each column with its model behind a colon, `p:forest p:logreg`. Long: one below the
other, told apart by a column `model`. Neither: one model, called as the file. Rows may carry `seed`, `fold` and `row`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from uqalign.checks import IntArray
from uqalign.compare.sheets import Sheet
from uqalign.files import FileError
from uqalign.tasks import Task, prediction_columns, target_columns

MODEL, SEED, FOLD, ROW = KEYS = ("model", "seed", "fold", "row")

BASES: Mapping[Task, str] = {
    "binary": r"p",
    "multiclass": r"p_\d+",
    "regression": r"mu|var|std",
    "multivariate": r"mu_\d+|cov_\d+_\d+",
}
"""Prediction columns of each task."""


@dataclass(frozen=True, eq=False)
class Part:
    """One model's rows in one file.

    Attributes:
        index: positions of its rows in the file; None: all.
        columns: name in the sheet of each prediction column.
    """

    model: str
    sheet: Sheet
    index: IntArray | None
    columns: Mapping[str, str]

    def position(self, i: int) -> int:
        """Where in the file its row `i` is."""
        return i if self.index is None else int(self.index[i])


def parts_of(sheet: Sheet, task: Task) -> Iterator[Part]:
    """Each model's rows, in the order of the file.

    Raises:
        FileError: a file that mixes the layouts, or a row without a model.
    """
    columns = [str(column) for column in sheet.frame.columns]
    wide = [match for column in columns if (match := re.fullmatch(rf"({BASES[task]}):(.+)", column))]
    plain = {column: column for column in columns if re.fullmatch(BASES[task], column)}
    if not wide:
        if MODEL in columns:
            filled(sheet, MODEL)
            codes, models = pd.factorize(sheet.frame[MODEL])
            order = np.argsort(codes, kind="stable")
            ends = np.cumsum(np.bincount(codes, minlength=len(models)))
            for model, index in zip(models, np.split(order, ends[:-1]), strict=True):
                yield Part(str(model), sheet, index, plain)
        else:
            yield Part(sheet.path.stem, sheet, None, plain)
        return
    if plain or MODEL in columns:
        mixed = next(iter(plain), MODEL)
        raise FileError(
            f"{sheet.path}: the columns {sheet.name(mixed)!r} and {sheet.name(wide[0].string)!r} do not go together: "
            "name models in every prediction column, or in one column 'model', not both"
        )
    for model in dict.fromkeys(match[2] for match in wide):
        yield Part(model, sheet, None, {match[1]: match.string for match in wide if match[2] == model})


def filled(sheet: Sheet, column: str) -> None:
    """Refuse rows that grouping would silently leave out.

    Raises:
        FileError: the column is empty in some row.
    """
    sheet.refuse(column, sheet.frame[column].isna().to_numpy(), "fill the column in every row, or leave it out")


def width_of(part: Part, task: Task) -> int:
    """Number of classes (at least 3) or of target coordinates that a model's columns speak of."""
    if task in ("binary", "regression"):
        return 2 if task == "binary" else 1
    pattern, least = (r"p_\d+", 3) if task == "multiclass" else (r"mu_\d+", 1)
    return max(least, sum(bool(re.fullmatch(pattern, column)) for column in part.columns))


def require(part: Part, task: Task, width: int) -> None:
    """Refuse a model without all columns of its task; `std` may stand for `var`.

    Raises:
        FileError: names the missing column, what was found, and what may be meant.
    """
    names = [str(column) for column in part.sheet.frame.columns]
    targets, wanted = target_columns(task, width), prediction_columns(task, width)
    if task == "regression" and "std" in part.columns and "var" not in part.columns:
        wanted = ["mu", "std"]
    behind = f":{part.model}" if any(name != base for base, name in part.columns.items()) else ""
    missing = [name + behind for name in wanted if name not in part.columns]
    missing += [name for name in targets if name not in names]
    if missing:
        claimed = {*targets, *KEYS}
        free = [n for n in names if n not in claimed and not re.fullmatch(rf"({BASES[task]})(:.+)?", n)]
        raise FileError(
            f"{part.sheet.path}: a {task} table needs the column {missing[0]!r} "
            f"({', '.join([*targets, *(name + behind for name in wanted)])}); "
            f"found {', '.join(map(part.sheet.name, names))}: {_remedy(missing[0], free, task)}"
        )


def _remedy(missing: str, free: Sequence[str], task: Task) -> str:
    if task == "binary" and missing == "p" and "p_1" in free:
        return "binary tables hold the probability of class 1 alone, --column p=p_1"
    per_model = [name for name in free if re.match(rf"{re.escape(missing)}[_.-].", name)]
    if per_model:
        separator = per_model[0][len(missing)]
        return f"if {per_model[0]!r} is a model's, --column '{missing}:{{model}}={missing}{separator}{{model}}'"
    close = difflib.get_close_matches(missing, free, n=1, cutoff=0.35)
    if close:
        return f"did you mean {close[0]!r}? Then --column {missing}={close[0]}"
    return f"say which it is, --column {missing}=NAME"
