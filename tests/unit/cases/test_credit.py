"""Credit approval: borrowers worked by hand, and the costs against the formulas written out borrower by borrower."""

import dataclasses
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.cases.case import CaseSplit
from uqalign.cases.credit import CASES
from uqalign.cases.credit.approval import (
    borrowers,
    costs_of,
    minus_cost,
    prior_of_thresholds,
    refuse_if_likelier,
    shares,
    terms_of,
)
from uqalign.cases.credit.costs import (
    Averages,
    Terms,
    averages,
    credit_lines,
    default_costs,
    profits,
    refusal_costs,
    threshold_prior,
    thresholds,
    total_cost,
)
from uqalign.cases.files.side import cleaned_frame, side_of
from uqalign.data.load import load
from uqalign.data.registry import resolve
from uqalign.utilities import binary_decision_utility

CASE = CASES[0]
TERMS = Terms(rate=0.01, funds_rate=0.005, months=3, incomes=3, limit=25_000, loss=0.75)
DATA_DIR = os.environ.get("UQALIGN_DATA_DIR", "")


def written_out(income, debt, y_train, income_train, debt_train, t):
    """Costs of one borrower as the paper writes them (negative values kept), income > 0."""

    def instalment(line, rate):
        return line * rate * (1 + rate) ** t.months / ((1 + rate) ** t.months - 1)

    def worth(a, rate):
        return a / rate * (1 - 1 / (1 + rate) ** t.months)

    def line(inc, d):
        share = min(instalment(t.incomes * inc, t.rate) / inc, 1 - d)
        return min(t.incomes * inc, t.limit, worth(inc * share, t.rate))

    def profit(c):
        return worth(instalment(c, t.rate), t.funds_rate) - c

    lines = [line(inc, d) for inc, d in zip(income_train, debt_train, strict=True)]
    c, mean_line, bad = line(income, debt), float(np.mean(lines)), float(np.mean(y_train))
    mean_profit = float(np.mean([profit(value) for value in lines]))
    return profit(c) - mean_profit * (1 - bad) + mean_line * t.loss * bad, t.loss * c


def split_of(side, y, p, train_side, y_train, *, arm="kaggle", switches=(), **options):
    return CaseSplit(
        arm=arm,
        seed=0,
        fold=1,
        y=np.asarray(y, dtype=float),
        prediction=(np.asarray(p, dtype=float),),
        side=pd.DataFrame(side),
        y_train=np.asarray(y_train, dtype=float),
        side_train=pd.DataFrame(train_side),
        options=CASE.options_of(CASE.arm(arm), options),
        switches=frozenset(switches),
    )


def test_credit_lines_by_hand():
    income, debt = np.array([1000.0, 1000.0, 10_000.0, 0.0, 1000.0]), np.array([0.0, 0.9, 0.0, 0.0, 1.5])
    lines = credit_lines(income, debt, TERMS)
    # In three months nobody repays three incomes: the instalment would be 1,020 of 1,000. So a line is what instalments
    # of the free income are worth: all of it, a tenth, more than the limit, no income, less than nothing.
    worth_of_one = 1 / 1.01 + 1 / 1.0201 + 1 / 1.030301
    assert lines.tolist() == pytest.approx([1000 * worth_of_one, 100 * worth_of_one, 25_000, 0, 0])
    kept = credit_lines(income, debt, TERMS, negative=True)
    assert kept.tolist() == pytest.approx([1000 * worth_of_one, 100 * worth_of_one, 25_000, 0, -500 * worth_of_one])
    # Over 24 months the instalment is affordable and three incomes are lent.
    assert credit_lines(income[:1], debt[:1], dataclasses.replace(TERMS, months=24))[0] == pytest.approx(3000)


def test_a_free_loan_and_one_of_a_month():
    free = dataclasses.replace(TERMS, rate=0.0, funds_rate=0.0, months=24)
    assert credit_lines(np.array([100.0]), np.array([0.9]), free).tolist() == pytest.approx([240])
    assert profits(np.array([240.0]), free).tolist() == [0]
    month = dataclasses.replace(TERMS, rate=0.1, funds_rate=0.0, months=1)
    # At most an income of 100 can be paid back at the end of the month.
    assert credit_lines(np.array([100.0]), np.array([0.0]), month)[0] == pytest.approx(100 / 1.1)
    assert profits(np.array([100 / 1.1]), month)[0] == pytest.approx(100 - 100 / 1.1)


def test_costs_by_hand():
    average = Averages(line=2000.0, profit=100.0, default_rate=0.1)
    lines = np.array([0.0, 1000.0])
    gain = profits(lines, TERMS)
    refusal = refusal_costs(lines, TERMS, average)
    # r - 100 x 0.9 + 2000 x 0.75 x 0.1 = r + 60
    assert refusal.tolist() == pytest.approx([60, gain[1] + 60])
    assert default_costs(lines, TERMS).tolist() == [0, 750]
    # A lucrative average borrower in waiting makes refusing free, or, as published, even a gain.
    rich = Averages(line=0.0, profit=100.0, default_rate=0.1)
    assert refusal_costs(lines[:1], TERMS, rich).tolist() == [0]
    assert refusal_costs(lines[:1], TERMS, rich, negative=True).tolist() == pytest.approx([-90])
    assert thresholds(np.array([60.0, 60.0, 0.0, 0.0]), np.array([0.0, 540.0, 10.0, 0.0])).tolist() == pytest.approx(
        [1.0, 0.1, 0.0, np.nan], nan_ok=True
    )


def test_costs_are_stakes_times_the_losses_of_the_binary_decision():
    """sum of costs = - sum over borrowers of (C_FP + C_FN) u_c at c = C_FP / (C_FP + C_FN)."""
    rng = np.random.default_rng(5)
    refusal, default = rng.uniform(0, 9, 40), rng.uniform(0, 30, 40)
    y, p = rng.integers(0, 2, 40).astype(float), rng.uniform(size=40)
    c, stake = thresholds(refusal, default), refusal + default
    costs = total_cost(y, p >= c, refusal=refusal, default=default)
    losses = [binary_decision_utility([y[i]], [p[i]], c=c[i]) for i in range(40)]
    np.testing.assert_allclose(costs, -stake * losses)


def test_the_prior_of_thresholds_has_their_moments_weighted_by_the_stakes():
    refusal, default = np.array([10.0, 40.0, 0.0]), np.array([90.0, 360.0, 0.0])
    assert threshold_prior(refusal, default) is None  # one threshold, and one borrower with nothing at stake
    prior = threshold_prior(np.array([10.0, 100.0]), np.array([90.0, 100.0]))
    # c = 0.1 and 0.5 with stakes 100 and 200.
    mean = (0.1 * 100 + 0.5 * 200) / 300
    var = ((0.1 - mean) ** 2 * 100 + (0.5 - mean) ** 2 * 200) / 300
    assert prior.mean == pytest.approx(mean)
    assert prior.a * prior.b / ((prior.a + prior.b) ** 2 * (prior.a + prior.b + 1)) == pytest.approx(var)
    assert threshold_prior(np.array([-1.0, 1.0]), np.array([5.0, 5.0])) is None
    assert threshold_prior(np.zeros(2), np.zeros(2)) is None
    # Every threshold at an end of [0, 1] leaves no Beta distribution.
    assert threshold_prior(np.array([0.0, 1.0]), np.array([1.0, 0.0])) is None


def test_the_prior_of_a_split_comes_from_its_training_rows():
    split = split_of(SIDE, [1, 1, 1, 1], [0.5] * 4, TRAIN, [0, 1, 0, 0])
    moved = dataclasses.replace(split, side=split.side * 3, y=np.zeros(4))
    assert prior_of_thresholds(split) == prior_of_thresholds(moved)
    assert set(prior_of_thresholds(split)) == {"pwu_c"}
    negative = split_of(SIDE, [1] * 4, [0.5] * 4, SIDE, [1, 0, 0, 0], switches=["negative_credit"])
    assert prior_of_thresholds(negative) == {}


def test_every_outcome_costs_what_it_should():
    defaulted = np.array([1.0, 1.0, 0.0, 0.0])
    refused = np.array([True, False, True, False])
    costs = total_cost(defaulted, refused, refusal=np.array([1.0, 2, 4, 8]), default=np.array([16.0, 32, 64, 128]))
    assert costs.tolist() == [0, 32, 4, 0]


@given(st.integers(0, 10_000))
def test_costs_are_those_written_out_borrower_by_borrower(seed):
    rng = np.random.default_rng(seed)
    income, debt = rng.uniform(10, 2e4, 12), rng.uniform(0, 3, 12)
    y_train = np.array([0.0, 1.0] + [float(v) for v in rng.integers(0, 2, 6)])
    terms = Terms(rng.uniform(1e-3, 0.1), rng.uniform(1e-3, 0.1), 24, 3, rng.uniform(100, 3e4), 0.75)
    train, test = slice(0, 8), slice(8, 12)
    lines = credit_lines(income[train], debt[train], terms, negative=True)
    average = averages(lines, y_train, terms)
    tested = credit_lines(income[test], debt[test], terms, negative=True)
    refusal = refusal_costs(tested, terms, average, negative=True)
    expected = [
        written_out(inc, d, y_train, income[train], debt[train], terms)
        for inc, d in zip(income[test], debt[test], strict=True)
    ]
    np.testing.assert_allclose(np.column_stack([refusal, default_costs(tested, terms)]), expected, rtol=1e-8, atol=1e-6)


SIDE = {"income": [1000.0, 2000.0, 0.0, 5000.0], "debt": [0.2, 0.5, 0.0, 1.2]}
TRAIN = {"income": [1500.0, 1500.0, 4000.0, 800.0], "debt": [0.1, 0.1, 0.4, 0.3]}


def test_the_rule_minimises_expected_cost_whatever_the_probability():
    for p in np.linspace(0, 1, 21):
        split = split_of(SIDE, [0, 0, 0, 0], np.full(4, p), TRAIN, [0, 1, 0, 0])
        refusal, default = costs_of(split)
        refused = refuse_if_likelier(split)
        paid = np.where(refused, (1 - p) * refusal, p * default)
        assert (paid <= np.minimum((1 - p) * refusal, p * default) + 1e-9).all()


def test_a_borrower_exactly_at_the_threshold_is_refused():
    probe = split_of(SIDE, [0] * 4, [0.5] * 4, TRAIN, [0, 1, 0, 0])
    c = thresholds(*costs_of(probe))
    assert refuse_if_likelier(dataclasses.replace(probe, prediction=(c,))).tolist() == [True] * 4
    below = np.nextafter(c, -1)
    assert not refuse_if_likelier(dataclasses.replace(probe, prediction=(below,))).any()


def test_nobody_without_income_or_with_debts_above_it_earns_or_costs_a_default():
    split = split_of(SIDE, [1, 1, 1, 1], [0.0] * 4, TRAIN, [0, 1, 0, 0])
    _, default = costs_of(split)
    assert default[2:].tolist() == [0, 0]
    assert minus_cost(split, refuse_if_likelier(split)) == -default[:2].sum()
    published = dataclasses.replace(split, switches=frozenset({"negative_credit"}))
    assert costs_of(published)[1][3] < 0
    lend_to_all = np.zeros(4, dtype=bool)
    assert minus_cost(published, lend_to_all) > minus_cost(split, lend_to_all)


def test_averages_come_from_training_rows_unless_all_rows_are_asked_for():
    split = split_of(SIDE, [1, 1, 1, 1], [0.5] * 4, TRAIN, [0, 1, 0, 0])
    other_outcomes = dataclasses.replace(split, y=np.zeros(4))
    np.testing.assert_array_equal(costs_of(split)[0], costs_of(other_outcomes)[0])
    everybody = frozenset({"averages_all_rows"})
    changed = [costs_of(dataclasses.replace(s, switches=everybody))[0] for s in (split, other_outcomes)]
    assert (changed[0] != changed[1]).any()
    together = {key: [*TRAIN[key], *SIDE[key]] for key in SIDE}
    merged = split_of(SIDE, [1] * 4, [0.5] * 4, together, [0, 1, 0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(changed[0], costs_of(merged)[0], rtol=1e-12)


def test_annual_rates_and_the_limit_of_pakdd():
    pakdd = CASE.options_of(CASE.arm("pakdd"), {})
    assert terms_of(pakdd, frozenset()) == Terms(0.63 / 12, 0.165 / 12, 24, 3, 8250, 0.75)
    assert terms_of(pakdd, frozenset({"annual_rates"})) == Terms(0.63, 0.165, 24, 3, 25_000, 0.75)
    assert terms_of(CASE.options_of(CASE.arm("kaggle"), {}), frozenset()).rate == 0.0479 / 12


def test_an_option_of_the_configuration_wins_over_the_arms():
    assert CASE.options_of(CASE.arm("pakdd"), {"interest": 0.2, "months": 12})["interest"] == 0.2
    assert CASE.options_of(CASE.arm("pakdd"), {})["months"] == 24


def test_the_order_of_borrowers_does_not_matter_to_the_last_bit():
    rng = np.random.default_rng(3)
    side = {"income": rng.uniform(0, 9000, 50), "debt": rng.uniform(0, 1.4, 50)}
    y, p = rng.integers(0, 2, 50), rng.uniform(size=50)
    split = split_of(side, y, p, side, y)
    turned = split_of(
        {k: v[::-1] for k, v in side.items()}, y[::-1], p[::-1], {k: v[::-1] for k, v in side.items()}, y[::-1]
    )
    assert minus_cost(split, refuse_if_likelier(split)) == minus_cost(turned, refuse_if_likelier(turned))


def test_repeated_borrowers_count_once_each():
    twice = {key: values * 2 for key, values in SIDE.items()}
    once = split_of(SIDE, [1, 0, 1, 0], [0.9, 0.1, 0.2, 0.6], TRAIN, [0, 1, 0, 0])
    double = split_of(twice, [1, 0, 1, 0] * 2, [0.9, 0.1, 0.2, 0.6] * 2, TRAIN, [0, 1, 0, 0])
    assert minus_cost(double, refuse_if_likelier(double)) == pytest.approx(
        2 * minus_cost(once, refuse_if_likelier(once))
    )


def test_details_measure_against_the_trivial_decisions():
    split = split_of(SIDE, [1, 0, 1, 0], [1, 0, 1, 0], TRAIN, [0, 1, 0, 0])
    found = shares(split, refuse_if_likelier(split))
    # Perfect foresight costs nothing (a good borrower with a threshold of 0 would be refused, none is).
    assert found["savings"] == 1
    assert found["lend_to_all"] < 0
    assert found["refuse_all"] < 0
    everybody = shares(split, np.ones(4, dtype=bool))
    assert everybody["refused"] == 1
    assert everybody["savings"] == 1 - everybody["refuse_all"] / max(everybody["refuse_all"], everybody["lend_to_all"])


def test_side_information_of_both_sets():
    kaggle = pd.DataFrame({"MonthlyIncome": [0, 5000], "DebtRatio": [12.0, 0.3], "age": [30, 40]})
    assert borrowers(None, kaggle).to_dict("list") == {"income": [0.0, 5000.0], "debt": [12.0, 0.3]}
    pakdd = pd.DataFrame(
        {
            "PERSONAL_NET_INCOME": ["150", "400"],
            "MATE_INCOME": [0.0, 100.0],
            "QUANT_ADDITIONAL_CARDS_IN_THE_APPLICATION": [3, 1],
        }
    )
    assert borrowers(None, pakdd).to_dict("list") == {"income": [150.0, 500.0], "debt": [0.02, 0.002]}


@pytest.mark.skipif(not DATA_DIR, reason="UQALIGN_DATA_DIR is not set")
def test_the_real_borrowers(tmp_path):
    dataset = resolve("credit_kaggle")
    places = {"data_dir": Path(DATA_DIR), "download_dir": tmp_path}
    table = load(dataset, **places)
    side = side_of(CASE, table, cleaned_frame(dataset, table, **places))
    np.testing.assert_array_equal(side["income"], table.features["MonthlyIncome"])
    assert (side["income"] == 0).sum() == 1634
    terms = terms_of(CASE.options_of(CASE.arm("kaggle"), {}), frozenset())
    income, debt = side["income"].to_numpy(), side["debt"].to_numpy()
    published = credit_lines(income, debt, terms, negative=True)
    np.testing.assert_array_equal(published < 0, (debt > 1) & (income > 0))
    lines = credit_lines(income, debt, terms)
    np.testing.assert_array_equal(lines, np.maximum(published, 0))
    assert lines.max() == 25_000
    assert (lines[income == 0] == 0).all()
