"""Credit approval: costs that differ from borrower to borrower."""

from uqalign.cases.case import Arm, Case, CaseFigure
from uqalign.cases.credit.approval import borrowers, minus_cost, prior_of_thresholds, refuse_if_likelier, shares
from uqalign.cases.credit.figures import implied_thresholds

CASES = (
    Case(
        name="credit",
        title="Credit approval",
        task="binary",
        arms=(
            Arm("kaggle", "Give Me Some Credit (Kaggle)", ("credit_kaggle",)),
            Arm(
                "pakdd",
                "PAKDD 2009",
                ("credit_pakdd",),
                {"interest": 0.63, "cost_of_funds": 0.165, "currency": 0.33},
            ),
        ),
        side=borrowers,
        decide=refuse_if_likelier,
        utility=minus_cost,
        details=shares,
        priors=prior_of_thresholds,
        options={
            "interest": 0.0479,
            "cost_of_funds": 0.0294,
            "months": 24,
            "incomes": 3,
            "limit": 25_000,
            "loss_given_default": 0.75,
            "currency": 1.0,
        },
        switches=("annual_rates", "averages_all_rows", "negative_credit"),
        figures=(CaseFigure("implied_thresholds", implied_thresholds),),
        unit="the lender's currency",
        note="y = 1: the borrower defaults.",
    ),
)
