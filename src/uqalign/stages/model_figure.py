"""Models of one task ranked over data sets: by what decisions gain, and by the metrics weighted like them."""

from __future__ import annotations

from pathlib import Path

from uqalign.families import families_of
from uqalign.metrics.select import selected
from uqalign.reporting.comparison_figures import model_rank_figure
from uqalign.reporting.figures import save_formats
from uqalign.stages.common import check_code, parse_spec


def run(*, model_ranks: Path, spec: str, code: str, folder: Path) -> str:
    """Write the figure to `folder`."""
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    task = orders["task"]
    panels = {("utility", family.name): f"{family.title}: realised utility" for family in families_of(task)}
    shown = [m for m in selected(task, orders["metrics"]).values() if m.family == "decision" or m.name == "nll"]
    panels |= {("metric", metric.name): metric.title for metric in shown}
    save_formats(model_rank_figure(pd.read_csv(model_ranks), panels), folder, f"model_ranks_{task}")
    return f"{task}: {len(panels)} panels"
