"""Loans repaid in equal monthly instalments: payments, and what a stream of them is worth today.

Rates are fractions a month, terms numbers of months; all functions take scalars or arrays that broadcast.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, refuse


def annuity_factor(rate: npt.ArrayLike, term: npt.ArrayLike) -> FloatArray:
    """Value today of one unit a month for `term` months: (1 - (1 + rate)^-term) / rate, and `term` at rate 0.

    Raises:
        ValueError: a rate of -1 or less, a term that is not positive.
    """
    rates, terms = np.broadcast_arrays(np.asarray(rate, dtype=np.float64), np.asarray(term, dtype=np.float64))
    refuse("rate", rates, ~(rates > -1), "a fraction a month above -1")
    refuse("term", terms, ~(terms > 0), "a positive number of months")
    with np.errstate(invalid="ignore", divide="ignore"):
        # Through logarithms, because 1 - (1 + rate)^-term loses all its digits when the rate is tiny.
        factor = -np.expm1(-terms * np.log1p(rates)) / rates
    return np.where(rates == 0, terms, factor)


def payment(principal: npt.ArrayLike, rate: npt.ArrayLike, term: npt.ArrayLike) -> FloatArray:
    """Monthly instalment that repays `principal`: C r (1+r)^l / ((1+r)^l - 1), and C / l at rate 0."""
    return np.asarray(principal, dtype=np.float64) / annuity_factor(rate, term)


def present_value(instalment: npt.ArrayLike, rate: npt.ArrayLike, term: npt.ArrayLike) -> FloatArray:
    """Value today of `term` monthly instalments: a / r (1 - (1+r)^-l), and a l at rate 0."""
    return np.asarray(instalment, dtype=np.float64) * annuity_factor(rate, term)


def interest_earned(
    principal: npt.ArrayLike, rate: npt.ArrayLike, term: npt.ArrayLike, *, funds_rate: npt.ArrayLike
) -> FloatArray:
    """What a repaid loan earns: the value of its instalments at the cost of funds, minus the principal."""
    lent = np.asarray(principal, dtype=np.float64)
    return present_value(payment(lent, rate, term), funds_rate, term) - lent
