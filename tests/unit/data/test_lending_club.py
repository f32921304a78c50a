"""Which loans are kept, and both layouts of the file."""

import io

import pandas as pd

from uqalign.data.catalogue.lending_club import DATASETS, NUMERIC, finished_loans, kaggle_loans, years_employed

LOAN = {
    "loan_status": "Fully Paid", "grade": "F", "issue_d": "2011-12-01", "earliest_cr_line": "2001-12-01",
    "emp_length": "3 years", "fico_range_low": 660, "fico_range_high": 664, "int_rate": 0.2, "term": 60, "dti": 1.0,
    "loan_amnt": 5000, "revol_util": 0.5, "revol_bal": 10, "annual_inc": 0.0, "delinq_2yrs": 0,
    "acc_open_past_24mths": None, "avg_cur_bal": None, "mort_acc": None, "mths_since_recent_inq": None,
    "home_ownership": "RENT",
}  # fmt: skip


def loans(**columns):
    n = max(len(values) for values in columns.values())
    return pd.DataFrame({**{key: [value] * n for key, value in LOAN.items()}, **columns})


def test_only_finished_loans_of_low_grade_stay():
    status = ["Fully Paid", "Charged Off", "Current", "Late (31-120 days)", "In Grace Period", "Default"]
    outside = [
        "Does not meet the credit policy. Status:Fully Paid",
        "Does not meet the credit policy. Status:Charged Off",
    ]
    frame = loans(loan_status=[*status, *outside, "Fully Paid"], grade=["F"] * 7 + ["G", "E"])
    assert finished_loans(frame)["paid"].tolist() == [1, 0, 0, 0, 1, 0]


def test_features_are_derived_and_empty_columns_left_out():
    kept = finished_loans(loans(mort_acc=[None, 2.0]))
    assert kept["fico"].tolist() == [662, 662]
    assert kept["credit_history_years"].round(2).tolist() == [10, 10]
    assert "avg_cur_bal" not in kept
    assert kept["mort_acc"].tolist()[1] == 2
    assert set(kept) <= {*NUMERIC, "home_ownership", "grade", "paid"}
    assert not {"installment", "total_pymnt", "recoveries"} & set(kept)


def test_years_of_employment():
    text = pd.Series(["< 1 year", "1 year", "10+ years", None])
    assert years_employed(text).tolist()[:3] == [0, 1, 10]
    assert years_employed(text).isna().tolist() == [False, False, False, True]


def test_a_loan_without_income_or_interest_is_a_loan_and_so_are_two_alike():
    kept = finished_loans(loans(int_rate=[0.0, 0.0]))
    assert kept[["annual_inc", "int_rate"]].to_numpy().tolist() == [[0, 0], [0, 0]]


def test_the_layout_of_kaggle():
    header = ",".join(LOAN)
    row = "Fully Paid,F,Dec-2011,Dec-2001,3 years,660,664,20.0, 60 months,1,5000,50.0,10,0,0,,,,,RENT"
    total = "Total amount funded" + "," * (len(LOAN) - 1)
    frame = kaggle_loans((io.BytesIO(f"{header}\n{row}\n{total}\n".encode()),))
    expected = finished_loans(loans(loan_status=["Fully Paid"]))
    pd.testing.assert_frame_equal(finished_loans(frame), expected, check_dtype=False)


def test_the_declaration_names_every_column_of_the_paper():
    assert len(NUMERIC) + len(DATASETS[0].categorical) == 17
