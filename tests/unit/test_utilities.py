"""Decision utilities against their definitions row by row, every order of tied rows, and the edges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqalign.checks import UndefinedMetricWarning
from uqalign.utilities import (
    binary_decision_utility,
    multivariate_selective_utility,
    one_vs_rest_utility,
    risk_averse_top_k_utility,
    selective_utility,
    top_k_utility,
)


def test_binary_decision_follows_its_table_of_costs():
    y, p, c = [1, 1, 0, 0], [0.3, 0.1, 0.3, 0.1], 0.2
    rows = binary_decision_utility(y, p, c=c, reduction="none")
    assert rows.tolist() == [0.0, -0.8, -0.2, 0.0]
    assert binary_decision_utility(y, p, c=c) == -0.25


def test_binary_decision_does_not_act_at_the_threshold():
    assert binary_decision_utility([1, 0], [0.5, 0.5], c=0.5, reduction="none").tolist() == [-0.5, 0.0]


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_binary_decision_at_cost_one_never_loses(p):
    # rtichoke #43
    value = binary_decision_utility([0, 1], [p, p], c=1)
    assert value == 0
    assert math.copysign(1, value) == 1


def test_binary_decision_at_cost_zero_acts_on_any_positive_probability():
    assert binary_decision_utility([1], [0.0], c=0) == -1
    assert binary_decision_utility([1, 0], [1e-300, 1e-300], c=0) == 0


@pytest.mark.parametrize("c", [-0.1, 1.1, math.nan, "x"])
def test_binary_decision_refuses_bad_costs(c):
    with pytest.raises(ValueError, match="c = "):
        binary_decision_utility([1], [0.5], c=c)


def test_binary_decision_weights_drop_and_repeat_rows():
    y, p = [1, 0, 1], [0.05, 0.7, np.nan]
    kept = binary_decision_utility(y[:2], p[:2], c=0.1)
    assert binary_decision_utility(y, p, c=0.1, sample_weight=[1, 1, 0]) == kept
    twice = binary_decision_utility([1, 1, 0], [0.05, 0.05, 0.7], c=0.1)
    assert binary_decision_utility(y[:2], p[:2], c=0.1, sample_weight=[2, 1]) == pytest.approx(twice, rel=1e-15)


def test_binary_decision_reads_labels_and_two_columns():
    p = np.array([[0.9, 0.1], [0.2, 0.8]], dtype=np.float32)
    named = binary_decision_utility(["no", "yes"], p, c=0.3, labels=("no", "yes"))
    assert named == binary_decision_utility([0, 1], p[:, 1], c=0.3) == 0


def test_weights_with_reduction_none_are_refused():
    with pytest.raises(ValueError, match="sample_weight has no effect"):
        selective_utility([1.0], [1.0], [1.0], cost=1, sample_weight=[1], reduction="none")


def test_one_vs_rest_is_the_binary_utility_of_one_class():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(4), size=50)
    y = rng.integers(0, 4, 50)
    for j in range(4):
        expected = binary_decision_utility(y == j, p[:, j], c=0.2)
        assert one_vs_rest_utility(y, p, j=j, c=0.2) == expected


@pytest.mark.parametrize("j", [-1, 3, 1.0, True])
def test_one_vs_rest_refuses_classes_without_a_column(j):
    with pytest.raises(ValueError, match="column index of p, 0 to 2"):
        one_vs_rest_utility([0], [[0.2, 0.3, 0.5]], j=j, c=0.2)


def test_top_k_of_all_tied_scores_is_the_prevalence_in_every_order():
    # numpy #24064: the order of equal keys depends on the processor.
    for positives in itertools.combinations(range(8), 4):
        y = np.isin(np.arange(8), positives)
        assert top_k_utility(y, [0.5] * 8, k=3) == 0.5
        # As targets of a regression the same rows take another path through the sort.
        values = np.where(y, 1.5, -0.5)
        assert risk_averse_top_k_utility(values, [0.5] * 8, [1.0] * 8, k=3, aversion=0) == 0.5


def test_top_k_with_ties_across_the_edge():
    # pytorch #27542: topk picked different tied indices for different k.
    score, y = [0.1, 0.2, 0.5, 0.4, 0.5], [0, 0, 1, 0, 0]
    assert [top_k_utility(y, score, k=k) for k in (1, 2)] == [0.5, 0.5]
    assert top_k_utility(y, score, k=3) == pytest.approx(1 / 3, rel=1e-15)


def test_top_k_without_positives_is_plain_zero():
    # scikit-learn #8245, #30615
    for k in (1, 2, 3):
        assert str(top_k_utility([0, 0, 0], [0.1, 0.2, 0.3], k=k)) == "0.0"


def test_top_k_of_every_row_is_the_prevalence():
    assert top_k_utility([1, 0, 0, 1], [4, 3, 2, 1], k=4) == 0.5


@pytest.mark.parametrize(
    ("k", "message"), [(4, r"k = 4 exceeds the n = 3 rows"), (0, "at least 1"), (1.5, "whole number")]
)
def test_top_k_refuses_impossible_capacities(k, message):
    with pytest.raises(ValueError, match=message):
        top_k_utility([1, 0, 0], [0.1, 0.2, 0.3], k=k)


def brute_top_k(payoff, score, k):
    """Mean over every order of the rows of the mean payoff of the first k after a stable sort."""
    values = []
    for permutation in itertools.permutations(range(len(score))):
        ranked = sorted(permutation, key=lambda i: -score[i])
        values.append(np.mean([payoff[i] for i in ranked[:k]]))
    return np.mean(values)


@pytest.mark.parametrize("seed", range(4))
def test_tied_rows_count_as_the_mean_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    y, score = rng.integers(0, 2, 6), rng.integers(0, 3, 6).astype(float)
    for k in range(1, 7):
        assert top_k_utility(y, score, k=k) == pytest.approx(brute_top_k(y, score, k), abs=1e-14)


@pytest.mark.parametrize("payoff", ["reported", "residual"])
def test_risk_averse_tied_rows_count_as_the_mean_over_all_orders(payoff):
    rng = np.random.default_rng(3)
    y, mean, var = rng.normal(size=6), rng.integers(0, 2, 6).astype(float), rng.integers(1, 3, 6).astype(float)
    gamma = 0.5
    charged = var if payoff == "reported" else (y - mean) ** 2
    for k in range(1, 7):
        expected = brute_top_k(y - gamma * charged, mean - gamma * var, k)
        value = risk_averse_top_k_utility(y, mean, var, k=k, aversion=gamma, payoff=payoff)
        assert value == pytest.approx(expected, abs=1e-14)


@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=12).filter(
        lambda rows: sum(weight for *_, weight in rows) > 0
    ),
    data=st.data(),
)
@settings(deadline=None)
def test_whole_weights_repeat_rows_in_the_ranking(rows, data):
    y, score, weight = (np.array(column) for column in zip(*rows, strict=True))
    total = int(weight.sum())
    k = data.draw(st.integers(1, total))
    repeated = top_k_utility(np.repeat(y, weight), np.repeat(score, weight), k=k)
    assert top_k_utility(y, score, k=k, sample_weight=weight) == pytest.approx(repeated, abs=1e-15)


def test_fractional_weights_fill_the_capacity_in_part():
    # 1.5 places of the first row, half a place of the second.
    assert top_k_utility([1, 0], [0.9, 0.1], k=2, sample_weight=[1.5, 1.5]) == pytest.approx(0.75, rel=1e-15)
    with pytest.raises(ValueError, match=r"total sample weight 1\.5"):
        top_k_utility([1, 0], [0.9, 0.1], k=2, sample_weight=[1.0, 0.5])


def test_tenths_that_make_a_whole_number_of_rows_are_that_number():
    assert top_k_utility([1] * 30, range(30), k=3, sample_weight=[0.1] * 30) == pytest.approx(1, rel=1e-14)


@given(
    scores=st.lists(st.integers(-6, 6), min_size=2, max_size=20),
    seed=st.integers(0, 1000),
)
@settings(deadline=None)
def test_top_k_ignores_row_order_and_monotone_relabelling(scores, seed):
    rng = np.random.default_rng(seed)
    score, y, order = np.array(scores), rng.integers(0, 2, len(scores)), rng.permutation(len(scores))
    k = int(rng.integers(1, len(scores) + 1))
    value = top_k_utility(y, score, k=k)
    assert top_k_utility(y[order], score[order], k=k) == value
    assert top_k_utility(y, np.exp(score / 2.0), k=k) == value


def test_weighted_utilities_ignore_row_order_bit_for_bit():
    rng = np.random.default_rng(5)
    y, mean, var, weight = rng.normal(size=200), rng.normal(size=200), rng.random(200), rng.random(200)
    mean[:50] = mean[50:100]
    var[:50] = var[50:100]
    value = risk_averse_top_k_utility(y, mean, var, k=20, aversion=1.0, sample_weight=weight)
    for _ in range(5):
        o = rng.permutation(200)
        shuffled = risk_averse_top_k_utility(y[o], mean[o], var[o], k=20, aversion=1.0, sample_weight=weight[o])
        assert shuffled == value


def test_selective_predicts_at_the_threshold():
    rows = selective_utility([1.0, 1.0, 1.0], [3.0, 3.0, 3.0], [0.5, 0.6, 0.0], cost=0.5, reduction="none")
    assert rows.tolist() == [-4.0, -0.5, -4.0]


def test_selective_that_never_abstains_is_minus_the_squared_error():
    assert selective_utility([1.0, 2.0], [0.0, 0.0], [1e300, 5.0], cost=math.inf) == -2.5
    with pytest.raises(ValueError, match="cost"):
        selective_utility([1.0], [0.0], [1.0], cost=-1)


def test_selective_weights_apply_to_abstaining_rows_too():
    # scikit-learn #13412: a special-case branch forgot the weights.
    y, mean = [1.0, 2.0], [0.0, 0.0]
    assert selective_utility(y, mean, [9.0, 0.01], cost=1, sample_weight=[0, 1]) == -4
    assert selective_utility(y, mean, [9.0, 0.01], cost=1, sample_weight=[3, 1]) == pytest.approx(-7 / 4)


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
def test_regression_utilities_scale_with_the_unit(unit):
    rng = np.random.default_rng(2)
    y, mean, var = rng.normal(size=40), rng.normal(size=40), rng.random(40)
    scaled = selective_utility(y * unit, mean * unit, var * unit**2, cost=0.4 * unit**2)
    assert scaled == pytest.approx(unit**2 * selective_utility(y, mean, var, cost=0.4), rel=1e-12)
    scaled = risk_averse_top_k_utility(y * unit, mean * unit, var * unit**2, k=5, aversion=0.3 / unit)
    assert scaled == pytest.approx(unit * risk_averse_top_k_utility(y, mean, var, k=5, aversion=0.3), rel=1e-12)


def test_risk_averse_payoff_charges_reported_variance_or_residual():
    y, mean, var = [3.0, 1.0], [2.0, 1.5], [0.5, 4.0]
    assert risk_averse_top_k_utility(y, mean, var, k=1, aversion=0.2) == 3 - 0.2 * 0.5
    assert risk_averse_top_k_utility(y, mean, var, k=1, aversion=0.2, payoff="residual") == 3 - 0.2 * 1.0
    with pytest.raises(ValueError, match="payoff must be"):
        risk_averse_top_k_utility(y, mean, var, k=1, aversion=0.2, payoff="variance")
    with pytest.raises(ValueError, match="aversion"):
        risk_averse_top_k_utility(y, mean, var, k=1, aversion=math.inf)


def test_risk_neutral_ranking_is_by_mean():
    y, mean = [0.0, 1.0, 2.0], [3.0, 1.0, 2.0]
    assert risk_averse_top_k_utility(y, mean, [9.0, 9.0, 0.0], k=2, aversion=0) == 1.0


def test_multivariate_selective_is_the_mean_of_standardised_coordinates():
    rng = np.random.default_rng(4)
    y, mean = rng.normal(size=(30, 3)) * [1, 10, 0.1], rng.normal(size=(30, 3))
    half = rng.normal(size=(30, 3, 3))
    cov = half @ half.transpose(0, 2, 1)
    v = y.var(axis=0)
    expected = np.mean([selective_utility(y[:, d], mean[:, d], cov[:, d, d], cost=0.4 * v[d]) / v[d] for d in range(3)])
    assert multivariate_selective_utility(y, mean, cov, cost=0.4) == pytest.approx(expected, rel=1e-13)


def test_multivariate_selective_predicts_at_the_threshold():
    value = multivariate_selective_utility([[2.0]], [[0.0]], [[[0.5]]], cost=0.25, target_variance=2.0)
    assert value == -2.0


def test_multivariate_selective_of_a_constant_coordinate_is_undefined_without_a_scale():
    y, mean, cov = np.array([[1.0, 2.0], [1.0, 3.0]]), np.zeros((2, 2)), np.stack([np.eye(2)] * 2)
    with pytest.warns(UndefinedMetricWarning, match="coordinate 0 of y_true is constant"):
        assert math.isnan(multivariate_selective_utility(y, mean, cov, cost=0.4))
    assert multivariate_selective_utility(y, mean, cov, cost=0.4, target_variance=0.1) == -0.4
    with pytest.raises(ValueError, match="target_variance must be finite and > 0"):
        multivariate_selective_utility(y, mean, cov, cost=0.4, target_variance=[1, 0])
    with pytest.raises(ValueError, match="one per coordinate"):
        multivariate_selective_utility(y, mean, cov, cost=0.4, target_variance=[1, 1, 1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_predictions_are_named(bad):
    with pytest.raises(ValueError, match=r"var\[1\]"):
        selective_utility([1.0, 2.0], [1.0, 2.0], [1.0, bad], cost=1)
    with pytest.raises(ValueError, match=r"score\[1\]"):
        top_k_utility([0, 1], [1.0, bad], k=1)


def test_a_row_that_costs_everything_costs_nothing_unless_selected():
    # Aversion times variance overflows in the second row, which is ranked last.
    rows = ([1.0, 2.0], [5.0, 0.0], [0.0, 1e300])
    with np.errstate(over="ignore"):
        assert risk_averse_top_k_utility(*rows, k=1, aversion=1e10) == 1.0
        assert risk_averse_top_k_utility(*rows, k=2, aversion=1e10) == -math.inf


def test_weights_that_are_no_numbers_of_rows_are_refused():
    for weight in (1e300, 1e-300):
        with pytest.raises(ValueError, match=r"sample_weight sums to .* rescale"):
            top_k_utility([1, 0], [0.3, 0.2], k=1, sample_weight=[weight, weight])
