"""What a table holds, and whether that is what was declared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np

from uqalign.data.declare import Facts
from uqalign.data.errors import FactsError
from uqalign.data.table import Table
from uqalign.tasks import CLASSIFICATION

TOLERANCE = 1e-6
"""Relative difference up to which target moments agree (declarations are rounded)."""


def facts_of(table: Table, *, raw_rows: int | None = None) -> Facts:
    """The facts of `table` as a declaration would state them."""
    size = {
        "rows": len(table),
        "features": table.features.shape[1],
        "raw_rows": raw_rows,
        "missing": int(table.features.isna().to_numpy().sum()),
    }
    if table.task in CLASSIFICATION:
        counts = np.bincount(table.target.astype(np.intp), minlength=len(table.classes))
        return Facts(**size, class_counts=dict(zip(table.classes, counts.tolist(), strict=True)))  # type: ignore[arg-type]
    target = table.target.reshape(len(table), -1)
    return Facts(
        **size,  # type: ignore[arg-type]
        target_mean=tuple(target.mean(axis=0).tolist()),
        target_std=tuple(target.std(axis=0).tolist()),
    )


def check_facts(table: Table, declared: Facts, *, raw_rows: int | None = None) -> None:
    """Compare what `table` holds with what was declared.

    Raises:
        FactsError: lists every fact that differs, expected and found.
    """
    found = facts_of(table, raw_rows=raw_rows)
    lines = []
    for field in dataclasses.fields(Facts):
        expected, actual = getattr(declared, field.name), getattr(found, field.name)
        if field.name == "raw_rows" and expected is None:
            continue
        if not _agree(expected, actual):
            lines.append(f"  {field.name}: expected {_shown(expected)}, found {_shown(actual)}")
    if lines:
        place = table.source.get("place", "unknown")
        raise FactsError(
            f"data set {table.name!r} is not the one declared (source: {place}):\n"
            + "\n".join(lines)
            + "\nIts file or its cleaning has changed: compare both before correcting the declared facts."
        )


def _agree(expected: object, actual: object) -> bool:
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        return len(expected) == len(actual) and all(
            math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12) for a, b in zip(expected, actual, strict=True)
        )
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return dict(expected) == dict(actual)
    return expected == actual


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {count}" for key, count in value.items()) + "}"
    return str(value)
