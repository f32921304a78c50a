"""Boxplots of alignment for the decision families of one task: Kendall's tau, and the agreements of the ablation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import seed_means
from uqalign.contracts.alignment import read_alignment
from uqalign.families import families_of
from uqalign.metrics.select import selected
from uqalign.reporting.figures import alignment_boxplot, save_formats
from uqalign.reporting.names import BOXPLOTS
from uqalign.stages.common import check_code, parse_spec


def run(*, alignments: Sequence[Path], spec: str, code: str, folder: Path) -> str:
    """Write the boxplots of every agreement to `folder`.

    Raises:
        FileError: alignment files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    alignment = read_alignment(alignments)
    task = orders["task"]
    families = {family.name: family.title for family in families_of(task)}
    metrics = selected(task, orders["metrics"])
    titles = {name: metric.title for name, metric in metrics.items()}
    weighted = [name for name, metric in metrics.items() if metric.family == "decision"]
    for name, agreement in BOXPLOTS.items():
        chart = alignment_boxplot(seed_means(alignment, agreement), titles, families, weighted, agreement)
        save_formats(chart, folder, f"{name}_{task}")
    return f"{task}: {len(families)} panels, {len(titles)} metrics"
