"""The figure of every case study: alignment of the metrics with its utility."""

from __future__ import annotations

from typing import Any

from uqalign.alignment import seed_taus
from uqalign.cases.results import Results


def alignment_figure(results: Results) -> Any:
    """Boxplots over repeats of each metric's alignment with the realised utility, one panel an arm."""
    from uqalign.reporting.figures import alignment_boxplot

    case = results.case
    taus = seed_taus(results.alignment[results.alignment["family"] == case.name])
    titles = {name: metric.title for name, metric in results.metrics.items()}
    weighted = [name for name, metric in results.metrics.items() if metric.family == "decision"]
    panels = {arm.name: arm.title for arm in case.arms}
    return alignment_boxplot(taus.assign(family=taus["dataset"]), titles, panels, weighted)
