"""What was inferred about a table, and what in it looks wrong before anything is trained on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.data.errors import SplitError
from uqalign.data.splits import fold_assignment
from uqalign.data.table import Table
from uqalign.tasks import CLASSIFICATION

FOLDS = 5
MOSTLY_MISSING = 0.5
MANY_LEVELS = 50
RARE_SHARE = 0.01
FEW_CODES = 10
DISTINCT_SHARE = 0.5


@dataclass(frozen=True)
class Finding:
    """Something to look at: `wrong` spoils results, `look` may be meant so."""

    severity: Literal["wrong", "look"]
    subject: str
    message: str


def inspect_table(table: Table) -> list[Finding]:
    """All findings about `table`, the grave ones first."""
    found = [
        *_columns(table),
        *_leaks(table),
        *_duplicates(table),
        *_target(table),
        *_roles(table),
    ]
    return sorted(found, key=lambda finding: finding.severity != "wrong")


def _columns(table: Table) -> Iterator[Finding]:
    n = len(table)
    for column, kind in table.kinds.items():
        values = table.features[column]
        missing = int(values.isna().sum())
        distinct = int(values.nunique())
        if missing == n:
            yield Finding("wrong", column, "is missing in every row: drop it")
            continue
        if distinct == 1:
            only = values.dropna().iloc[0]
            shown = repr(only) if kind == "categorical" else f"{only:g}"
            yield Finding("look", column, f"is constant ({shown}): it carries no information")
        if missing > MOSTLY_MISSING * n:
            yield Finding("look", column, f"is missing in {missing / n:.0%} of the rows")
        if kind == "categorical":
            yield from _levels(column, values, distinct, n)
        elif n > FEW_CODES and distinct == n and values.max() - values.min() == n - 1:
            yield Finding("wrong", column, "numbers the rows: drop it")
        elif 2 < distinct <= FEW_CODES and bool((values.dropna() % 1 == 0).all()):
            yield Finding("look", column, f"holds {distinct} whole numbers: if they are codes, declare it categorical")


def _levels(column: str, values: pd.Series[Any], distinct: int, n: int) -> Iterator[Finding]:
    if distinct == n and n > FEW_CODES:
        yield Finding("wrong", column, "has another level in every row: an identifier? drop it")
    elif distinct > max(MANY_LEVELS, n // 20):
        yield Finding("look", column, f"has {distinct} levels, each of which becomes a column")
    folded: dict[str, set[str]] = {}
    for level in values.dropna().unique():
        folded.setdefault(" ".join(str(level).casefold().split()), set()).add(str(level))
    for same in folded.values():
        if len(same) > 1:
            names = ", ".join(map(repr, sorted(same)))
            yield Finding("look", column, f"has levels that differ only in case or blanks: {names}")


def _leaks(table: Table) -> Iterator[Finding]:
    targets = table.target.reshape(len(table), -1)
    for column in table.kinds:
        codes, _ = pd.factorize(table.features[column], use_na_sentinel=False)
        for d, name in enumerate(table.target_names):
            reason = _leak(table, column, codes, targets[:, d])
            if reason:
                yield Finding("wrong", column, f"{reason} the target {name!r}: does it leak?")


def _leak(table: Table, column: str, codes: npt.NDArray[Any], target: npt.NDArray[np.float64]) -> str:
    values = table.features[column]
    if table.kinds[column] == "numeric" and np.array_equal(values.to_numpy(), target):
        return "equals"
    _, classes = np.unique(target, return_inverse=True)
    n_levels, n_classes = int(codes.max()) + 1, int(classes.max()) + 1
    n_pairs = len(np.unique(codes.astype(np.int64) * n_classes + classes))
    if n_levels == n_classes == n_pairs > 1:
        # Distinct numbers pair up one to one by nature; there, only a pairing that keeps the order tells.
        if n_classes < DISTINCT_SHARE * len(table):
            return "is a one-to-one image of"
        if table.kinds[column] == "numeric" and not values.isna().any():
            steps = np.diff(target[np.argsort(values.to_numpy(), kind="stable")])
            if (steps >= 0).all() or (steps <= 0).all():
                return "is a one-to-one image of"
    if table.task in CLASSIFICATION and table.kinds[column] == "numeric" and not values.isna().any():
        order = np.lexsort((classes, values.to_numpy()))
        runs = 1 + int((np.diff(classes[order]) != 0).sum())
        # A tie that crosses a class boundary shows as more pairs than levels.
        if runs == n_classes > 1 and n_pairs == n_levels:
            return "separates all classes of"
    return ""


def _duplicates(table: Table) -> Iterator[Finding]:
    keys = pd.util.hash_pandas_object(table.features, index=False).to_numpy()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    repeated = len(table) - len(first)
    if not repeated:
        return
    try:
        folds = fold_assignment(table, n_folds=FOLDS, seed=0)
    except SplitError:
        return
    pairs = np.unique(inverse.astype(np.int64) * (FOLDS + 1) + folds)
    n_folds_of = np.bincount(pairs // (FOLDS + 1), minlength=len(first))
    seen = int((n_folds_of[inverse] > 1).sum())
    yield Finding(
        "look",
        "rows",
        f"{repeated} repeat the features of an earlier row; with {FOLDS} shuffled folds {seen} of {len(table)} rows "
        "are tested after training on an identical one",
    )


def _target(table: Table) -> Iterator[Finding]:
    if table.task in CLASSIFICATION:
        counts = np.bincount(table.target.astype(np.intp), minlength=len(table.classes))
        if (counts > 0).sum() < 2:
            yield Finding("wrong", "target", "has one class only: there is nothing to predict")
        for name, count in zip(table.classes, counts.tolist(), strict=True):
            if count < FOLDS:
                yield Finding("wrong", "target", f"class {name!r} has {count} rows, too few for {FOLDS} folds")
            elif count < RARE_SHARE * len(table):
                yield Finding("look", "target", f"class {name!r} has {count} of {len(table)} rows")
        return
    for d, name in enumerate(table.target_names):
        values = table.target.reshape(len(table), -1)[:, d]
        if values.std() == 0:
            yield Finding("wrong", name, "is constant: there is nothing to predict")
        elif len(np.unique(values)) <= FEW_CODES:
            yield Finding("look", name, f"takes {len(np.unique(values))} values only: a regression all the same?")


def _roles(table: Table) -> Iterator[Finding]:
    if table.group is not None:
        n_groups = len(set(table.group.tolist()))
        if n_groups < FOLDS:
            yield Finding("wrong", "group", f"has {n_groups} groups, too few for {FOLDS} grouped folds")
        elif n_groups == len(table):
            yield Finding("look", "group", "has one row per group: grouped folds are shuffled folds")
        else:
            yield Finding("look", "group", f"{n_groups} groups: compare `split: grouped` with shuffled folds")
    if table.time is not None:
        yield Finding("look", "time", "rows are ordered in time: compare `split: blocked` with shuffled folds")
