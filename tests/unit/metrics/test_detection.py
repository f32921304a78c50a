"""AUROC, one-vs-rest AUROC, error detection."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import roc_auc_score

from uqalign.checks import UndefinedMetricWarning
from uqalign.metrics import (
    auroc,
    error_detection_auroc,
    multivariate_error_detection_auroc,
    one_vs_rest_auroc,
    regression_error_detection_auroc,
)


def test_auroc_agrees_with_scikit_learn_under_ties_and_weights():
    rng = np.random.default_rng(0)
    y, w = rng.integers(0, 2, 300), rng.random(300)
    score = np.round(rng.normal(size=300) + y, 1)
    assert auroc(y, score) == pytest.approx(roc_auc_score(y, score), rel=1e-13)
    weighted = roc_auc_score(y, score, sample_weight=w)
    assert auroc(y, score, sample_weight=w) == pytest.approx(weighted, rel=1e-13)


def test_tied_scores_need_not_be_neighbours():
    # smartcore #373
    assert auroc([0, 1, 1], [0.5, 0.9, 0.5]) == 0.75


def test_area_of_a_perfect_ranking_is_exactly_one_under_any_weights():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    for _ in range(100):
        weights = rng.random(20)
        assert auroc(y, np.arange(20), sample_weight=weights) == 1.0
        assert 0 < auroc(y, rng.random(20), sample_weight=weights) < 1


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e200, 1e308])
def test_area_does_not_depend_on_the_unit_of_weight(unit):
    assert auroc([1, 0, 0], [0.3, 0.2, 0.5], sample_weight=[unit] * 3) == 0.5


def test_one_class_has_no_auroc():
    # scikit-learn #8245, #30615
    for y in ([0, 0, 0], [1, 1, 1]):
        with pytest.warns(UndefinedMetricWarning, match="auroc is undefined"):
            assert math.isnan(auroc(y, [0.1, 0.2, 0.3]))


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(-20, 20)), min_size=2).filter(
        lambda rows: len({y for y, _ in rows}) == 2
    )
)
def test_monotone_relabelling_of_scores_changes_nothing(rows):
    y, score = np.array(rows, dtype=float).T
    assert auroc(y, score) == auroc(y, np.exp(score)) == auroc(y, 3 * score - 7)
    assert auroc(y, score) == pytest.approx(1 - auroc(y, -score), abs=1e-15)


def test_absent_class_is_left_out_of_the_macro_average():
    # scikit-learn #24636
    score = [[0.1, 0.7, 0.2], [0.2, 0.3, 0.5]]
    with pytest.warns(UndefinedMetricWarning, match="class 0"):
        average, areas = one_vs_rest_auroc([1, 2], score)
    assert math.isnan(areas[0])
    assert areas[1:].tolist() == [1.0, 1.0]
    assert average == 1.0


def test_a_class_of_weight_zero_may_be_undefined():
    # scikit-learn #10891
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average, _ = one_vs_rest_auroc([1, 2], [[0.1, 0.7, 0.2], [0.2, 0.3, 0.5]], class_weight=[0, 1, 3])
    assert average == 1.0


def test_one_vs_rest_agrees_with_scikit_learn():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 200)
    y, w = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    average, areas = one_vs_rest_auroc(y, p)
    assert average == pytest.approx(roc_auc_score(y, p, multi_class="ovr"), rel=1e-13)
    shares = np.bincount(y)
    weighted, _ = one_vs_rest_auroc(y, p, class_weight=shares)
    assert weighted == pytest.approx(roc_auc_score(y, p, multi_class="ovr", average="weighted"), rel=1e-13)
    _, counted = one_vs_rest_auroc(np.where(w > 0, y, -1), p, sample_weight=w)
    for k in range(4):
        assert areas[k] == pytest.approx(roc_auc_score(y == k, p[:, k]))
        assert counted[k] == pytest.approx(roc_auc_score(y == k, p[:, k], sample_weight=w))


def test_one_vs_rest_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="class_weight has 2"):
        one_vs_rest_auroc([0, 1], np.eye(3)[:2], class_weight=[1, 1])
    with pytest.raises(ValueError, match=r"class_weight\[0\]"):
        one_vs_rest_auroc([0, 1], np.eye(3)[:2], class_weight=[-1, 1, 1])
    with pytest.raises(ValueError, match="y_true must have shape"):
        one_vs_rest_auroc([0, 1, 2], np.eye(3)[:2])
    with pytest.raises(ValueError, match=r"score\[1\] = .*nan"):
        one_vs_rest_auroc([0, 1], [[0.1, 0.2], [math.nan, 0.1]])
    with pytest.warns(UndefinedMetricWarning, match="no class"):
        assert math.isnan(one_vs_rest_auroc([0, 0], np.eye(2))[0])


def test_confidence_within_rounding_of_one_still_ranks():
    # torchmetrics #2819
    p = 1 - 10.0 ** -np.array([13, 14, 15, 15.5])
    wrong = np.array([1, 0, 0, 0])
    assert error_detection_auroc(1 - wrong, p) == 1.0
    assert error_detection_auroc(wrong, 10.0 ** -np.array([20, 30, 40, 50.0])) == 1.0
    rest = 10.0 ** -np.array([13, 14, 15, 15.5])
    multiclass = np.column_stack([1 - rest, rest / 2, rest / 2])
    assert error_detection_auroc(wrong, multiclass) == 1.0


def test_uncertainty_ranks_as_entropy():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.integers(0, 2, 200)
    wrong = (p > 0.5) != y
    binary = roc_auc_score(wrong, entropy(np.stack([p, 1 - p])))
    assert error_detection_auroc(y, p) == pytest.approx(binary, rel=1e-12)
    q = rng.dirichlet(np.ones(4), 200)
    y = rng.integers(0, 4, 200)
    multiclass = roc_auc_score(q.argmax(axis=1) != y, entropy(q, axis=1))
    assert error_detection_auroc(y, q) == pytest.approx(multiclass, rel=1e-12)


def test_undefined_without_errors_and_with_errors_only():
    with pytest.warns(UndefinedMetricWarning, match="no label is wrong"):
        assert math.isnan(error_detection_auroc([1, 0], [0.9, 0.2]))
    with pytest.warns(UndefinedMetricWarning, match="all labels are wrong"):
        assert math.isnan(error_detection_auroc([0, 1], [0.9, 0.2]))
    with pytest.warns(UndefinedMetricWarning, match="no relative error is above 0.1"):
        assert math.isnan(regression_error_detection_auroc([1, 2], [1, 2], [1, 2]))
    with pytest.warns(UndefinedMetricWarning, match="all relative errors are above 0.1"):
        assert math.isnan(regression_error_detection_auroc([1, 2], [3, 3], [1, 2]))


def test_regression_errors_are_relative():
    y = np.array([10.0, 10.0, -10.0, 0.0])
    mean = np.array([10.9, 11.2, -8.5, 0.0])
    var = np.array([1.0, 3.0, 2.0, 0.5])
    assert regression_error_detection_auroc(y, mean, var) == 1.0
    assert regression_error_detection_auroc(y, mean, 4 - var) == 0.0
    assert regression_error_detection_auroc(y, mean, var, tolerance=0.13) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="tolerance"):
        regression_error_detection_auroc(y, mean, var, tolerance=-1)
    with pytest.raises(ValueError, match="eps"):
        regression_error_detection_auroc(y, mean, var, eps=0)


def test_multivariate_averages_the_defined_coordinates():
    rng = np.random.default_rng(2)
    y = rng.normal(size=(40, 2)) + 5
    mean = y + rng.normal(size=(40, 2))
    cov = rng.gamma(1, 1, (40, 1, 1)) * np.array([[1.0, 0.2], [0.2, 2.0]])
    each = [regression_error_detection_auroc(y[:, d], mean[:, d], cov[:, d, d]) for d in range(2)]
    assert multivariate_error_detection_auroc(y, mean, cov) == pytest.approx(np.mean(each))
    mean[:, 1] = y[:, 1]
    with pytest.warns(UndefinedMetricWarning, match="coordinate 1"):
        assert multivariate_error_detection_auroc(y, mean, cov) == pytest.approx(each[0])
    with pytest.warns(UndefinedMetricWarning, match="no coordinate"):
        assert math.isnan(multivariate_error_detection_auroc(y, y, cov))
