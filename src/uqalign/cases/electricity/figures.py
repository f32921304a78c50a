"""Figures of the case study: money over time, and money and alignment against the risk bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.alignment import seed_taus
from uqalign.cases.electricity.bidding import earn
from uqalign.cases.electricity.month import NO_TRADE, month_bids
from uqalign.cases.electricity.score import RISK_BOUNDS, swept_name
from uqalign.cases.electricity.tables import risk_bound_table

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.cases.results import Results

WINDOW = ("2024-12-03T20", "2024-12-04T12")
"""The hours that the paper's Figure J.5 shows."""


def cumulative_frame(results: Results) -> pd.DataFrame:
    """Cumulative profit by hour.

    Returns:
        columns time, bids_of, profit, gain (over no bids; both in thousand EUR), mark (abstention | loss | profit).
    """
    import pandas as pd

    frames = []
    for name, (panel, bids) in month_bids(results, results.case.arms[0].name).items():
        if name not in (*results.models, NO_TRADE):
            continue
        hours = panel.hours
        money = earn(hours, bids)
        start = panel.first.astype("datetime64[h]")
        mark = np.where(~bids.placed, "abstention", np.where(money < 0, "loss", "profit"))
        frames.append(
            pd.DataFrame(
                {
                    "time": start + (24 * hours.day + hours.hour).astype("timedelta64[h]"),
                    "bids_of": name,
                    "profit": np.cumsum(money) / 1000,
                    "gain": np.cumsum(money - hours.balancing * hours.generation) / 1000,
                    "mark": mark,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def cumulative_profit(results: Results) -> Any:
    """Gain over no bids through the month; cumulative profit by the hour with abstentions and losses (Figure J.5)."""
    import altair as alt

    frame = cumulative_frame(results)
    colour = alt.Color("bids_of:N", title=None, sort=list(dict.fromkeys(frame["bids_of"])))
    y = alt.Y("profit:Q", title="cumulative profit (thousand EUR)", scale=alt.Scale(zero=False))
    gain = alt.Y("gain:Q", title="cumulative gain over no bids (thousand EUR)")
    month = (
        alt.Chart(frame, title="the test month")
        .mark_line(strokeWidth=1.5)
        .encode(x=alt.X("time:T", title=None, axis=alt.Axis(format="%d %b")), y=gain, color=colour)
        .properties(width=420, height=260)
    )
    first, last = (np.datetime64(moment, "h") for moment in WINDOW)
    part = frame[(frame["time"] >= first) & (frame["time"] <= last)]
    lines = alt.Chart(part, title="hour by hour").encode(
        x=alt.X("time:T", title=None, axis=alt.Axis(format="%Hh")), y=y, color=colour
    )
    marks = (
        lines.transform_filter("datum.mark != 'profit'")
        .mark_point(size=45, filled=False, strokeWidth=1.5)
        .encode(
            shape=alt.Shape(
                "mark:N", title=None, scale=alt.Scale(domain=["abstention", "loss"], range=["circle", "cross"])
            )
        )
    )
    return month | (lines.mark_line(strokeWidth=1.5) + marks).properties(width=300, height=260)


def profit_by_risk_bound(results: Results) -> Any:
    """Revenue of the month, hours without a bid, and realised imbalance, against the risk bound."""
    import altair as alt

    _, table = risk_bound_table(results)
    x = alt.X(
        "risk_bound:Q", title="risk bound (fraction of capacity squared)", scale=alt.Scale(type="log", nice=False)
    )
    colour = alt.Color("model:N", title=None, sort=list(results.models))
    panels = [
        alt.Chart(table, title=title)
        .mark_line(point=True)
        .encode(x=x, y=alt.Y(f"{column}:Q", title=unit, scale=alt.Scale(zero=False)), color=colour)
        .properties(width=260, height=240)
        for column, title, unit in (
            ("eur_per_hour", "revenue", "EUR per hour"),
            ("hours_without_bid", "abstention", "hours without a bid"),
            ("rms_imbalance_mw", "imbalance of the bids", "root mean square (MW)"),
        )
    ]
    return alt.hconcat(*panels)


def alignment_by_risk_bound(results: Results) -> Any:
    """Median alignment of every metric with revenue, against the risk bound."""
    import altair as alt

    case = results.case
    taus = seed_taus(results.alignment[results.alignment["dataset"] == case.arms[0].name])
    bounds = {swept_name(case.name, bound): bound for bound in RISK_BOUNDS}
    taus = taus[taus["family"].isin(list(bounds))].dropna(subset=["tau"])
    medians = taus.groupby(["family", "metric"], sort=False)["tau"].median().reset_index()
    titles = {name: metric.title for name, metric in results.metrics.items()}
    frame = medians.assign(risk_bound=medians["family"].map(bounds), title=medians["metric"].map(titles))
    return (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "risk_bound:Q",
                title="risk bound (fraction of capacity squared)",
                scale=alt.Scale(type="log", nice=False),
            ),
            y=alt.Y("tau:Q", title="median of Kendall's tau-b", scale=alt.Scale(domain=[-1, 1])),
            color=alt.Color("title:N", title=None, sort=list(titles.values())),
        )
        .properties(width=420, height=280)
    )
