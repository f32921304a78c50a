"""The test month itself, hour by hour: what each model and each yardstick would have earned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from uqalign.cases.electricity.bidding import earn, place_bids
from uqalign.cases.electricity.panel import Panel, panel_of
from uqalign.cases.electricity.policy import Bids, best_bids

if TYPE_CHECKING:
    from uqalign.cases.case import Options
    from uqalign.cases.results import Results

NO_TRADE, PERFECT_FORECAST, PERFECT_PRICES = "no bids", "generation known", "prices known"
"""Yardsticks: everything settled at the balancing price; the same policy with the generation as its forecast; the bid
of somebody who knows both prices and is bound by no risk."""


def model_panels(results: Results, arm: str) -> dict[str, Panel]:
    """The test month of every model that was fitted to all hours."""
    found = ((model, panel_of(inputs)) for model in results.models for inputs in results.inputs(arm, model))
    return {model: panel for model, panel in found if panel is not None}


def yardsticks(panel: Panel, options: Options, switches: frozenset[str]) -> Mapping[str, Bids]:
    """Bids of the yardsticks for the hours of a panel."""
    hours = panel.hours
    none = np.zeros(len(hours))
    known = replace(hours, mean=hours.generation, var=none)
    best = best_bids(hours.day_ahead, hours.balancing, capacity=float(options["capacity"]))
    return {
        NO_TRADE: Bids(none, np.zeros(len(hours), dtype=np.bool_)),
        PERFECT_FORECAST: place_bids(known, options, switches),
        PERFECT_PRICES: Bids(best, np.ones(len(hours), dtype=np.bool_)),
    }


def month_bids(results: Results, arm: str) -> dict[str, tuple[Panel, Bids]]:
    """Every model's, then every yardstick's bids."""
    options = results.options(arm)
    panels = model_panels(results, arm)
    found = {model: (panel, place_bids(panel.hours, options, results.switches)) for model, panel in panels.items()}
    if panels:
        panel = next(iter(panels.values()))
        found |= {name: (panel, bids) for name, bids in yardsticks(panel, options, results.switches).items()}
    return found


def month_revenue(panel: Panel, bids: Bids) -> float:
    """Revenue of the month in EUR."""
    return float(earn(panel.hours, bids).sum())
