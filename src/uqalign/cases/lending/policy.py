"""Peer-to-peer lending as a case study: whom to lend a budget, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.cases.case import CaseSplit
from uqalign.cases.loans import interest_earned
from uqalign.checks import FloatArray, check_finite, exact_sum, float_array, refuse

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.data.table import Table

MONTHS = 12
ORDERS = 256
"""Random orders over which loans of equal probability are averaged."""


def loan_terms(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """Amount, annual rate and months of every loan."""
    import pandas as pd

    return pd.DataFrame(
        {
            "amount": frame["loan_amnt"].astype(float),
            "interest": frame["int_rate"].astype(float),
            "months": frame["term"].astype(float),
        }
    )


def _orders(level: npt.NDArray[np.intp], decided: bool) -> npt.NDArray[np.intp]:
    """Rows by ascending level, (orders, n): one order where it is decided, else random ones within levels."""
    if decided:
        return np.argsort(level, kind="stable")[None, :]
    luck = np.random.default_rng(0).random((ORDERS, len(level)))
    return np.argsort(level + luck, axis=1)


def funded(score: npt.ArrayLike, amount: npt.ArrayLike, *, budget: float, stop: bool = False) -> FloatArray:
    """Probability that each loan is lent when a budget is spent by descending score.

    A loan that does not fit what is left is passed over. Loans of equal score come in random order: the probability is
    estimated from 256 seeded orders, the same for any order of rows; loans of one score and one amount share alike.

    Args:
        score: (n,) predicted probability of repayment.
        amount: (n,) principals, > 0.
        budget: to be spent, >= 0.
        stop: end at the first loan that does not fit, as the published evaluation does.

    Returns:
        (n,) in [0, 1]; 0 or 1 where no tie matters.

    Raises:
        ValueError: scores that are not finite, amounts or a budget out of range, different lengths.
    """
    scores = check_finite("score", float_array(score, "score", ndim=1))
    amounts = check_finite("amount", float_array(amount, "amount", ndim=1))
    refuse("amount", amounts, amounts <= 0, "> 0")
    if len(scores) != len(amounts):
        raise ValueError(f"score has {len(scores)} rows, amount has {len(amounts)}")
    if not budget >= 0:
        raise ValueError(f"budget must be >= 0, got {budget!r}")
    pairs, group = np.unique(np.column_stack([-scores, amounts]), axis=0, return_inverse=True)
    group = group.ravel()
    sizes = np.bincount(group)
    canonical = np.argsort(group, kind="stable")
    members = group[canonical]
    level = np.unique(pairs[:, 0], return_inverse=True)[1].ravel()[members]
    # Ties decide nothing where all loans of a score are of one amount.
    decided = len(np.unique(pairs[:, 0])) == len(pairs)
    order = _orders(level, decided)
    size = amounts[canonical]
    smallest = size.min()
    left = np.full(len(order), float(budget))
    going = np.ones(len(order), dtype=np.bool_)
    lent = np.zeros(len(pairs))
    for place in order.T:
        fits = going & (size[place] <= left)
        left = np.where(fits, left - size[place], left)
        np.add.at(lent, members[place], fits)
        if stop:
            going &= fits
        if not (going & (left >= smallest)).any():
            break
    return (lent / (len(order) * sizes))[group]


def lend_by_probability(split: CaseSplit) -> FloatArray:
    """Lend by descending probability of repayment until the budget is exhausted; (m,) probability of being lent to."""
    return funded(
        split.prediction[0],
        split.side["amount"],
        budget=float(split.options["budget"]),
        stop="greedy_stop" in split.switches,
    )


def payoffs(
    repaid: FloatArray, amount: FloatArray, interest: FloatArray, months: FloatArray, *, cost_of_funds: float
) -> FloatArray:
    """What each loan would earn: its instalments at the cost of funds minus the principal, or minus the principal.

    Args:
        repaid: (n,) 1 where fully paid.
        interest, cost_of_funds: a month.
    """
    earned = interest_earned(amount, interest, months, funds_rate=cost_of_funds)
    return np.where(repaid == 1, earned, -amount)


def return_on(split: CaseSplit, lent: FloatArray) -> float:
    """Sum of the payoffs of the loans lent; the switch `annual_rates` takes annual rates for monthly ones."""
    per_year = 1 if "annual_rates" in split.switches else MONTHS
    earned = payoffs(
        split.y,
        split.side["amount"].to_numpy(),
        split.side["interest"].to_numpy() / per_year,
        split.side["months"].to_numpy(),
        cost_of_funds=float(split.options["cost_of_funds"]) / per_year,
    )
    return exact_sum(lent * earned)


def portfolio(split: CaseSplit, lent: FloatArray) -> Mapping[str, float]:
    """Loans lent, as a number and a fraction of all (the implied k/n), money lent, and the share of loans repaid."""
    loans = exact_sum(lent)
    return {
        "loans": loans,
        "k_over_n": loans / len(lent),
        "lent": exact_sum(lent * split.side["amount"].to_numpy()),
        "repaid": exact_sum(lent * split.y) / loans if loans else float("nan"),
    }
