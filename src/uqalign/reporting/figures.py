"""Pictures of alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours: told apart by readers with any kind of colour vision.
PRIOR_WEIGHTED, CLASSICAL = "#D55E00", "#0072B2"


def alignment_boxplot(
    taus: pd.DataFrame, metrics: Mapping[str, str], families: Mapping[str, str], weighted: Sequence[str]
) -> Any:
    """Boxplots of alignment over data sets and repeats, one panel per decision family (the paper's Figure 2).

    Args:
        taus: output of `alignment.seed_taus`; undefined taus are left out and counted in the axis label.
        metrics: titles by metric name, in axis order.
        families: titles by family name, in panel order.
        weighted: metrics that are prior-weighted utilities, drawn in their own colour.

    Returns:
        An Altair chart.
    """
    import altair as alt

    shown = taus.dropna(subset=["tau"]).assign(
        metric_title=lambda frame: frame["metric"].map(metrics),
        kind=lambda frame: frame["metric"].isin(weighted).map({True: "prior-weighted", False: "classical"}),
    )
    panels = []
    for family, title in families.items():
        part = shown[shown["family"] == family]
        panels.append(
            alt.Chart(part, title=f"{title} ({len(part)} taus)")
            .mark_boxplot(extent=1.5, size=16, outliers={"size": 8, "opacity": 0.5})
            .encode(
                x=alt.X("metric_title:N", title=None, sort=list(metrics.values()), axis=alt.Axis(labelAngle=-40)),
                y=alt.Y("tau:Q", title="Kendall's tau-b", scale=alt.Scale(domain=[-1, 1])),
                color=alt.Color(
                    "kind:N",
                    title=None,
                    scale=alt.Scale(domain=["prior-weighted", "classical"], range=[PRIOR_WEIGHTED, CLASSICAL]),
                ),
            )
            .properties(width=26 * len(metrics), height=220)
        )
    return alt.hconcat(*panels).configure_view(stroke="#ccc").configure_axis(labelFontSize=11, titleFontSize=11)


def save_figure(chart: Any, path: Path) -> None:
    """Write an Altair chart as PDF, PNG (two pixels a point), SVG or HTML by the suffix of `path`; all or nothing."""
    from uqalign.files import atomic_path

    with atomic_path(path) as temporary:
        options = {"scale_factor": 2} if path.suffix == ".png" else {}
        chart.save(str(temporary), **options)
