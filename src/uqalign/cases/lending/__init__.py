"""Peer-to-peer lending: a budget spent on the likeliest to repay."""

from uqalign.cases.case import Arm, Case, CaseFigure
from uqalign.cases.lending.figures import implied_fractions
from uqalign.cases.lending.policy import lend_by_probability, loan_terms, portfolio, return_on

CASES = (
    Case(
        name="lending",
        title="Peer-to-peer lending",
        task="binary",
        arms=(Arm("lending_club", "Lending Club, grades F and G", ("lending_club",)),),
        side=loan_terms,
        decide=lend_by_probability,
        utility=return_on,
        details=portfolio,
        options={"budget": 15_000, "cost_of_funds": 0.0294},
        switches=("greedy_stop", "annual_rates"),
        figures=(CaseFigure("implied_fractions", implied_fractions),),
        unit="USD",
        note="y = 1: the loan is fully paid.",
    ),
)
