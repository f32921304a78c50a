"""The decision rule of the case study, and what it earns, under any switches."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from uqalign.cases.electricity.panel import Hours
from uqalign.cases.electricity.policy import Bids, bids_with_relative_risk, bids_within_risk, revenue
from uqalign.checks import FloatArray

if TYPE_CHECKING:
    from uqalign.cases.case import CaseSplit, Options

RELATIVE_FRACTION = 0.1
"""The published bound, as a fraction of (capacity - mean)^2."""


def place_bids(hours: Hours, options: Options, switches: frozenset[str]) -> Bids:
    """Bids for some hours.

    The direction comes from the spread expected at noon; with the switch `lookahead_bid` from the realised prices. The
    risk bound is `risk_bound` x capacity^2; with the switch `bid_risk` it is relative.
    """
    spread = hours.day_ahead - hours.balancing if "lookahead_bid" in switches else hours.expected_spread
    higher = spread > 0
    capacity = float(options["capacity"])
    if "bid_risk" in switches:
        return bids_with_relative_risk(
            hours.mean, hours.var, day_ahead_higher=higher, fraction=RELATIVE_FRACTION, capacity=capacity
        )
    bound = float(options["risk_bound"]) * capacity**2
    return bids_within_risk(hours.mean, hours.var, day_ahead_higher=higher, risk_bound=bound, capacity=capacity)


def earn(hours: Hours, bids: Bids) -> FloatArray:
    """Revenue of every hour in EUR."""
    return revenue(bids.mw, hours.generation, hours.day_ahead, hours.balancing)


def split_hours(split: CaseSplit) -> Hours:
    """The rows of a split as hours of delivery."""
    side = split.side
    mean, var = split.prediction
    values = {name: side[name].to_numpy(dtype=np.float64) for name in ("day_ahead", "balancing", "expected_spread")}
    day = side["day"].to_numpy().astype("datetime64[D]")
    return Hours((day - day.min()).astype(np.intp), side["hour"].to_numpy(dtype=np.intp), split.y, mean, var, **values)


def decide(split: CaseSplit) -> Bids:
    """Bids for the rows of one split."""
    return place_bids(split_hours(split), split.options, split.switches)


def utility(split: CaseSplit, bids: Bids) -> float:
    """Mean revenue per hour in EUR, over the rows of one split."""
    return mean_of(earn(split_hours(split), bids))


def mean_of(values: FloatArray) -> float:
    """The mean, whatever the order of the values."""
    return math.fsum(values.tolist()) / len(values)
