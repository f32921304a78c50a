"""Electricity bidding: a wind farm offers its generation on the day-ahead market (Schneider et al. 2026, 5.2)."""

from __future__ import annotations

from uqalign.cases.case import Arm, Case, CaseFigure, CaseTable, FixedTest
from uqalign.cases.electricity.bidding import decide, utility
from uqalign.cases.electricity.figures import alignment_by_risk_bound, cumulative_profit, profit_by_risk_bound
from uqalign.cases.electricity.horizons import CAPACITY, tested
from uqalign.cases.electricity.panel import settlement
from uqalign.cases.electricity.score import score
from uqalign.cases.electricity.tables import month_table, render_table_2, risk_bound_table, table_2


def _case(name: str, title: str, module: str, note: str) -> Case:
    datasets = tuple(f"uqalign.cases.electricity.{module}:H{hour:02d}" for hour in range(24))
    return Case(
        name=name,
        title=title,
        task="regression",
        arms=(
            Arm("days", "days drawn singly", datasets),
            Arm("blocks_3", "blocks of 3 days", datasets, {"block_days": 3}),
            Arm("blocks_7", "blocks of 7 days", datasets, {"block_days": 7}),
            Arm("by_hour", "metrics averaged over the hours of the day", datasets, {"pooling": "by_hour"}),
            Arm("next_day", "forecasts of the next day", datasets, {"forecast_day": "next"}),
        ),
        side=settlement,
        decide=decide,
        utility=utility,
        splits=FixedTest(test=tested, replicates="draws"),
        score=score,
        options={
            "draws": 100,
            "block_days": 1,
            "risk_bound": 0.09,
            "capacity": CAPACITY,
            "pooling": "pooled",
            "forecast_day": "delivery",
        },
        switches=("bid_risk", "lookahead_bid"),
        tables=(
            CaseTable("table_2", table_2, render_table_2),
            CaseTable("month", month_table),
            CaseTable("risk_bound", risk_bound_table),
        ),
        figures=(
            CaseFigure("cumulative_profit", cumulative_profit),
            CaseFigure("profit_by_risk_bound", profit_by_risk_bound),
            CaseFigure("alignment_by_risk_bound", alignment_by_risk_bound),
        ),
        unit="EUR per hour",
        note=note,
    )


CASES = (
    _case(
        "electricity",
        "Electricity bidding",
        "horizons",
        "Generation is the national offshore wind series scaled to one farm, which needs no key.",
    ),
    _case(
        "electricity_belwind",
        "Electricity bidding, Belwind",
        "belwind",
        "Generation of the farm itself; `uqalign electricity fetch` obtains it with a key of one's own.",
    ),
)
