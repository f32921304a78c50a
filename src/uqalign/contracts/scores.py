"""Score files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.files import FileError, read_parquet, write_parquet

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = ["task", "dataset", "model", "seed", "fold", "kind", "name", "theta", "value", "note"]
"""One row per split and measure. kind: metric | utility; name: the metric or the decision family; theta: the decision
(canonical text, "" for metrics); value: NaN where undefined; note: why, or what was clipped."""


def write_scores(path: Path, frame: pd.DataFrame, metadata: Mapping[str, Any]) -> None:
    """Write a score file."""
    write_parquet(frame[SCORE_COLUMNS], path, {"kind": "scores", **metadata})


def read_scores(paths: Sequence[Path]) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Score files as one frame, and their splits' statuses (model, dataset, seed, fold, error, seconds).

    Raises:
        FileError: missing, damaged, or not score files.
    """
    import pandas as pd

    frames, statuses = [], []
    for path in paths:
        remedy = f"remove it and run again (rm {path})"
        frame, metadata = read_parquet(path, remedy)
        if metadata.get("kind") != "scores" or list(frame.columns) != SCORE_COLUMNS:
            raise FileError(f"{path} is no score file of this version: {remedy}")
        frames.append(frame)
        statuses += metadata["splits"]
    return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True), statuses
