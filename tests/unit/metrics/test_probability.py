"""Log score, Brier score, error rate."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from uqalign.metrics import (
    ClippedProbabilityWarning,
    accuracy,
    brier_score,
    count_clipped,
    error_rate,
    log_score,
)

FUNCTIONS = [log_score, brier_score, error_rate, accuracy]


def binary_problem(n=200, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p).astype(int), p, rng.integers(0, 4, n)


def multiclass_problem(n=200, k=4, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n)
    return np.array([rng.choice(k, p=row) for row in p]), p, rng.integers(0, 4, n)


def test_log_score_agrees_with_scikit_learn():
    y, p, w = binary_problem()
    assert log_score(y, p, sample_weight=w) == pytest.approx(log_loss(y, p, sample_weight=w), rel=1e-13)
    y, p, w = multiclass_problem()
    assert log_score(y, p, sample_weight=w) == pytest.approx(log_loss(y, p, sample_weight=w), rel=1e-13)


def test_brier_score_agrees_with_scikit_learn():
    y, p, w = binary_problem()
    assert brier_score(y, p, sample_weight=w) == pytest.approx(brier_score_loss(y, p, sample_weight=w), rel=1e-13)


def test_multiclass_brier_score_is_the_squared_distance_to_the_outcome():
    y, p, _ = multiclass_problem()
    direct = ((p - np.eye(4)[y]) ** 2).sum(axis=1)
    np.testing.assert_allclose(brier_score(y, p, reduction="none"), direct, rtol=1e-12)


def test_accuracy_agrees_with_scikit_learn():
    y, p, w = binary_problem()
    assert accuracy(y, p, sample_weight=w) == pytest.approx(accuracy_score(y, p > 0.5, sample_weight=w))
    y, p, w = multiclass_problem()
    assert accuracy(y, p, sample_weight=w) == pytest.approx(accuracy_score(y, p.argmax(1), sample_weight=w))


def test_classes_come_from_the_columns_not_from_the_labels_seen():
    # scikit-learn #4033
    assert log_score([0, 1], [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]) == pytest.approx(0.5249110622, abs=1e-10)


def test_one_class_only_is_scored_against_that_class():
    # scikit-learn #6703
    assert log_score([1, 1, 1], [0.9, 0.8, 0.7]) == pytest.approx(0.2283930036, abs=1e-10)


def test_a_fold_without_one_of_seven_classes_scores():
    # openml/automlbenchmark #205
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(7), 60)
    y = rng.integers(0, 6, 60)
    assert log_score(y, p) == pytest.approx(np.mean(-np.log(p[np.arange(60), y])))


def test_zero_probability_on_what_happened_scores_infinity():
    # scikit-learn #17399
    assert log_score([1], [0.0]) == math.inf
    assert log_score([0], [1.0]) == math.inf
    assert log_score([2], [[0.5, 0.5, 0.0]]) == math.inf
    assert log_score([0, 1], [0.3, 0.0]) == math.inf


def test_clip_is_explicit_and_counted():
    # scikit-learn #17399, #28851
    with pytest.warns(ClippedProbabilityWarning, match="1 of 1 rows"):
        assert log_score([1], [0.0], clip=1e-12) == pytest.approx(27.631021, abs=1e-6)
    with pytest.warns(ClippedProbabilityWarning, match="1 of 2 rows") as caught:
        value = log_score([1, 1], [0.0, 1.0], clip=1e-12)
    assert value == pytest.approx(27.631021 / 2, abs=1e-6)
    assert caught[0].message.count == 1
    assert count_clipped([1, 1], [0.0, 1.0], clip=1e-12) == 1
    assert count_clipped([1, 0], [0.0, 1.0], clip=1e-12, sample_weight=[0, 1]) == 1


def test_clip_without_effect_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert log_score([1, 0], [0.3, 0.2], clip=1e-12) == log_score([1, 0], [0.3, 0.2])


@pytest.mark.parametrize("clip", [0.0, 0.5, -1e-3, math.nan])
def test_meaningless_clip_is_refused(clip):
    with pytest.raises(ValueError, match="clip must lie in"):
        log_score([1], [0.5], clip=clip)


def test_log_score_keeps_its_digits_near_certainty():
    assert log_score([0], [1e-20]) == 1e-20
    assert log_score([1], [1.0]) == 0.0
    assert math.copysign(1, log_score([1], [1.0])) == 1.0


def test_brier_of_perfect_forecasts_is_zero():
    # scikit-learn #9300, #11245
    assert brier_score([1, 1, 1], [1, 1, 1]) == 0
    assert brier_score([0, 0], [0, 0]) == 0
    assert brier_score([2, 0], [[0, 0, 1], [1, 0, 0]]) == 0


def test_a_probability_of_one_half_is_no_positive_label():
    assert error_rate([0, 1], [0.5, 0.5]) == 0.5
    assert error_rate([0], [0.5]) == 0
    assert error_rate([1], [np.nextafter(0.5, 1)]) == 0


def test_multiclass_ties_go_to_the_lowest_index():
    p = [[0.4, 0.4, 0.2]]
    assert error_rate([0], p) == 0
    assert error_rate([1], p) == 1


def test_two_columns_are_read_by_the_second():
    # netcal #37
    y, p, _ = binary_problem()
    both = np.column_stack([1 - p, p])
    for function in FUNCTIONS:
        assert function(y, both) == function(y, p)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_labels_name_the_classes_in_column_order(function):
    y, p, _ = binary_problem(30)
    names = np.array(["no", "yes"])[y]
    assert function(names, p, labels=["no", "yes"]) == function(y, p)
    assert function(pd.Series(names), 1 - p, labels=["yes", "no"]) == function(1 - y, 1 - p)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_reduction_none_gives_the_rows(function):
    y, p, w = multiclass_problem(50)
    rows = function(y, p, reduction="none")
    assert rows.shape == (50,)
    assert function(y, p) == pytest.approx(rows.mean())
    assert function(y, p, sample_weight=w) == pytest.approx(np.average(rows, weights=w))
    with pytest.raises(ValueError, match="sample_weight has no effect"):
        function(y, p, reduction="none", sample_weight=w)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        ([0, 1], [0.2, 1.2], r"p\[1\] = .*1.2"),
        ([0, 1], [0.2, math.nan], r"p\[1\] = .*nan"),
        ([0, 2], [0.2, 0.3], r"y_true\[1\] = .*2"),
        ([0, math.nan], [0.2, 0.3], r"y_true\[1\]"),
        ([0], [[0.2, 0.3, 0.4]], r"p\[0\] sums to"),
        ([0, 1], [0.2], "rows"),
        ([], [], "no rows"),
        (["a"], [0.2], "labels="),
    ],
)
def test_bad_input_is_named(function, y, p, message):
    with pytest.raises(ValueError, match=message):
        function(y, p)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=30).filter(
        lambda rows: any(w for *_, w in rows)
    ),
    st.randoms(),
)
def test_row_order_and_dropped_rows_change_no_bit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    kept = [row for row in rows if row[2]]
    for function in FUNCTIONS:
        values = {
            function(*zip(*((y, p) for y, p, _ in some), strict=True), sample_weight=[w for *_, w in some])
            for some in (rows, shuffled, kept)
        }
        assert len(values) == 1
