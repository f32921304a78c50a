"""Pictures of one family's comparisons: ranks over data sets, and who aligns better than whom."""

from __future__ import annotations

from pathlib import Path

from uqalign.families import FAMILIES
from uqalign.metrics.select import selected
from uqalign.reporting.comparison_figures import better_figure, critical_difference_figure
from uqalign.reporting.figures import save_formats
from uqalign.stages.common import check_code, parse_spec


def run(*, ranks: Path, pairwise: Path, spec: str, code: str, folder: Path) -> str:
    """Write both figures to `folder`."""
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    family = FAMILIES[orders["family"]]
    metrics = selected(family.task, orders["metrics"])
    titles = {name: metric.title for name, metric in metrics.items()}
    weighted = [name for name, metric in metrics.items() if metric.family == "decision"]
    pairs = pd.read_csv(pairwise, dtype={"dataset": str}, keep_default_na=False, na_values=[""])
    ranked = critical_difference_figure(pd.read_csv(ranks), titles, weighted, family.title)
    save_formats(ranked, folder, f"critical_difference_{family.name}")
    save_formats(better_figure(pairs, titles, family.title), folder, f"better_{family.name}")
    return f"{family.title}: {len(titles)} metrics"
