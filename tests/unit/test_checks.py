"""Sums that no order and no scale can spoil, and values that are not read as numbers."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.checks import encode_labels, exact_sum, float_array, relative_weight, weighted_mean
from uqalign.metrics import brier_score, mean_squared_error, retention_auc

LARGE = 1.7e308


def test_a_partial_sum_beyond_the_largest_float_is_no_error():
    for order in itertools.permutations([LARGE, LARGE, -LARGE, 1e292]):
        assert exact_sum(np.array(order)) == LARGE + 1e292
    assert exact_sum(np.array([LARGE, LARGE])) == math.inf
    assert exact_sum(np.array([-LARGE, -LARGE])) == -math.inf


def test_the_mean_of_representable_values_is_representable():
    assert weighted_mean(np.full(3, LARGE), None) == pytest.approx(LARGE, rel=1e-15)
    assert weighted_mean(np.array([LARGE, LARGE]), np.array([1.0, 3.0])) == pytest.approx(LARGE, rel=1e-15)
    assert mean_squared_error([1.3e154, 1.3e154], [0, 0]) == pytest.approx(1.69e308, rel=1e-14)
    assert weighted_mean(np.array([math.inf, 1.0]), np.array([1.0, 2.0])) == math.inf


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e300, 4e307])
def test_only_ratios_of_weights_matter_however_large_or_small(unit):
    y, p = [1, 0, 1], [0.3, 0.4, 0.9]
    expected = brier_score(y, p, sample_weight=[1, 4, 2])
    assert brier_score(y, p, sample_weight=np.array([1, 4, 2]) * unit) == pytest.approx(expected, rel=1e-15)


def test_a_weight_beside_a_vastly_larger_one_still_counts():
    weights = [1e-300, 1e300]
    assert retention_auc([1, 0], [0.9, 0.4], sample_weight=weights) == 0.0
    assert retention_auc([0, 0], [0.9, 0.4], sample_weight=weights) == pytest.approx(0.0, abs=1e-300)
    assert weighted_mean(np.array([math.inf, 1.0]), np.array(weights)) == math.inf


@given(st.lists(st.floats(1e-200, 1e200), min_size=1, max_size=8))
def test_scaled_weights_keep_their_digits(weights):
    given = np.array(weights)
    scaled = relative_weight(given)
    assert 0.5 <= scaled.max() < 1
    kept = scaled > 1e-300
    np.testing.assert_array_equal(scaled[kept] / scaled.max(), given[kept] / given.max())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["0.3", "0.7"], "p must be numeric"),
        (np.array(["0.3", 0.7], dtype=object), "p must be numeric, got dtype object"),
        ([0.3 + 1j], "p must be numeric, got dtype complex128"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "p must be numeric, got dtype datetime64"),
        (np.array([3], dtype="timedelta64[s]"), "p must be numeric, got dtype timedelta64"),
        ([None, 0.3, "x"], "p must be numeric"),
        (np.ma.array([0.3, 99.0], mask=[False, True]), "p has masked entries"),
    ],
)
def test_what_is_no_number_is_not_read_as_one(values, message):
    with pytest.raises(ValueError, match=message):
        float_array(values, "p", ndim=1)


def test_numbers_of_other_types_are_numbers():
    assert float_array([Fraction(1, 4), Decimal("0.5"), True], "p", ndim=1).tolist() == [0.25, 0.5, 1.0]
    assert float_array(pd.array([1, 2], dtype="Int64"), "p", ndim=1).tolist() == [1.0, 2.0]
    assert float_array(np.ma.array([0.3, 0.4]), "p", ndim=1).tolist() == [0.3, 0.4]


def test_labels_that_are_text_need_their_order_even_if_they_look_like_numbers():
    with pytest.raises(ValueError, match=r"y_true holds <U1 labels: name the classes"):
        encode_labels(["0", "1"], None, 2)
    assert encode_labels(["0", "1"], ["1", "0"], 2).tolist() == [1.0, 0.0]
