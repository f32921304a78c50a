"""Test sets: rows of several models that are the same rows, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from uqalign.checks import FloatArray, IntArray
from uqalign.compare.layout import FOLD, ROW, SEED, filled
from uqalign.compare.rows import ModelRows
from uqalign.compare.sheets import Sheet
from uqalign.files import FileError
from uqalign.predictions import Prediction

Label = int | str


@dataclass(frozen=True, eq=False)
class Keys:
    """Seeds, folds and rows of all files as numbers.

    Attributes:
        seeds, folds: labels in ascending order; one label 0 where no file has the column.
        group: per file, (n,) number of the (seed, fold), counting folds fastest.
        row: per file, (n,) number of the row's name, or None where no file has the column.
    """

    seeds: Sequence[Label]
    folds: Sequence[Label]
    group: Mapping[Sheet, IntArray]
    row: Mapping[Sheet, IntArray] | None

    def label(self, group: int) -> str:
        """A (seed, fold) in words."""
        seed, fold = divmod(group, len(self.folds))
        named = [f"seed {self.seeds[seed]}"] if len(self.seeds) > 1 else []
        named += [f"fold {self.folds[fold]}"] if len(self.folds) > 1 else []
        return ", ".join(named) or "the only test set"


def _codes(sheets: Sequence[Sheet], column: str) -> tuple[list[Label], list[IntArray]] | None:
    """The labels of a column over all files, and each file's rows as their numbers; None where no file has it."""
    having = [column in sheet.frame.columns for sheet in sheets]
    if not any(having):
        return None
    if not all(having):
        have, lack = sheets[having.index(True)].path, sheets[having.index(False)].path
        raise FileError(f"{have} has a column {column!r}, {lack} has none: add it to all files, or to none")
    for sheet in sheets:
        filled(sheet, column)
    values = [sheet.frame[column] for sheet in sheets]
    if all(pd.api.types.is_numeric_dtype(v) and (v % 1 == 0).all() for v in values):
        arrays = [v.to_numpy(dtype=np.int64) for v in values]
    else:
        arrays = [v.astype(str).to_numpy(dtype=object) for v in values]
    codes, labels = pd.factorize(np.concatenate(arrays), sort=True)
    ends = np.cumsum([len(array) for array in arrays])
    return labels.tolist(), np.split(codes.astype(np.intp), ends[:-1])


def keys_of(sheets: Sequence[Sheet]) -> Keys:
    """Seeds, folds and rows of all files.

    Raises:
        FileError: a column that some files lack, or that is empty in a row.
    """
    seeds, folds, rows = (_codes(sheets, name) for name in (SEED, FOLD, ROW))
    nothing: list[IntArray] = [np.zeros(len(sheet.frame), dtype=np.intp) for sheet in sheets]
    seed_labels, seed_codes = seeds or ([0], nothing)
    fold_labels, fold_codes = folds or ([0], nothing)
    group = {sheet: s * len(fold_labels) + f for sheet, s, f in zip(sheets, seed_codes, fold_codes, strict=True)}
    return Keys(seed_labels, fold_labels, group, None if rows is None else dict(zip(sheets, rows[1], strict=True)))


@dataclass(frozen=True, eq=False)
class Stack:
    """All rows of one model, by (seed, fold) and row.

    Attributes:
        parts: its rows in each file.
        group, row: (n,) ascending by both; row counts within the (seed, fold) where no file names rows.
        y, prediction: in the same order.
    """

    model: str
    parts: Sequence[ModelRows]
    order: IntArray = field(repr=False)
    group: IntArray = field(repr=False)
    row: IntArray = field(repr=False)
    y: FloatArray = field(repr=False)
    prediction: Prediction = field(repr=False)

    def source(self, i: int) -> tuple[ModelRows, int]:
        """The file, and the position in it, of row `i`."""
        position = int(self.order[i])
        for part in self.parts:
            if position < len(part.y):
                return part, part.part.position(position)
            position -= len(part.y)
        raise IndexError(i)

    def place(self, i: int) -> str:
        """Where row `i` is."""
        part, position = self.source(i)
        return part.part.sheet.place(position)

    def frame(self, columns: Sequence[str]) -> pd.DataFrame:
        """Further columns of its rows, in the order of `y`."""
        parts = [
            p.part.sheet.frame[list(columns)] if p.part.index is None
            else p.part.sheet.frame[list(columns)].iloc[p.part.index]
            for p in self.parts
        ]  # fmt: skip
        return pd.concat(parts, ignore_index=True).iloc[self.order].reset_index(drop=True)


def _within(group: IntArray) -> IntArray:
    """Running number of each row among those of its group, in their order."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    counts = np.diff(np.append(starts, len(group)))
    number = np.empty_like(group)
    number[order] = np.arange(len(group)) - np.repeat(starts, counts)
    return number


def stacked(model: str, parts: Sequence[ModelRows], keys: Keys) -> Stack:
    """A model's rows of all files, sorted.

    Raises:
        FileError: a row that is there twice, or a (seed, fold) of rows without names that two files speak of.
    """

    def chosen(part: ModelRows, values: IntArray) -> IntArray:
        return values if part.part.index is None else values[part.part.index]

    groups = [chosen(part, keys.group[part.part.sheet]) for part in parts]
    if keys.row is None:
        _refuse_overlap(model, parts, groups, keys)
        rows = [_within(group) for group in groups]
    else:
        rows = [chosen(part, keys.row[part.part.sheet]) for part in parts]
    group, row = np.concatenate(groups), np.concatenate(rows)
    order: IntArray = np.lexsort((row, group))
    y = np.concatenate([part.y for part in parts])
    columns = list(zip(*(part.prediction for part in parts), strict=True))
    prediction = tuple(np.concatenate(column)[order] for column in columns)
    stack = Stack(model, parts, order, group[order], row[order], y[order], prediction)
    twice = (np.diff(stack.group) == 0) & (np.diff(stack.row) == 0)
    if twice.any():
        i = int(np.argmax(twice))
        part, position = stack.source(i)
        value = part.part.sheet.frame[ROW].iloc[position]
        raise FileError(
            f"model {model!r}, {keys.label(int(stack.group[i]))}: row {value} is there twice, {stack.place(i)} and "
            f"{stack.place(i + 1)}: leave one out, or tell them apart by a column 'seed' or 'fold'"
        )
    return stack


def _refuse_overlap(model: str, parts: Sequence[ModelRows], groups: Sequence[IntArray], keys: Keys) -> None:
    seen: dict[int, ModelRows] = {}
    for part, codes in zip(parts, groups, strict=True):
        for group in np.unique(codes).tolist():
            if group in seen:
                raise FileError(
                    f"model {model!r}, {keys.label(group)}: rows in {seen[group].part.sheet.path} and in "
                    f"{part.part.sheet.path}: name models by a column 'model' (or by the files' names), repeats by "
                    "'seed' or 'fold', or rows by 'row'"
                )
            seen[group] = part


def stacks_of(found: Sequence[ModelRows], keys: Keys) -> Iterator[Stack]:
    """Every model's rows, each model once, checked against the first one's.

    Raises:
        FileError: rows that are there twice, test sets or rows that only some models have, or truths that differ.
    """
    by_model: dict[str, list[ModelRows]] = {}
    for rows in found:
        by_model.setdefault(rows.part.model, []).append(rows)
    first: Stack | None = None
    for model, parts in by_model.items():
        stack = stacked(model, parts, keys)
        if first is None:
            first = stack
        else:
            check_same_rows(first, stack, keys)
            check_same_truth(first, stack, keys)
        yield stack


def check_same_rows(first: Stack, other: Stack, keys: Keys) -> None:
    """Refuse two models that were not tested on the same rows.

    Raises:
        FileError: names the test set, the row and the model that lacks it.
    """
    if np.array_equal(first.group, other.group) and np.array_equal(first.row, other.row):
        return
    for a, b in ((first, other), (other, first)):
        lacking = sorted({*a.group.tolist()} - {*b.group.tolist()})
        if lacking:
            raise FileError(
                f"model {b.model!r} has no predictions of {keys.label(lacking[0])}, which model {a.model!r} has: add "
                f"them, or leave {keys.label(lacking[0])} out of all models"
            )
    if keys.row is None:
        counts = [np.bincount(stack.group) for stack in (first, other)]
        group = int(np.argmax(counts[0] != counts[1]))
        raise FileError(
            f"{keys.label(group)}: model {first.model!r} has {counts[0][group]} rows, model {other.model!r} has "
            f"{counts[1][group]}: all models must predict the same test rows"
        )
    size = 1 + max(int(first.row.max()), int(other.row.max()))
    for a, b in ((first, other), (other, first)):
        only = ~np.isin(a.group * size + a.row, b.group * size + b.row)
        if only.any():
            i = int(np.argmax(only))
            part, position = a.source(i)
            raise FileError(
                f"{a.place(i)}: model {a.model!r} predicts row {part.part.sheet.frame[ROW].iloc[position]} of "
                f"{keys.label(int(a.group[i]))}, model {b.model!r} does not ({int(only.sum())} such rows): all models "
                "must predict the same test rows"
            )


def check_same_truth(first: Stack, other: Stack, keys: Keys) -> None:
    """Refuse two models that were told different truths of a row.

    Raises:
        FileError: names both places, both values and what to do.
    """
    differ = (first.y != other.y).reshape(len(first.y), -1).any(axis=1)
    if differ.any():
        i = int(np.argmax(differ))
        remedy = (
            "mend one of the files" if keys.row is not None
            else "rows without names are matched by their order: sort all models alike, or name rows in a column 'row'"
        )  # fmt: skip
        raise FileError(
            f"the truth differs: {first.place(i)} says {_plain(first.y[i])} (model {first.model!r}), {other.place(i)} "
            f"says {_plain(other.y[i])} (model {other.model!r}), {int(differ.sum())} such rows: {remedy}"
        )


def _plain(value: FloatArray) -> object:
    return np.asarray(value).tolist()
