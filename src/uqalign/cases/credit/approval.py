"""Credit approval as a case study: whom to refuse, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from uqalign.cases.case import CaseSplit, Options
from uqalign.cases.credit.costs import (
    Averages,
    Terms,
    averages,
    credit_lines,
    default_costs,
    refusal_costs,
    threshold_prior,
    thresholds,
    total_cost,
)
from uqalign.checks import FloatArray, exact_sum

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.data.table import Table

MONTHS = 12


def borrowers(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """Monthly income and part of it that goes to debts, by row.

    The Kaggle set states both. The PAKDD set has the incomes of the applicant and the mate, and no debts: additional
    cards over the income (at least 100) stand for them.
    """
    import pandas as pd

    if "DebtRatio" in frame:
        return pd.DataFrame({"income": frame["MonthlyIncome"].astype(float), "debt": frame["DebtRatio"].astype(float)})
    income = pd.to_numeric(frame["PERSONAL_NET_INCOME"]) + pd.to_numeric(frame["MATE_INCOME"])
    cards = pd.to_numeric(frame["QUANT_ADDITIONAL_CARDS_IN_THE_APPLICATION"])
    return pd.DataFrame({"income": income.astype(float), "debt": cards / income.clip(lower=100)})


def terms_of(options: Options, switches: frozenset[str]) -> Terms:
    """The lender's terms; under `annual_rates`, annual rates stand for monthly ones and the limit is not converted."""
    annual = "annual_rates" in switches
    per_year = 1 if annual else MONTHS
    return Terms(
        rate=float(options["interest"]) / per_year,
        funds_rate=float(options["cost_of_funds"]) / per_year,
        months=float(options["months"]),
        incomes=float(options["incomes"]),
        limit=float(options["limit"]) * (1.0 if annual else float(options["currency"])),
        loss=float(options["loss_given_default"]),
    )


def _lines(side: pd.DataFrame, split: CaseSplit, terms: Terms) -> FloatArray:
    income = side["income"].to_numpy() * float(split.options["currency"])
    return credit_lines(income, side["debt"].to_numpy(), terms, negative="negative_credit" in split.switches)


def _average(split: CaseSplit, terms: Terms) -> Averages:
    lines, defaulted = _lines(split.side_train, split, terms), split.y_train
    if "averages_all_rows" in split.switches:
        lines = np.concatenate([lines, _lines(split.side, split, terms)])
        defaulted = np.concatenate([defaulted, split.y])
    return averages(lines, defaulted, terms)


def costs_of(split: CaseSplit) -> tuple[FloatArray, FloatArray]:
    """Costs of refusing each test borrower wrongly and of lending to them wrongly; averages from training rows."""
    terms = terms_of(split.options, split.switches)
    lines = _lines(split.side, split, terms)
    negative = "negative_credit" in split.switches
    refusal = refusal_costs(lines, terms, _average(split, terms), negative=negative)
    return refusal, default_costs(lines, terms)


def refuse_if_likelier(split: CaseSplit) -> npt.NDArray[np.bool_]:
    """Refuse whoever's probability of default is at least C_FP / (C_FP + C_FN); (m,) True where refused."""
    return split.prediction[0] >= thresholds(*costs_of(split))


def minus_cost(split: CaseSplit, refused: npt.NDArray[np.bool_]) -> float:
    """Minus the sum of the costs incurred."""
    refusal, default = costs_of(split)
    return 0.0 - exact_sum(total_cost(split.y, refused, refusal=refusal, default=default))


def prior_of_thresholds(split: CaseSplit) -> Mapping[str, Mapping[str, Any]]:
    """The prior of the binary decision that the training rows' own thresholds imply."""
    terms = terms_of(split.options, split.switches)
    lines = _lines(split.side_train, split, terms)
    average = averages(lines, split.y_train, terms)
    negative = "negative_credit" in split.switches
    prior = threshold_prior(refusal_costs(lines, terms, average, negative=negative), default_costs(lines, terms))
    return {} if prior is None else {"pwu_c": {"prior": prior}}


def shares(split: CaseSplit, refused: npt.NDArray[np.bool_]) -> Mapping[str, float]:
    """Share refused; utility of lending to all and of refusing all; savings over the better of these two.

    Savings are 1 - cost / min(cost of lending to all, cost of refusing all).
    """
    lend_to_all = minus_cost(split, np.zeros(len(refused), dtype=np.bool_))
    refuse_all = minus_cost(split, np.ones(len(refused), dtype=np.bool_))
    best = max(lend_to_all, refuse_all)
    savings = 1 - minus_cost(split, refused) / best if best else np.nan
    return {
        "refused": float(refused.mean()),
        "savings": savings,
        "lend_to_all": lend_to_all,
        "refuse_all": refuse_all,
    }
