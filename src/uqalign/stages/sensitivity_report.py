"""Tables and pictures of the sensitivity analysis of one task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.contracts.sensitivity import LEVEL_COLUMNS, SURFACE_COLUMNS, read_table
from uqalign.families import families_of
from uqalign.files import write_text
from uqalign.metrics.select import selected
from uqalign.reporting.figures import save_figure
from uqalign.sensitivity.figures import best_chart, levels_chart, surfaces_chart
from uqalign.sensitivity.grid import maps_of
from uqalign.sensitivity.summary import best_metrics, best_shares, level_summary, level_taus, peaks, with_pooled
from uqalign.sensitivity.tables import best_markdown, levels_markdown, surfaces_markdown
from uqalign.stages.common import check_code, parse_spec

if TYPE_CHECKING:
    import pandas as pd


def run(*, files: Sequence[Path], spec: str, code: str, tables: Path, figures: Path) -> str:
    """Write the tables and pictures of a task into the two folders.

    Args:
        files: files of alignments by level, then as many files of surfaces.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    task, datasets = orders["task"], orders["datasets"]
    half = len(files) // 2
    taus = level_taus(_read(files[:half], "levels", LEVEL_COLUMNS))
    surfaces = with_pooled(_read(files[half:], "surfaces", SURFACE_COLUMNS))
    titles = {name: metric.title for name, metric in selected(task, orders["metrics"]).items()}
    families = {family.name: family.title for family in families_of(task)}
    maps = maps_of(task)

    summary = level_summary(taus, datasets, list(titles))
    best = best_metrics(surfaces, list(titles))
    highest = peaks(surfaces, maps, list(titles))
    texts = {
        f"levels_{task}.csv": summary.to_csv(index=False),
        f"levels_{task}.md": levels_markdown(summary, families, titles, taus["seed"].nunique()),
        f"surfaces_{task}.csv": surfaces.to_csv(index=False),
        f"surfaces_{task}.md": surfaces_markdown(highest, surfaces, maps, titles),
        f"best_{task}.csv": best.to_csv(index=False),
        f"best_{task}.md": best_markdown(best_shares(best), maps, titles),
    }
    for name, text in texts.items():
        write_text(tables / name, text)
    charts = {
        "levels": levels_chart(taus, titles, families),
        "surfaces": surfaces_chart(surfaces, maps, titles),
        "surfaces_by_dataset": surfaces_chart(surfaces, maps, titles, datasets),
        "best": best_chart(best, maps, titles, datasets),
    }
    for name, chart in charts.items():
        for suffix in ("pdf", "png"):
            save_figure(chart, figures / f"{name}_{task}.{suffix}")
    return f"{task}: {len(maps)} maps of {len(titles)} metrics on {len(datasets)} data sets"


def _read(paths: Sequence[Path], kind: str, columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    frames = [read_table(path, kind, columns)[0] for path in paths]
    return pd.concat([part for part in frames if len(part)] or frames[:1], ignore_index=True)
