"""Pictures of alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.reporting.names import FIGURE_FORMATS
from uqalign.reporting.text import counted

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours: told apart by readers with any kind of colour vision.
PRIOR_WEIGHTED, CLASSICAL = "#D55E00", "#0072B2"

SCALES: Mapping[str, tuple[str, tuple[float, float]]] = {
    "tau": ("Kendall's tau-b", (-1, 1)),
    "top_1": ("top-1 agreement", (0, 1)),
    "top_3": ("top-3 agreement (Jaccard)", (0, 1)),
    "pearson": ("Pearson's rho", (-1, 1)),
}
"""Title and range of each agreement."""


def kind_colour(weighted: Sequence[str]) -> Any:
    """Colour of a metric's marks: prior-weighted utilities in their own."""
    import altair as alt

    scale = alt.Scale(domain=["prior-weighted", "classical"], range=[PRIOR_WEIGHTED, CLASSICAL])
    legend = alt.Legend(orient="bottom", direction="horizontal", symbolOpacity=1) if weighted else None
    return alt.Color("kind:N", title=None, scale=scale, legend=legend)


def with_kind(frame: pd.DataFrame, metrics: Mapping[str, str], weighted: Sequence[str]) -> pd.DataFrame:
    """`frame` with columns metric_title and kind, from its column metric."""
    kinds = frame["metric"].isin(weighted).map({True: "prior-weighted", False: "classical"})
    return frame.assign(metric_title=frame["metric"].map(metrics), kind=kinds)


def alignment_boxplot(
    means: pd.DataFrame,
    metrics: Mapping[str, str],
    families: Mapping[str, str],
    weighted: Sequence[str],
    agreement: str = "tau",
) -> Any:
    """Boxplots of alignment over data sets and repeats, one panel per decision family (the paper's Figures 2, J.1-J.3).

    A white line is a median, a diamond a mean; whiskers end within 1.5 interquartile ranges of the box.

    Args:
        means: output of `alignment.seed_means`; undefined values are left out, and counted in the panel's subtitle.
        metrics: titles by metric name, in axis order.
        families: titles by family name, in panel order.
        weighted: metrics that are prior-weighted utilities, drawn in their own colour.
        agreement: the column to draw.

    Returns:
        An Altair chart.
    """
    import altair as alt
    import pandas as pd

    title, domain = SCALES[agreement]
    panels = []
    for family, family_title in families.items():
        part = with_kind(means[means["family"] == family], metrics, weighted)
        shown = part.dropna(subset=[agreement])
        missing = len(part) - len(shown)
        subtitle = f"{counted(shown['dataset'].nunique(), 'data set')}, {counted(len(shown), 'value')}"
        subtitle += f", {missing} undefined" if missing else ""
        base = alt.Chart(shown, title=alt.TitleParams(family_title, subtitle=subtitle, anchor="start"))
        boxes = base.mark_boxplot(
            extent=1.5, size=15, outliers={"size": 8, "opacity": 0.4}, median={"color": "white", "strokeWidth": 2}
        ).encode(
            x=alt.X(
                "metric_title:N", title=None, sort=list(metrics.values()), axis=alt.Axis(labelAngle=-50, grid=False)
            ),
            y=alt.Y(f"{agreement}:Q", title=title, scale=alt.Scale(domain=list(domain))),
            color=kind_colour(weighted),
        )
        zero = alt.Chart(pd.DataFrame({"y": [0]})).mark_rule(color="#888").encode(y="y:Q")
        means_of = base.mark_point(
            shape="diamond", size=34, filled=True, fill="white", stroke="black", opacity=1
        ).encode(x=alt.X("metric_title:N", sort=list(metrics.values())), y=alt.Y(f"mean({agreement}):Q", title=title))
        panels.append(alt.layer(zero, boxes, means_of).properties(width=24 * len(metrics), height=230))
    return styled(alt.hconcat(*panels))


def styled(chart: Any) -> Any:
    """The look that all pictures share."""
    return (
        chart.configure_view(stroke="#ccc")
        .configure_axis(
            labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=220, gridColor="#e5e5e5"
        )
        .configure_title(fontSize=13, subtitleFontSize=11, subtitleColor="#555")
        .configure_legend(labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=260)
    )


def save_figure(chart: Any, path: Path) -> None:
    """Write an Altair chart as PDF, PNG (two pixels a point), SVG or HTML by the suffix of `path`; all or nothing."""
    from uqalign.files import atomic_path

    with atomic_path(path) as temporary:
        options = {"scale_factor": 2} if path.suffix == ".png" else {}
        chart.save(str(temporary), **options)


def save_formats(chart: Any, folder: Path, name: str) -> None:
    """Write an Altair chart to a folder in every format of the workflow's figures."""
    for kind in FIGURE_FORMATS:
        save_figure(chart, folder / f"{name}.{kind}")
