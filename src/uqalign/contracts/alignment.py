"""Alignment files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.agreement import AGREEMENTS
from uqalign.files import FileError, read_parquet

if TYPE_CHECKING:
    import pandas as pd

ALIGNMENT_COLUMNS = ["task", "dataset", "seed", "family", "theta", "metric", *AGREEMENTS, "models", "note"]
"""One row per seed, decision and metric, over the `models` models that have both values: Kendall's tau-b (tau), the
Jaccard overlap of the one and of the three best models (top_1, top_3), Pearson's rho with the metric turned so that
higher is better (pearson). NaN where undefined; the note says why."""


def read_alignment(paths: Sequence[Path]) -> pd.DataFrame:
    """Alignment files as one frame.

    Raises:
        FileError: missing, damaged, or not alignment files.
    """
    import pandas as pd

    frames = []
    for path in paths:
        remedy = f"remove it and run again (rm {path})"
        frame, metadata = read_parquet(path, remedy)
        if metadata.get("kind") != "alignment" or list(frame.columns) != ALIGNMENT_COLUMNS:
            raise FileError(f"{path} is no alignment file of this version: {remedy}")
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
