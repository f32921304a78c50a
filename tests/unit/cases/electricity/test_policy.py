"""Bids and revenue, by hand and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from uqalign.cases.electricity.policy import best_bids, bids_with_relative_risk, bids_within_risk, revenue

BETA = 165.0


def absolute(mean: float, var: float, higher: bool, bound: float, capacity: float = BETA) -> tuple[float, bool]:
    bids = bids_within_risk(
        np.array([mean]), np.array([var]), day_ahead_higher=np.array([higher]), risk_bound=bound, capacity=capacity
    )
    return float(bids.mw[0]), bool(bids.placed[0])


@pytest.mark.parametrize(
    ("mean", "var", "higher", "bid", "placed"),
    [
        (100, 9, True, 104, True),  # sqrt(25 - 9) = 4 above the mean
        (100, 9, False, 96, True),
        (100, 25, True, 100, True),  # no margin left: the mean itself
        (100, 25.01, True, 0, False),  # too uncertain
        (163, 9, True, 165, True),  # capped
        (3, 9, False, 0, True),  # a bid of nothing is a bid
        (168, 9, True, 165, True),
        (168, 9, False, 164, True),
        (170, 9, True, 0, False),  # even the capacity is 5 > 4 from the mean
        (170, 9, False, 0, False),
        (-3, 9, True, 1, True),
        (-3, 9, False, 0, True),
        (-5, 9, True, 0, False),
    ],
)
def test_hand_worked_bids(mean: float, var: float, higher: bool, bid: float, placed: bool) -> None:
    assert absolute(mean, var, higher, 25.0) == (bid, placed)


@given(
    mean=st.floats(-60, 230),
    std=st.floats(0, 80),
    bound=st.floats(0, 6400),
    day_ahead=st.floats(-200, 600),
    balancing=st.floats(-900, 2000),
)
def test_no_feasible_bid_has_a_higher_expected_revenue(
    mean: float, std: float, bound: float, day_ahead: float, balancing: float
) -> None:
    candidates = np.linspace(0, BETA, 3301)
    feasible = candidates[std**2 + (mean - candidates) ** 2 <= bound - 1e-6]  # none by rounding alone
    bid, placed = absolute(mean, std**2, day_ahead > balancing, bound)
    if not placed:
        assert bid == 0
        assert len(feasible) == 0
        return
    assert 0 <= bid <= BETA
    assert std**2 + (mean - bid) ** 2 <= bound * (1 + 1e-9) + 1e-6
    if len(feasible):

        def expected(y: np.ndarray) -> np.ndarray:
            return day_ahead * y + balancing * (mean - y)

        assert expected(np.array(bid)) >= expected(feasible).max() - 1e-6


def test_expected_revenue_of_the_bid_is_the_mean_over_outcomes() -> None:
    rng = np.random.default_rng(0)
    outcome = rng.normal(80, 12, 200_000)
    bid, _ = absolute(80, 144, True, 400)
    n = np.ones(len(outcome))
    mean = revenue(bid * n, outcome, 90 * n, 30 * n).mean()
    assert mean == pytest.approx(90 * bid + 30 * (80 - bid), abs=4 * 30 * 12 / np.sqrt(len(outcome)))
    assert ((outcome - bid) ** 2).mean() == pytest.approx(400, rel=0.02)  # the constraint binds


def test_a_tighter_bound_bids_closer_to_the_mean_and_abstains_more() -> None:
    mean, var = np.linspace(5, 160, 50), np.linspace(100, 3000, 50)
    placed, previous = 51, np.full(50, np.inf)
    for bound in (5000, 2500, 1500, 500, 50):
        bids = bids_within_risk(mean, var, day_ahead_higher=np.arange(50) % 2 == 0, risk_bound=bound, capacity=BETA)
        assert bids.placed.sum() < placed
        distance = np.where(bids.placed, np.abs(bids.mw - mean), 0.0)
        assert (distance <= previous).all()
        placed, previous = bids.placed.sum(), distance


FORECASTS = hnp.arrays(np.float64, 20, elements=st.floats(-50, 220))
VARIANCES = hnp.arrays(np.float64, 20, elements=st.floats(0, 1e5))


@given(mean=FORECASTS, one=VARIANCES, other=VARIANCES)
def test_under_the_relative_bound_the_variance_cancels(mean: np.ndarray, one: np.ndarray, other: np.ndarray) -> None:
    higher = np.arange(20) % 2 == 0
    bids = [
        bids_with_relative_risk(mean, var, day_ahead_higher=higher, fraction=0.1, capacity=BETA) for var in (one, other)
    ]
    np.testing.assert_array_equal(bids[0].mw, bids[1].mw)
    assert bids[0].placed.all()


@given(mean=FORECASTS, var=VARIANCES)
def test_the_relative_bound_is_the_published_formula(mean: np.ndarray, var: np.ndarray) -> None:
    higher = np.arange(20) % 3 == 0
    bids = bids_with_relative_risk(mean, var, day_ahead_higher=higher, fraction=0.1, capacity=BETA)
    low, high = var, var + (BETA - mean) ** 2
    margin = np.sqrt(np.maximum(low + (high - low) * 0.1 - var, 0))
    published = np.where(higher, np.minimum(mean + margin, BETA), np.maximum(mean - margin, 0))
    np.testing.assert_allclose(bids.mw, published, atol=1e-3)  # its subtraction loses digits


def test_under_the_absolute_bound_the_variance_does_not_cancel() -> None:
    assert absolute(80, 100, True, 400) != absolute(80, 200, True, 400)


@pytest.mark.parametrize(
    ("bid", "generation", "day_ahead", "balancing", "earned"),
    [
        (100, 120, 50, 30, 5600),  # 100 x 50 + 20 x 30
        (100, 80, 50, 200, 1000),  # 20 bought back at 200
        (0, 120, 50, 30, 3600),  # all at the balancing price
        (100, 120, -20, 40, -1200),  # pays to be rid of it
        (100, 120, 50, -300, -1000),  # surplus at a negative price
        (100, 80, 50, -300, 11000),  # paid for the shortfall
    ],
)
def test_hand_worked_hours(bid: float, generation: float, day_ahead: float, balancing: float, earned: float) -> None:
    arrays = (np.array([value], dtype=float) for value in (bid, generation, day_ahead, balancing))
    assert revenue(*arrays)[0] == earned


def test_nobody_earns_more_than_who_knows_the_prices() -> None:
    rng = np.random.default_rng(1)
    generation, day_ahead, balancing = rng.uniform(0, BETA, 200), rng.normal(80, 60, 200), rng.normal(80, 200, 200)
    best = revenue(best_bids(day_ahead, balancing, capacity=BETA), generation, day_ahead, balancing)
    for level in np.linspace(0, BETA, 12):
        assert (revenue(np.full(200, level), generation, day_ahead, balancing) <= best + 1e-9).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"var": [-1.0]}, "var"),
        ({"risk_bound": -1.0}, "risk_bound must be >= 0"),
        ({"risk_bound": float("nan")}, "risk_bound must be >= 0"),
        ({"capacity": 0.0}, "capacity must be positive"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict, message: str) -> None:
    given_ = {"mean": [1.0], "var": [1.0], "risk_bound": 1.0, "capacity": BETA} | arguments
    mean, var = np.array(given_.pop("mean")), np.array(given_.pop("var"))
    with pytest.raises(ValueError, match=message):
        bids_within_risk(mean, var, day_ahead_higher=np.array([True]), **given_)
    if "risk_bound" not in arguments and "capacity" not in arguments:
        with pytest.raises(ValueError, match=message):
            bids_with_relative_risk(mean, var, day_ahead_higher=np.array([True]), fraction=0.1, capacity=BETA)


def test_a_negative_fraction_is_refused() -> None:
    with pytest.raises(ValueError, match="fraction must be >= 0"):
        bids_with_relative_risk(np.ones(1), np.ones(1), day_ahead_higher=np.array([True]), fraction=-0.1, capacity=BETA)
