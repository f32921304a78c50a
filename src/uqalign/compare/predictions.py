"""Predictions of several models on the same test sets, from files of any layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqalign.checks import FloatArray
from uqalign.compare.matching import Keys, Label, Stack, keys_of, stacks_of
from uqalign.compare.rows import read_rows
from uqalign.compare.sheets import read_sheets
from uqalign.compare.side import SideColumns
from uqalign.contracts.predictions import SplitResult
from uqalign.errors import UserError
from uqalign.files import FileError
from uqalign.predictions import Prediction
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Repeats:
    """What is repeated, and how the test sets of a repeat go together.

    Attributes:
        unit: "seed", "fold", or "" for a single test set.
        labels: of the repeats, in order.
        folds: test sets of each repeat, which are averaged.
        test_train_ratio: n_test / n_train of one split, 0 where repeats are independent.
    """

    unit: str
    labels: Sequence[Label]
    folds: int
    test_train_ratio: float

    @property
    def several(self) -> bool:
        """Whether anything is repeated at all."""
        return len(self.labels) > 1

    def __str__(self) -> str:
        if not self.several:
            return "one test set"
        if self.unit == "fold":
            return f"{len(self.labels)} folds"
        return f"{len(self.labels)} seeds" + (f" of {self.folds} folds each" if self.folds > 1 else "")


@dataclass(frozen=True, eq=False)
class Predictions:
    """Models side by side.

    Attributes:
        width: classes, or target coordinates.
        y: (n,) or (n, D) targets of all test sets, one after the other.
        by_model: predictions of all test sets, in the order of `y`.
        bounds: repeat, fold, first row and row after the last of every test set.
        sources: the files that each model's predictions come from.
        side: (n,) side information, or None where none was asked for.
        left_out: columns that are no side information because models differ in them.
    """

    task: Task
    width: int
    repeats: Repeats
    y: FloatArray
    by_model: Mapping[str, Prediction]
    bounds: Sequence[tuple[int, int, int, int]]
    sources: Mapping[str, Sequence[Path]]
    side: pd.DataFrame | None = field(default=None, repr=False)
    left_out: Sequence[str] = ()

    @property
    def models(self) -> list[str]:
        """Names of the models, in the order of the files."""
        return list(self.by_model)

    def splits(self, model: str) -> Iterator[SplitResult]:
        """A model's test sets; `seed` and `fold` count from 0."""
        for repeat, fold, start, end in self.bounds:
            prediction = tuple(array[start:end] for array in self.by_model[model])
            yield SplitResult(repeat, fold, np.arange(end - start), self.y[start:end], prediction)


def read_predictions(
    paths: Sequence[Path], task: Task, *, columns: Sequence[str] = (), labels: Sequence[str] | None = None,
    side: Sequence[str] | None = (), test_share: float | None = None,
) -> Predictions:  # fmt: skip
    """The models of some files, side by side.

    Args:
        columns: `NAME=COLUMN` for columns that a file calls otherwise.
        labels: classes in column order, as text.
        side: columns of side information; None: all that remain; (): none.
        test_share: share of the rows that each test set holds, where repeats draw on the same rows; by default 1 /
            folds, and independent repeats without folds.

    Raises:
        UserError: files, columns, rows or values that do not fit; names the place and the remedy.
    """
    if test_share is not None and not 0 < test_share < 1:
        raise UserError(f"--test-share {test_share:g}: a share between 0 and 1 is needed, such as 0.2")
    sheets = read_sheets(paths, columns)
    width, rows = read_rows(sheets, task, labels)
    keys = keys_of(sheets)
    first: Stack | None = None
    beside: SideColumns | None = None
    by_model: dict[str, Prediction] = {}
    sources: dict[str, list[Path]] = {}
    for stack in stacks_of(rows, keys):
        if first is None:
            first = stack
            beside = None if side == () else SideColumns(first, task, width, side)
        elif beside is not None:
            beside.check(stack)
        by_model[stack.model] = stack.prediction
        sources[stack.model] = [part.part.sheet.path for part in stack.parts]
    assert first is not None
    repeats, bounds = _arranged(first, keys, test_share)
    return Predictions(
        task, width, repeats, first.y, by_model, bounds, sources,
        None if beside is None else beside.frame, () if beside is None else beside.left_out,
    )  # fmt: skip


def _arranged(first: Stack, keys: Keys, test_share: float | None) -> tuple[Repeats, list[tuple[int, int, int, int]]]:
    starts = np.flatnonzero(np.diff(first.group, prepend=-1)).tolist()
    ends = [*starts[1:], len(first.group)]
    seeds, folds = np.divmod(first.group[starts], len(keys.folds))
    counts = np.bincount(seeds)
    if len(keys.seeds) > 1:
        if len(set(counts)) > 1:
            most, least = int(np.argmax(counts)), int(np.argmin(counts))
            raise FileError(
                f"seed {keys.seeds[most]} has {counts[most]} folds, seed {keys.seeds[least]} has {counts[least]}: "
                "repeats can only be compared if all have the same number of folds"
            )
        unit, labels, per_repeat = "seed", keys.seeds, int(counts[0])
        number = np.concatenate([np.arange(count) for count in counts])
    elif len(keys.folds) > 1:
        # A fold is the smallest thing that is repeated: the folds of a single cross-validation are its repeats.
        unit, labels, per_repeat = "fold", keys.folds, 1
        seeds, number = folds, np.zeros_like(folds)
    else:
        unit, labels, per_repeat, number = "", [0], 1, folds
    in_all = int(counts[0])
    share = test_share if test_share is not None else 1 / in_all if in_all > 1 else 0.0
    ratio = share / (1 - share)
    bounds = list(zip(seeds.tolist(), number.tolist(), starts, ends, strict=True))
    return Repeats(unit, labels, per_repeat, ratio), bounds
