"""Files of the audit: measures of one model, taus and ties of one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.audit.measures import MEASURE_COLUMNS
from uqalign.files import FileError, read_parquet, write_parquet

if TYPE_CHECKING:
    import pandas as pd

TAU_COLUMNS = ["dataset", "setting", "seed", "family", "metric", "tau", "defined", "decisions"]
"""One row per setting, seed and metric: mean of Kendall's tau over the family's decisions that have one."""

WITHOUT_COLUMNS = ["dataset", "setting", "without", "family", "metric", "median"]
"""One row per model left out: median over seeds of the tau of the other models."""

TIE_COLUMNS = ["dataset", "theta", "q", "k", "rows", "tied", "all_tied", "seeds"]
"""One row per top-k decision: the share of pairs of models of equal utility, and the seeds in which all are equal."""

ORDER_COLUMNS = ["dataset", "setting", "metric", "alphabetical", "q05", "q50", "q95", "best", "orders"]
"""One row per metric: its median tau for the alphabetical and for random orders of the models (quantiles over orders),
and the share of the random orders in which it is the best metric."""

KINDS: Mapping[str, list[str]] = {
    "measures": MEASURE_COLUMNS,
    "taus": TAU_COLUMNS,
    "without": WITHOUT_COLUMNS,
    "ties": TIE_COLUMNS,
    "orders": ORDER_COLUMNS,
}


def write(path: Path, kind: str, frame: pd.DataFrame, metadata: Mapping[str, Any]) -> None:
    """Write an audit file of one of `KINDS`."""
    write_parquet(frame[KINDS[kind]], path, {"kind": f"audit_{kind}", **metadata})


def of_kind(paths: Sequence[Path], kind: str) -> list[Path]:
    """The files of one kind: those that lie in its folder, `kind/task/dataset.parquet`."""
    return [path for path in paths if path.parts[-3] == kind]


def read(paths: Sequence[Path], kind: str) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Audit files of one kind as one frame, and their metadata.

    Raises:
        FileError: missing, damaged, or of another kind.
    """
    import pandas as pd

    frames, metadata = [], []
    for path in paths:
        remedy = f"remove it and run again (rm {path})"
        frame, about = read_parquet(path, remedy)
        if about.get("kind") != f"audit_{kind}" or list(frame.columns) != KINDS[kind]:
            raise FileError(f"{path} is no file of the audit's {kind} of this version: {remedy}")
        frames.append(frame)
        metadata.append(about)
    if not frames:
        return pd.DataFrame(columns=KINDS[kind]), metadata
    return pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True), metadata
