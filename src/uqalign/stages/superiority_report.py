"""Select epochs offline, and write the tables and pictures of the checkpoint study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.files import FileError, read_parquet
from uqalign.reporting.figures import save_figure
from uqalign.stages.common import check_code, parse_spec
from uqalign.superiority.figures import differences_figure, frontier_figure, monitors_figure
from uqalign.superiority.report import study_tables, write_tables


def run(*, measures: Sequence[Path], spec: str, code: str, tables: Path, figures: Path) -> str:
    """Write every table into the folder `tables` and every picture into `figures`.

    Raises:
        FileError: files that are missing, damaged or of another kind.
    """
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    frames = []
    for path in measures:
        remedy = f"remove it and run again (rm {path})"
        frame, metadata = read_parquet(path, remedy)
        if metadata.get("kind") != "epoch measures":
            raise FileError(f"{path} holds {metadata.get('kind')!r}, not epoch measures: {remedy}")
        frames.append(frame)
    found, selections = study_tables(pd.concat(frames, ignore_index=True), orders["patience"])
    write_tables(found, tables)
    pictures = {
        "frontier": frontier_figure(found["frontier"]),
        "differences": differences_figure(selections),
        "monitors": monitors_figure(found["monitors"]),
    }
    for name, chart in pictures.items():
        for kind in ("pdf", "png"):
            save_figure(chart, figures / f"{name}.{kind}")
    informative = int(found["cells"]["informative"].sum())
    return f"{len(frames)} cells, {informative} informative, {len(selections)} selections"
