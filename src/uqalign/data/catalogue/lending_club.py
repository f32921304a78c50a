"""Peer-to-peer loans of low grade: will the borrower pay back?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, LocalFile, Manual
from uqalign.data.readers import Files, csv, read_csv

if TYPE_CHECKING:
    import pandas as pd

LOANS = Content(
    "lending_club/accepted_2007_to_2011.csv",
    "780b3b0817cc63865b29159d34034f9c37eb8fca568e29eacba4320f2e103cc4",
    8_561_122,
)
GRADES = ("F", "G")
PAID = "Fully Paid"
UNPAID = ("Charged Off", "Default", "Late (16-30 days)", "Late (31-120 days)")
OUTSIDE_POLICY = "Does not meet the credit policy. Status:"
NUMERIC = (
    "int_rate", "term", "acc_open_past_24mths", "dti", "loan_amnt", "avg_cur_bal", "emp_length", "fico", "mort_acc",
    "revol_util", "revol_bal", "annual_inc", "mths_since_recent_inq", "credit_history_years", "delinq_2yrs",
)  # fmt: skip
CATEGORICAL = ("home_ownership", "grade")
LATER = ("acc_open_past_24mths", "avg_cur_bal", "mort_acc", "mths_since_recent_inq")
"""Columns that Lending Club began to record in 2012: left out where no loan has one."""


def years_employed(text: pd.Series[str]) -> pd.Series[float]:
    """`< 1 year` 0, `1 year` 1, .., `10+ years` 10; missing where not told."""
    return text.str.replace("< 1", "0", regex=False).str.extract(r"(\d+)", expand=False).astype(float)


def finished_loans(frame: pd.DataFrame) -> pd.DataFrame:
    """Loans of grade F and G whose outcome is known, paid 1 or not 0, in their order.

    Loans that are current or in their grace period have no outcome yet. Loans that Lending Club's policy of later years
    would have refused were lent all the same, and stay.
    """
    import pandas as pd

    status = frame["loan_status"].str.removeprefix(OUTSIDE_POLICY)
    frame = frame[status.isin([PAID, *UNPAID]) & frame["grade"].isin(GRADES)]
    issued, opened = pd.to_datetime(frame["issue_d"]), pd.to_datetime(frame["earliest_cr_line"])
    loans = frame.assign(
        emp_length=years_employed(frame["emp_length"]),
        fico=(frame["fico_range_low"] + frame["fico_range_high"]) / 2,
        credit_history_years=(issued - opened).dt.days / 365.25,
        paid=(status[frame.index] == PAID).astype(int),
    )
    recorded = [name for name in NUMERIC if name not in LATER or loans[name].notna().any()]
    return loans[[*recorded, *CATEGORICAL, "paid"]].reset_index(drop=True)


def kaggle_loans(files: Files) -> pd.DataFrame:
    """Lending Club's own accepted-loans files, as Kaggle has them: percentages, `36 months`, dates such as Dec-2011."""
    import pandas as pd

    frame = read_csv(files)
    frame = frame[frame["loan_amnt"].notna()].reset_index(drop=True)
    return frame.assign(
        int_rate=frame["int_rate"] / 100,
        revol_util=frame["revol_util"] / 100,
        term=frame["term"].str.extract(r"(\d+)", expand=False).astype(int),
        issue_d=pd.to_datetime(frame["issue_d"], format="%b-%Y"),
        earliest_cr_line=pd.to_datetime(frame["earliest_cr_line"], format="%b-%Y"),
    )


DATASETS = (
    Dataset(
        name="lending_club",
        task="binary",
        title="Lending Club, finished loans of grade F and G issued 2007 to 2011",
        sources=(
            LocalFile((LOANS.at("lending_club/accepted_2007_to_2011.csv.gz", GUNZIP),)),
            Manual(
                (LOANS.at(),),
                url="https://www.kaggle.com/datasets/wordsforthewise/lending-club",
                how="Kaggle's file also holds later loans and has another checksum: declare it as a data set of your "
                "own with the reader kaggle_loans (docs/cases.md)",
            ),
        ),
        read=csv(),
        clean=finished_loans,
        target="paid",
        classes=("0", "1"),
        categorical=CATEGORICAL,
        facts=Facts(rows=1_813, features=13, raw_rows=42_535, missing=34, class_counts={"0": 589, "1": 1224}),
        licence="CC0 1.0",
        citation="Nathan (2020). Lending Club loan data. Kaggle.",
        note="y = 1: fully paid. Rates are fractions a year, terms months. Four columns that were recorded from 2012 "
        "on (acc_open_past_24mths, avg_cur_bal, mort_acc, mths_since_recent_inq) are empty and left out.",
    ),
)
