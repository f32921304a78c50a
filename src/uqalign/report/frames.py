"""The frames that a page is built from, and their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.files import FileError, read_parquet, write_parquet

if TYPE_CHECKING:
    import pandas as pd

CURVE_COLUMNS = ["task", "dataset", "curve", "family", "parameter", "model", "x", "y", "low", "high", "rows"]
"""One row per point. curve: decision (realised utility y of the family's decisions at parameter x), reliability
(observed frequency y by mean forecast x), retention (mean error y of the share x kept) or coverage (share y of targets
inside the interval of level x). low, high: 5 % and 95 % quantiles over repeats, NaN without them; rows: mean number of
test rows of a repeat behind the point (reliability only). Models `never act` and `always act` are references."""

STANDING_COLUMNS = [
    "task", "dataset", "kind", "name", "model", "mean", "low", "high", "behind", "behind_low", "behind_high", "seeds",
]  # fmt: skip
"""One row per measure and model. kind: metric | utility; name: the metric or the decision family, whose decisions are
averaged; mean: over folds, then repeats, with its interval; behind: how much worse than the model of best mean."""

FIT_COLUMNS = ["task", "dataset", "model", "seed", "fold", "seconds", "error", "device", "code", "versions"]
"""One row per fit. error: why it failed, or ""; versions: of the libraries it was made with, as JSON."""


def write_frame(path: Path, frame: pd.DataFrame, kind: str, columns: Sequence[str], about: Mapping[str, Any]) -> None:
    """Write one kind of frame."""
    write_parquet(frame[list(columns)], path, {"kind": kind, **about})


def read_frames(paths: Iterable[Path], kind: str, columns: Sequence[str]) -> pd.DataFrame:
    """Files of one kind as one frame; empty without files.

    Raises:
        FileError: missing, damaged, or of another kind or version.
    """
    import pandas as pd

    frames = []
    for path in paths:
        remedy = f"remove it and run again (rm {path})"
        frame, metadata = read_parquet(path, remedy)
        if metadata.get("kind") != kind or list(frame.columns) != list(columns):
            raise FileError(f"{path} is no file of {kind} of this version: {remedy}")
        frames.append(frame)
    kept = [frame for frame in frames if len(frame)] or frames[:1]
    return pd.concat(kept, ignore_index=True) if kept else pd.DataFrame(columns=list(columns))
