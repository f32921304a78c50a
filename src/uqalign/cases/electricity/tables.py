"""Tables of the case study: Table 2 of the paper, the month in money, and the risk bound."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.alignment import summarise
from uqalign.cases.electricity.bidding import place_bids
from uqalign.cases.electricity.month import model_panels, month_bids, month_revenue
from uqalign.cases.electricity.panel import Panel
from uqalign.cases.electricity.policy import Bids
from uqalign.cases.electricity.score import RISK_BOUNDS
from uqalign.cases.scoring import PUBLISHED, variant_name
from uqalign.reporting.tables import alignment_markdown

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.cases.results import Results

PAPER = {
    "nll": (-0.16, -0.47, 0.25),
    "mse": (0.09, -0.47, 0.64),
    "ece": (-0.24, -0.51, 0.12),
    "mce": (-0.24, -0.56, 0.16),
    "rauc": (-0.07, -0.42, 0.38),
    "edet": (0.07, -0.38, 0.56),
    "pwu_lambda": (0.16, -0.16, 0.38),
    "pwu_phi": (0.16, -0.11, 0.42),
}
"""Table 2 of Schneider et al. (2026): median, 5 % and 95 % quantile of tau by metric."""


CELLS = ("median", "q05", "q95", "defined", "expected")


def table_2(results: Results) -> tuple[str, pd.DataFrame]:
    """Alignment with bidding: as configured, as published, and the paper's figures; one line a metric."""
    import pandas as pd

    case = results.case
    first, published = case.arms[0].name, variant_name(case.name, PUBLISHED)
    wanted = [("this run", first, case.name), ("this run, published switches", first, published)]
    wanted += [
        (f"this run, published switches, {arm.title}", arm.name, published)
        for arm in case.arms
        if results.options(arm.name)["forecast_day"] == "next"
    ]
    summary = summarise(results.alignment)
    rows: list[dict[str, Any]] = []
    for label, arm, family in wanted:
        block = summary[(summary["dataset"] == arm) & (summary["family"] == family)].set_index("metric")
        block = block.reindex(list(results.metrics)).fillna({"defined": 0, "expected": 0})
        for metric, values in block.to_dict("index").items():
            rows.append({"dataset": label, "metric": metric, **{name: values[name] for name in CELLS}})
    for metric in results.metrics:
        median, q05, q95 = PAPER.get(metric, (math.nan,) * 3)
        paper = {"median": median, "q05": q05, "q95": q95, "defined": 0, "expected": 0}
        rows.append({"dataset": "paper, Table 2", "metric": metric, **paper})
    caption = (
        f"Alignment with the revenue of {case.title}: Kendall's tau-b between the rankings of the models. Median over "
        f"{results.alignment['seed'].nunique()} draws of test days [5 %, 95 % quantiles]; the highest median of a line "
        "is bold. The paper ranks ten models on the generation of one farm, this run "
        f"{len(results.models)} ({', '.join(results.models)})."
    )
    return caption, pd.DataFrame(rows)


def render_table_2(results: Results, caption: str, rows: pd.DataFrame) -> str:
    """Table 2 in the paper's shape."""
    return alignment_markdown(rows, {name: metric.title for name, metric in results.metrics.items()}, caption)


def _row(panel: Panel, bids: Bids) -> dict[str, Any]:
    hours, placed = panel.hours, bids.placed
    imbalance = hours.generation - bids.mw
    return {
        "revenue_eur": month_revenue(panel, bids),
        "eur_per_hour": month_revenue(panel, bids) / len(hours),
        "eur_per_mwh": month_revenue(panel, bids) / float(hours.generation.sum()),
        "hours_with_bid": int(placed.sum()),
        "hours_without_bid": int((~placed).sum()),
        "rms_imbalance_mw": float(np.sqrt(np.mean(imbalance[placed] ** 2))) if placed.any() else math.nan,
        "expected_rms_mw": (
            float(np.sqrt(np.mean((hours.var + (hours.mean - bids.mw) ** 2)[placed]))) if placed.any() else math.nan
        ),
    }


def month_table(results: Results) -> tuple[str, pd.DataFrame]:
    """The test month in money: models as configured, then yardsticks."""
    import pandas as pd

    case, rows, left_out = results.case, [], 0
    first = case.arms[0].name
    for name, (panel, bids) in month_bids(results, first).items():
        row = _row(panel, bids)
        if name not in results.models:
            row["expected_rms_mw"] = math.nan
        rows.append({"bids_of": name, **row})
        left_out = panel.unsettled
    bound = math.sqrt(float(results.options(first)["risk_bound"])) * float(results.options(first)["capacity"])
    caption = (
        f"{case.title}: the test month. Without a bid, the generation is settled at the balancing price. "
        f"The imbalance of a bid is bounded in expectation: the root of its mean square may not exceed {bound:.1f} MW; "
        "what the forecasts expected and what it was, over the hours with a bid. Hours left out because something is "
        f"unknown: {left_out}."
    )
    return caption, pd.DataFrame(rows)


def risk_bound_table(results: Results) -> tuple[str, pd.DataFrame]:
    """Revenue of the month, hours without bid and imbalance by model and risk bound."""
    import pandas as pd

    case, rows = results.case, []
    first = case.arms[0].name
    options, switches = results.options(first), results.switches - {"bid_risk"}
    for model, panel in model_panels(results, first).items():
        for bound in RISK_BOUNDS:
            bids = place_bids(panel.hours, {**options, "risk_bound": bound}, switches)
            rows.append({"model": model, "risk_bound": bound, **_row(panel, bids)})
    caption = f"{case.title}: the test month by risk bound (a fraction of capacity squared)."
    return caption, pd.DataFrame(rows)
