"""Boxplots of alignment for the decision families of one task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import seed_taus
from uqalign.contracts.alignment import read_alignment
from uqalign.families import FAMILIES
from uqalign.metrics.select import selected
from uqalign.reporting.figures import alignment_boxplot, save_figure
from uqalign.stages.common import check_code, parse_spec


def run(*, alignments: Sequence[Path], spec: str, code: str, out: Sequence[Path]) -> str:
    """Write one figure to each path of `out`, in the format of its suffix.

    Raises:
        FileError: alignment files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    taus = seed_taus(read_alignment(alignments))
    families = {name: FAMILIES[name].title for name in dict.fromkeys(taus["family"])}
    task = orders["task"]
    metrics = selected(task, orders["metrics"])
    titles = {name: metric.title for name, metric in metrics.items()}
    weighted = [name for name, metric in metrics.items() if metric.family == "decision"]
    chart = alignment_boxplot(taus, titles, families, weighted)
    for path in out:
        save_figure(chart, path)
    return f"{task}: {len(families)} panels, {len(titles)} metrics"
