"""Peer-to-peer lending: budgets spent by hand, ties against every order, and what comes back."""

import itertools
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.cases.case import CaseSplit
from uqalign.cases.lending import CASES
from uqalign.cases.lending.policy import funded, lend_by_probability, loan_terms, payoffs, portfolio, return_on

CASE = CASES[0]


def split_of(y, p, amount, interest=0.12, months=36, *, switches=(), **options):
    side = pd.DataFrame({"amount": amount, "interest": interest, "months": months}).astype(float)
    return CaseSplit(
        arm="lending_club",
        seed=0,
        fold=1,
        y=np.asarray(y, dtype=float),
        prediction=(np.asarray(p, dtype=float),),
        side=side,
        y_train=np.empty(0),
        side_train=side.iloc[:0],
        options=CASE.options_of(CASE.arms[0], options),
        switches=frozenset(switches),
    )


def spend(order, amount, budget, stop):
    """One loan after another in `order`."""
    lent = np.zeros(len(amount))
    for row in order:
        if amount[row] <= budget:
            budget -= amount[row]
            lent[row] = 1
        elif stop:
            break
    return lent


def every_order(score, amount, budget, stop):
    """Mean over all orders of the rows that descend in score."""
    orders = [o for o in itertools.permutations(range(len(score))) if (np.diff(np.asarray(score)[list(o)]) <= 0).all()]
    return np.mean([spend(order, amount, budget, stop) for order in orders], axis=0)


def test_lending_goes_on_with_loans_that_fit():
    score, amount = [0.9, 0.8, 0.7, 0.6, 0.5], [9000, 8000, 5000, 2000, 1000]
    # 9,000, then 8,000 does not fit 6,000, 5,000 does, 2,000 does not fit 1,000, 1,000 does.
    assert funded(score, amount, budget=15_000).tolist() == [1, 0, 1, 0, 1]
    assert funded(score, amount, budget=15_000, stop=True).tolist() == [1, 0, 0, 0, 0]
    assert funded(score, amount, budget=14_000, stop=True).tolist() == [1, 0, 0, 0, 0]
    assert funded(score, amount, budget=17_000).tolist() == [1, 1, 0, 0, 0]
    assert funded(score, amount, budget=0).tolist() == [0] * 5
    assert funded(score, amount, budget=1e9).tolist() == [1] * 5
    assert funded([0.9, 0.1], [20_000, 100], budget=15_000, stop=True).tolist() == [0, 0]


@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=8, unique_by=lambda r: r[0]),
    budget=st.integers(0, 20),
    stop=st.booleans(),
)
def test_without_ties_it_is_the_plain_loop(rows, budget, stop):
    score, amount = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    order = np.argsort(-score)
    assert funded(score, amount, budget=budget, stop=stop).tolist() == spend(order, amount, budget, stop).tolist()


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize(
    ("score", "amount", "budget"),
    [([1, 1, 1], [3, 4, 5], 8), ([2, 1, 1, 1, 0], [4, 3, 2, 6, 1], 10), ([1, 1, 0, 0, 0, 0], [1, 3, 2, 2, 5, 1], 6)],
)
def test_ties_are_averaged_over_random_orders(score, amount, budget, stop):
    expected = every_order(score, amount, budget, stop)
    # The standard error of a share from 256 orders is at most 1/32.
    np.testing.assert_allclose(funded(score, amount, budget=budget, stop=stop), expected, atol=4 / 32)


def test_loans_alike_share_alike_exactly():
    # Two of three equal loans fit: no order is drawn.
    assert funded([0.5] * 3, [100] * 3, budget=250).tolist() == [2 / 3] * 3
    shares = funded([0.5, 0.5, 0.5, 0.4], [100, 100, 300, 50], budget=400)
    assert shares[0] == shares[1]


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    score, amount = rng.integers(0, 4, 30) / 4, rng.integers(1, 6, 30) * 1000.0
    shares = funded(score, amount, budget=9000)
    order = rng.permutation(30)
    np.testing.assert_array_equal(funded(score[order], amount[order], budget=9000), shares[order])


def test_bad_loans_are_refused():
    with pytest.raises(ValueError, match=r"amount\[1\] = .*: amount must be > 0"):
        funded([0.1, 0.2], [1, 0], budget=5)
    with pytest.raises(ValueError, match="score has 2 rows, amount has 1"):
        funded([0.1, 0.2], [1], budget=5)
    with pytest.raises(ValueError, match="score must be finite"):
        funded([float("nan")], [1], budget=5)
    with pytest.raises(ValueError, match="budget must be >= 0"):
        funded([0.1], [1], budget=-5)


def test_payoffs_by_hand():
    # A month at 1 % a month, money at 0.5 %: 101 / 1.005 - 100; a loss is the principal; free money earns nothing.
    found = payoffs(
        np.array([1.0, 0.0, 1.0]),
        np.array([100.0, 100.0, 1200.0]),
        np.array([0.01, 0.01, 0.0]),
        np.array([1.0, 1.0, 12.0]),
        cost_of_funds=0.005,
    )
    worth = sum(100 / 1.005**month for month in range(1, 13))
    assert found.tolist() == pytest.approx([101 / 1.005 - 100, -100, worth - 1200])


def test_what_comes_back_from_a_budget():
    split = split_of([1, 0, 1], [0.9, 0.8, 0.7], [10_000, 9000, 4000], interest=[0.12, 0.2, 0.24], months=[36, 36, 60])
    lent = lend_by_probability(split)
    assert lent.tolist() == [1, 0, 1]
    rate, money = 0.01, 0.0294 / 12
    first = 10_000 * rate / (1 - (1 + rate) ** -36) * (1 - (1 + money) ** -36) / money - 10_000
    rate = 0.02
    last = 4000 * rate / (1 - (1 + rate) ** -60) * (1 - (1 + money) ** -60) / money - 4000
    assert return_on(split, lent) == pytest.approx(first + last, rel=1e-12)
    assert portfolio(split, lent) == {"loans": 2, "k_over_n": 2 / 3, "lent": 14_000, "repaid": 1}
    assert return_on(split, np.array([0.0, 1.0, 0.0])) == -9000


def test_each_switch_changes_its_own_part():
    plain = split_of([1, 0, 1], [0.9, 0.8, 0.7], [10_000, 9000, 4000])
    stopped = split_of([1, 0, 1], [0.9, 0.8, 0.7], [10_000, 9000, 4000], switches=["greedy_stop"])
    annual = split_of([1, 0, 1], [0.9, 0.8, 0.7], [10_000, 9000, 4000], switches=["annual_rates"])
    assert lend_by_probability(stopped).tolist() == [1, 0, 0]
    lent = lend_by_probability(plain)
    assert lend_by_probability(annual).tolist() == lent.tolist()
    assert return_on(annual, lent) > 3 * return_on(plain, lent) > 0
    bigger = split_of([1, 0, 1], [0.9, 0.8, 0.7], [10_000, 9000, 4000], budget=30_000)
    assert lend_by_probability(bigger).tolist() == [1, 1, 1]


def test_a_portfolio_without_loans_has_no_share_repaid():
    split = split_of([1, 0], [0.9, 0.8], [20_000, 30_000])
    found = portfolio(split, lend_by_probability(split))
    assert (found["loans"], found["lent"]) == (0, 0)
    assert np.isnan(found["repaid"])
    assert return_on(split, np.zeros(2)) == 0


@pytest.mark.skipif("UQALIGN_DATA_DIR" not in os.environ, reason="UQALIGN_DATA_DIR is not set")
def test_the_real_loans(tmp_path):
    from uqalign.cases.files.side import cleaned_frame, side_of
    from uqalign.data.load import load
    from uqalign.data.registry import resolve

    dataset = resolve("lending_club")
    places = {"data_dir": Path(os.environ["UQALIGN_DATA_DIR"]), "download_dir": tmp_path}
    table = load(dataset, **places)
    frame = cleaned_frame(dataset, table, **places)
    side = side_of(CASE, table, frame)
    assert set(side["months"]) == {36, 60}
    assert side["interest"].between(0.1, 0.3).all()
    # Lending Club's own instalments were computed from the amount funded, which is most often the amount asked for.
    with (Path(os.environ["UQALIGN_DATA_DIR"]) / "lending_club/accepted_2007_to_2011.csv.gz").open("rb") as file:
        raw = pd.read_csv(file, compression="gzip", low_memory=False)
    raw = raw[raw["grade"].isin(["F", "G"])]
    from uqalign.cases.loans import payment

    ours = payment(side["amount"], side["interest"] / 12, side["months"])
    close = np.abs(ours / raw["installment"].to_numpy() - 1) < 0.002
    assert close.mean() > 0.75
    assert loan_terms(table, frame).shape == (len(table), 3)
