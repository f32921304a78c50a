"""What a credit decision costs: Bahnsen, Aouada and Ottersten (2014), example-dependent cost-sensitive scoring.

A borrower gets a credit line of so many monthly incomes, as far as the limit and the debts allow. Lending to one who
defaults loses a part of the line; refusing one who would have paid loses the profit on it, and instead lends to another
borrower, who is like the average. All money is in one currency, rates are fractions a month.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.cases.loans import interest_earned, payment, present_value
from uqalign.checks import FloatArray, weighted_mean, weighted_variance

if TYPE_CHECKING:
    from uqalign.priors import Beta


@dataclass(frozen=True)
class Terms:
    """Terms of all loans of a lender.

    Attributes:
        rate: interest a month.
        funds_rate: what the lender pays for money, a month.
        months: length of the loans.
        incomes: monthly incomes that a credit line may amount to.
        limit: largest credit line.
        loss: fraction of the line that a default loses.
    """

    rate: float
    funds_rate: float
    months: float
    incomes: float
    limit: float
    loss: float


@dataclass(frozen=True)
class Averages:
    """The average borrower: credit line, profit on it, and probability of default."""

    line: float
    profit: float
    default_rate: float


def credit_lines(income: FloatArray, debt: FloatArray, terms: Terms, *, negative: bool = False) -> FloatArray:
    """Credit line of every borrower.

    C = min(k inc, C_max, pv(inc min(a(k inc) / inc, 1 - debt))): the instalment is no more than the income that debts
    leave. Written as min(a(k inc), inc (1 - debt)), which is the same and gives 0 without income.

    Args:
        income: (n,) monthly incomes.
        debt: (n,) part of the income that goes to debts.
        negative: let a debt above the income make the line negative, as the published evaluation does.
    """
    wanted = terms.incomes * income
    instalment = np.minimum(payment(wanted, terms.rate, terms.months), income * (1 - debt))
    affordable = present_value(instalment, terms.rate, terms.months)
    lines = np.minimum(np.minimum(wanted, terms.limit), affordable)
    return lines if negative else np.maximum(lines, 0.0)


def profits(lines: FloatArray, terms: Terms) -> FloatArray:
    """What each line earns when it is repaid: pv(a(C)) - C at the cost of funds."""
    return interest_earned(lines, terms.rate, terms.months, funds_rate=terms.funds_rate)


def averages(lines: FloatArray, defaulted: FloatArray, terms: Terms) -> Averages:
    """The average borrower among some with known outcomes (1: defaulted)."""
    line, profit = weighted_mean(lines, None), weighted_mean(profits(lines, terms), None)
    return Averages(line, profit, weighted_mean(defaulted, None))


def default_costs(lines: FloatArray, terms: Terms) -> FloatArray:
    """Cost of lending to those who default: loss given default times the line."""
    return terms.loss * lines


def refusal_costs(lines: FloatArray, terms: Terms, average: Averages, *, negative: bool = False) -> FloatArray:
    """Cost of refusing those who would have paid: r - r_avg pi_0 + loss C_avg pi_1.

    The profit forgone, minus that on the average borrower who takes the place, plus what that one loses by default.

    Args:
        negative: keep costs below 0, as the published evaluation does.
    """
    paid = 1 - average.default_rate
    costs = profits(lines, terms) - average.profit * paid + terms.loss * average.line * average.default_rate
    return costs if negative else np.maximum(costs, 0.0)


def thresholds(refusal: FloatArray, default: FloatArray) -> FloatArray:
    """Probability of default from which refusing costs less: C_FP / (C_FP + C_FN); NaN where nothing is at stake."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return refusal / (refusal + default)


def threshold_prior(refusal: FloatArray, default: FloatArray) -> Beta | None:
    """The Beta distribution with the mean and variance of the thresholds, each weighted by its stake C_FP + C_FN.

    The cost of a decision is the stake times the loss at its threshold (`binary_decision_utility`), so that dear
    decisions count as many cheap ones. None where thresholds do not vary or costs are negative.
    """
    from uqalign.priors import Beta

    stake = refusal + default
    if (refusal < 0).any() or (default < 0).any() or not stake.any():
        return None
    c = np.where(stake > 0, thresholds(refusal, default), 0.0)
    mean, var = weighted_mean(c, stake), weighted_variance(c, stake)
    if not 0 < var < mean * (1 - mean):
        return None
    concentration = mean * (1 - mean) / var - 1
    return Beta(mean * concentration, (1 - mean) * concentration)


def total_cost(
    defaulted: FloatArray, refused: npt.NDArray[np.bool_], *, refusal: FloatArray, default: FloatArray
) -> FloatArray:
    """Cost incurred with every borrower: `default` for a default lent to, `refusal` for a good borrower refused."""
    return np.where(refused, (1 - defaulted) * refusal, defaulted * default)
