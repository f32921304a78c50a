"""What to offer on the day-ahead market, and what it earns under a single balancing price.

A farm that bids y for an hour and generates E earns R_DA y + R_B (E - y): the bid at the day-ahead price, and the
difference at the balancing price. Given a forecast (mean, var) of E, the bid that maximises expected revenue subject to
E[(E - y)^2] = var + (mean - y)^2 <= alpha and 0 <= y <= capacity lies at an end of the interval
[mean - sqrt(alpha - var), mean + sqrt(alpha - var)]: the upper one if the day-ahead price is the higher one. If no
bid satisfies the constraints, there is no bid. Bruninx, Verstraeten, Kazempour and Helsen (2025).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, float_array, refuse


@dataclass(frozen=True, eq=False)
class Bids:
    """What is offered.

    Attributes:
        mw: (n,) bids; 0 where there is none.
        placed: (n,) False where no bid satisfies the constraints.
    """

    mw: FloatArray
    placed: npt.NDArray[np.bool_]


def _forecast(mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean, var = float_array(mean, "mean", ndim=1), float_array(var, "var", ndim=1)
    refuse("var", var, var < 0, ">= 0")
    return mean, var


def bids_within_risk(
    mean: FloatArray, var: FloatArray, *, day_ahead_higher: npt.NDArray[np.bool_], risk_bound: float, capacity: float
) -> Bids:
    """Bids under an absolute bound on the expected squared imbalance.

    Args:
        mean, var: (n,) predictive means (MW) and variances (MW^2).
        day_ahead_higher: (n,) whether the day-ahead price is expected above the balancing price.
        risk_bound: alpha in MW^2.
        capacity: of the farm in MW.

    Returns:
        min(mean + margin, capacity) or max(mean - margin, 0), margin = sqrt(alpha - var); no bid where var > alpha,
        or where all of [mean - margin, mean + margin] lies outside [0, capacity].

    Raises:
        ValueError: a negative variance or bound, a capacity that is not positive.
    """
    mean, var = _forecast(mean, var)
    if not risk_bound >= 0:
        raise ValueError(f"risk_bound must be >= 0, got {risk_bound}")
    if not capacity > 0:
        raise ValueError(f"capacity must be positive, got {capacity}")
    margin = np.sqrt(np.maximum(risk_bound - var, 0.0))
    placed = (var <= risk_bound) & (mean + margin >= 0) & (mean - margin <= capacity)
    bid = np.where(day_ahead_higher, np.minimum(mean + margin, capacity), np.maximum(mean - margin, 0.0))
    return Bids(np.where(placed, bid, 0.0), placed)


def bids_with_relative_risk(
    mean: FloatArray, var: FloatArray, *, day_ahead_higher: npt.NDArray[np.bool_], fraction: float, capacity: float
) -> Bids:
    """Bids of the published evaluation, bounded relative to the forecast: alpha = var + fraction (capacity - mean)^2.

    The margin is sqrt(alpha - var) = sqrt(fraction) |capacity - mean|: the variance cancels, a forecast's uncertainty
    has no say in its bid, and a bid is always placed. As published, a bid is bounded only on the side it is moved to.

    Args:
        mean, var: (n,) predictive means (MW) and variances (MW^2); the latter are checked and not used.
        day_ahead_higher: (n,) whether the day-ahead price is expected above the balancing price.
        fraction: of the squared distance to the capacity.
        capacity: of the farm in MW.

    Raises:
        ValueError: a negative variance or fraction.
    """
    mean, var = _forecast(mean, var)
    if not fraction >= 0:
        raise ValueError(f"fraction must be >= 0, got {fraction}")
    margin = np.sqrt(fraction) * np.abs(capacity - mean)
    bid = np.where(day_ahead_higher, np.minimum(mean + margin, capacity), np.maximum(mean - margin, 0.0))
    return Bids(bid, np.ones(len(bid), dtype=np.bool_))


def revenue(bid: FloatArray, generation: FloatArray, day_ahead: FloatArray, balancing: FloatArray) -> FloatArray:
    """Revenue of every hour in EUR: day_ahead bid + balancing (generation - bid).

    Without a bid (0 MW) the whole generation is settled at the balancing price. Prices may be negative.

    Args:
        bid, generation: (n,) MW over one hour, i.e. MWh.
        day_ahead, balancing: (n,) prices in EUR/MWh.
    """
    settled: FloatArray = day_ahead * bid + balancing * (generation - bid)
    return settled


def best_bids(day_ahead: FloatArray, balancing: FloatArray, *, capacity: float) -> FloatArray:
    """Bids of somebody who knows both prices and is bound by no risk: capacity where day-ahead pays more, else 0."""
    return np.where(day_ahead > balancing, capacity, 0.0)
