"""Where the decisions of a case study lie, against a prior over decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.checks import FloatArray

if TYPE_CHECKING:
    from uqalign.priors import Prior

BINS = 50


def share_by_bin(values: FloatArray, edges: FloatArray) -> FloatArray:
    """Share of `values` in each bin of `edges`; values beyond an end count in the bin there."""
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)
    return counts / max(len(values), 1)


def _rows(altair: Any, rows: list[dict[str, Any]]) -> Any:
    return altair.Data(values=rows)


def distribution_chart(values: Mapping[str, FloatArray], title: str, prior: Prior, *, high: float = 1.0) -> Any:
    """Histograms on [0, high], one panel each, with the prior's mass per bin as a line.

    Args:
        values: by panel title.
        title: of the axis.
        prior: drawn for comparison.
        high: end of the axis; what lies beyond counts in the last bin.
    """
    import altair as alt

    edges = np.linspace(0.0, high, BINS + 1)
    mass = np.diff(np.asarray(prior.cdf(edges)))
    panels = []
    for name, found in values.items():
        rows = [
            {"low": low, "high": up, "share": share, "zero": 0, "prior": expected, "middle": (low + up) / 2}
            for low, up, share, expected in zip(
                edges[:-1].tolist(), edges[1:].tolist(), share_by_bin(found, edges).tolist(), mass.tolist(), strict=True
            )
        ]
        base = alt.Chart(_rows(alt, rows), title=f"{name}, {len(found):,} values")
        x = alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, high], nice=False))
        y = alt.Y("share:Q", title="share")
        bars = base.mark_rect(color="#0072B2", opacity=0.7).encode(x=x, x2="high:Q", y=y, y2="zero:Q")
        line = base.mark_line(color="#D55E00").encode(x="middle:Q", y="prior:Q")
        panels.append((bars + line).properties(width=320, height=200))
    return alt.hconcat(*panels).configure_view(stroke="#ccc")
