"""Means over correlated repeats: against scipy where they are independent, by simulation where they are not."""

import math

import numpy as np
import pytest
from scipy import stats

from uqalign.inference import resampled_mean


def test_independent_values_give_the_usual_t():
    values = np.random.default_rng(0).normal(0.3, 1, size=12)
    found = resampled_mean(values, test_train_ratio=0)
    expected = stats.ttest_1samp(values, 0)
    low, high = expected.confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx((low, high))
    assert float(found.p_value()) == pytest.approx(expected.pvalue)
    one_sided = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    assert float(found.probability_positive()) == pytest.approx(1 - one_sided)


def test_the_correction_by_hand():
    # mean 2, S^2 = 1, three repeats of five folds: standard error sqrt(1/3 + 1/4).
    found = resampled_mean([1, 2, 3], test_train_ratio=1 / 4)
    assert (float(found.mean), int(found.count)) == (2, 3)
    assert float(found.std_error) == pytest.approx(math.sqrt(7 / 12))


def test_coverage_where_the_assumption_holds():
    # Repeats that share the test share of the data: correlation n_test / (n_test + n_train) = 0.2.
    rng = np.random.default_rng(1)
    shared, own = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 8))
    values = math.sqrt(0.2) * shared + math.sqrt(0.8) * own
    for level in (0.5, 0.95):
        low, high = resampled_mean(values, test_train_ratio=0.25).interval(level)
        tolerance = 4 * math.sqrt(level * (1 - level) / 20_000)
        assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(level, abs=tolerance)
    low, high = resampled_mean(values, test_train_ratio=0).interval()
    assert np.mean((low <= 0) & (high >= 0)) < 0.8
    p = resampled_mean(values, test_train_ratio=0.25).p_value()
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.007)


def test_undefined_repeats_are_absent():
    values = np.array([[1, math.nan, 3, 2], [math.nan] * 4, [5, math.nan, math.nan, math.nan]])
    found = resampled_mean(values, test_train_ratio=0.25)
    assert found.count.tolist() == [3, 0, 1]
    np.testing.assert_array_equal(found.mean, [2, math.nan, 5])
    assert found.std_error[0] == pytest.approx(math.sqrt(7 / 12))
    for number in (found.std_error, *found.interval(), found.p_value(), found.probability_positive()):
        assert np.isnan(number).tolist() == [False, True, True]


def test_repeats_that_are_all_equal():
    found = resampled_mean([[0.1 + 0.2] * 3, [0.0] * 3, [-1.0] * 3], test_train_ratio=0.25)
    assert found.std_error.tolist() == [0, 0, 0]
    assert found.probability_positive().tolist() == [1, 0.5, 0]
    assert found.p_value().tolist() == [0, 1, 0]
    assert found.interval()[0].tolist() == found.mean.tolist()


def test_bad_arguments():
    with pytest.raises(ValueError, match="test_train_ratio must be finite and >= 0, got -1"):
        resampled_mean([1, 2], test_train_ratio=-1)
    with pytest.raises(ValueError, match="finite numbers"):
        resampled_mean([1, math.inf], test_train_ratio=0)
    with pytest.raises(ValueError, match="finite numbers"):
        resampled_mean(1.0, test_train_ratio=0)
    with pytest.raises(ValueError, match=r"level must lie in \(0, 1\), got 95"):
        resampled_mean([1, 2], test_train_ratio=0).interval(95)
