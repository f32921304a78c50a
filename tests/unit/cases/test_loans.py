"""Loans worked by hand, and against sums over every instalment."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.cases.loans import annuity_factor, interest_earned, payment, present_value


def remaining_debt(principal: float, rate: float, months: int, instalment: float) -> float:
    debt = principal
    for _ in range(months):
        debt = debt * (1 + rate) - instalment
    return debt


def test_a_loan_by_hand():
    # 1,000 at 1 % a month for three months: 1.01^3 = 1.030301, so a = 1000 x 0.01 x 1.030301 / 0.030301.
    assert payment(1000, 0.01, 3) == pytest.approx(340.0221114814692, rel=1e-12)
    # At 0.5 % a month: a (1/1.005 + 1/1.005^2 + 1/1.005^3) - 1000.
    worth = 340.0221114814692 * (1 / 1.005 + 1 / 1.010025 + 1 / 1.015075125)
    assert present_value(340.0221114814692, 0.005, 3) == pytest.approx(worth, rel=1e-12)
    assert interest_earned(1000, 0.01, 3, funds_rate=0.005) == pytest.approx(worth - 1000, rel=1e-9)


def test_one_month_is_interest_once():
    assert payment(200, 0.05, 1) == pytest.approx(210)
    assert interest_earned(200, 0.05, 1, funds_rate=0.02) == pytest.approx(210 / 1.02 - 200)


def test_without_interest_the_principal_is_divided():
    assert payment(1200, 0, 24) == 50
    assert present_value(50, 0, 24) == 1200
    assert interest_earned(1200, 0, 24, funds_rate=0) == 0
    # Money that costs something makes a loan without interest a loss.
    assert interest_earned(1200, 0, 24, funds_rate=0.01) < 0


@pytest.mark.parametrize("rate", [1e-300, 1e-18, 1e-12, 1e-9])
def test_the_limit_at_rate_zero_is_reached_without_a_jump(rate):
    assert annuity_factor(rate, 24) == pytest.approx(24, rel=1e-7)
    assert annuity_factor(-rate, 24) == pytest.approx(24, rel=1e-7)
    # First-order expansion: l - rate l (l + 1) / 2.
    assert annuity_factor(1e-9, 24) == pytest.approx(24 - 1e-9 * 300, rel=1e-14)


def test_published_rates_of_a_year_for_a_month_stay_finite():
    assert payment(1000, 0.63, 60) == pytest.approx(630, rel=1e-9)
    assert np.isfinite(annuity_factor(1e6, 360))


@given(
    principal=st.floats(1, 1e6),
    rate=st.floats(0, 0.5),
    months=st.integers(1, 60),
    funds_rate=st.floats(0, 0.5),
)
def test_instalments_repay_the_loan_and_are_worth_their_discounted_sum(principal, rate, months, funds_rate):
    instalment = float(payment(principal, rate, months))
    scale = principal * (1 + rate) ** months
    assert remaining_debt(principal, rate, months, instalment) == pytest.approx(0, abs=1e-9 * scale)
    discounted = math.fsum(instalment / (1 + funds_rate) ** month for month in range(1, months + 1))
    assert present_value(instalment, funds_rate, months) == pytest.approx(discounted, rel=1e-9)


def test_loans_broadcast_and_impossible_ones_are_refused():
    assert payment(np.array([100.0, 200.0]), np.array([0.0, 0.1]), np.array([10, 1])).tolist() == pytest.approx(
        [10, 220]
    )
    with pytest.raises(ValueError, match="rate must be a fraction a month above -1") as refused:
        annuity_factor([0.1, -1], 2)
    assert "rate[1]" in str(refused.value)
    with pytest.raises(ValueError, match="term must be a positive number of months"):
        payment(100, 0.1, 0)
    with pytest.raises(ValueError, match="rate"):
        annuity_factor(float("nan"), 2)
