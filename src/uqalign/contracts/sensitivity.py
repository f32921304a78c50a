"""Files of the sensitivity analysis: utilities of a prediction cache, alignments by level, and surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.agreement import AGREEMENTS
from uqalign.files import FileError, read_parquet, write_parquet

if TYPE_CHECKING:
    import pandas as pd

UTILITY_COLUMNS = ["seed", "fold", "family", "kind", "name", "point", "theta", "value", "note"]
"""One row per split and utility, higher is better. kind: decision (a decision drawn from the priors of level `name`;
point: which draw; theta: the decision), level (expected utility under the priors of level `name`; point: its number),
map (expected utility under prior number `point` of the parameter `name`). value: NaN where undefined; note: why."""

LEVEL_COLUMNS = ["dataset", "seed", "family", "level", "source", "theta", "metric", *AGREEMENTS, "models", "note"]
"""One row per seed, utility and metric. source: draws (a decision theta drawn from the level's priors) or exact (the
expected utility under them)."""

SURFACE_COLUMNS = [
    "dataset", "family", "parameter", "mode", "concentration", "a", "b", "metric",
    "mean", "median", "q05", "q95", "defined", "expected",
]  # fmt: skip
"""One row per point of a map and metric: Kendall's tau-b between metric and expected utility over the seeds in which
it is defined, out of those expected; NaN where in none."""


def write_table(
    path: Path, frame: pd.DataFrame, kind: str, columns: Sequence[str], metadata: Mapping[str, Any]
) -> None:
    """Write one kind of file."""
    write_parquet(frame[list(columns)], path, {"kind": kind, **metadata})


def read_table(path: Path, kind: str, columns: Sequence[str]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The frame and the metadata of one file.

    Raises:
        FileError: missing, damaged, or of another kind or version.
    """
    remedy = f"remove it and run again (rm {path})"
    frame, metadata = read_parquet(path, remedy)
    if metadata.get("kind") != kind or list(frame.columns) != list(columns):
        raise FileError(f"{path} is no file of {kind} of this version: {remedy}")
    return frame, metadata
