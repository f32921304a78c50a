"""Bootstrap, sign flips and Holm against enumeration, scipy and simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uqalign.inference import bootstrap_means, holm, mean_over_datasets, probability_positive, sign_flip_p_values
from uqalign.inference.sign_flip import EXACT_UP_TO


def test_bootstrap_has_the_moments_of_every_resample():
    # Two data sets of two and three seeds: all resamples can be listed, with their probabilities.
    data = [np.array([[0.0], [1.0]]), np.array([[2.0], [5.0], [8.0]])]
    of_one = [[np.mean(c) for c in itertools.product(values[:, 0], repeat=len(values))] for values in data]
    resamples = [
        (np.mean([x, y]), 1 / 4 / len(of_one[i]) / len(of_one[j]))
        for i, j in itertools.product(range(2), repeat=2)
        for x in of_one[i]
        for y in of_one[j]
    ]
    mean = sum(p * x for x, p in resamples)
    variance = sum(p * (x - mean) ** 2 for x, p in resamples)
    draws = bootstrap_means(data, draws=40_000, rng=np.random.default_rng(0))[:, 0]
    assert draws.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 40_000))
    assert draws.var() == pytest.approx(variance, rel=0.03)
    positive = sum(p * (np.sign(x - 2) + 1) / 2 for x, p in resamples)
    assert probability_positive(draws[:, None] - 2)[0] == pytest.approx(positive, abs=0.01)


def test_bootstrap_over_many_data_sets_equals_scipy():
    values = np.random.default_rng(2).normal(size=30)
    draws = bootstrap_means([np.array([[v]]) for v in values], draws=20_000, rng=np.random.default_rng(0))[:, 0]
    expected = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    assert np.quantile(draws, [0.025, 0.975]) == pytest.approx(expected, abs=0.02)


def test_columns_share_the_draws():
    values = np.random.default_rng(3).normal(size=(6, 1))
    draws = bootstrap_means([np.hstack([values, values + 1])] * 2, draws=100, rng=np.random.default_rng(0))
    np.testing.assert_allclose(draws[:, 1] - draws[:, 0], 1)


def test_undefined_values_are_left_out_and_not_made_up():
    nan = math.nan
    data = [np.array([[1.0, nan], [3.0, nan]]), np.array([[nan, nan], [6.0, nan]])]
    pooled, means = mean_over_datasets(data)
    np.testing.assert_array_equal(pooled, [4, nan])
    np.testing.assert_array_equal(means, [[2, nan], [6, nan]])
    draws = bootstrap_means(data, draws=500, rng=np.random.default_rng(0))
    assert np.isnan(draws[:, 1]).all()
    # A draw of the second data set alone whose seeds are both the undefined one has no mean.
    assert 0 < np.isnan(draws[:, 0]).sum() < 100
    assert set(draws[~np.isnan(draws[:, 0]), 0]) <= {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 6}
    assert math.isnan(probability_positive(draws)[1])
    with pytest.raises(ValueError, match="at least one data set"):
        bootstrap_means([], rng=np.random.default_rng(0))


def test_ties_count_one_half():
    assert probability_positive(np.array([[0.0, 1], [0, -1], [0, 2], [0, 3]])).tolist() == [0.5, 0.75]


@given(st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=8))
def test_sign_flips_equal_scipy(values):
    array = np.array(values)
    expected = stats.permutation_test(
        (array,), lambda x, axis: np.abs(x.mean(axis=axis)), permutation_type="samples", alternative="greater",
        n_resamples=np.inf, vectorized=True,
    ).pvalue  # fmt: skip
    assert sign_flip_p_values(array[:, None])[0] == pytest.approx(expected)


def test_sign_flips_of_few_and_of_many_units():
    # Whatever the data, three data sets cannot be more significant than 2 / 2^3.
    assert sign_flip_p_values(np.array([[1.0], [2], [300]]))[0] == 0.25
    assert sign_flip_p_values(np.array([[1.0, math.nan], [math.nan, math.nan]])).tolist()[0] == 1
    assert math.isnan(sign_flip_p_values(np.array([[math.nan]]))[0])
    values = np.random.default_rng(0).normal(0.4, 1, size=(EXACT_UP_TO + 10, 1))
    normal = 2 * stats.norm.sf(values.sum() / math.sqrt((values**2).sum()))
    assert sign_flip_p_values(values)[0] == pytest.approx(normal, abs=0.02)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    np.testing.assert_array_equal(holm([math.nan, 0.6, 0.7]), [math.nan, 1, 1])
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        holm([1.2])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_the_closed_test_of_bonferroni(p_values):
    # A hypothesis is rejected iff every intersection that holds it is: the closure principle.
    n = len(p_values)
    for i, adjusted in enumerate(holm(p_values)):
        subsets = [s for size in range(1, n + 1) for s in itertools.combinations(range(n), size) if i in s]
        closed = max(min(1, len(s) * min(p_values[j] for j in s)) for s in subsets)
        assert adjusted == pytest.approx(closed)


def test_holm_keeps_the_family_wise_error():
    rng = np.random.default_rng(4)
    p = np.concatenate([rng.uniform(size=(2000, 6)), rng.beta(0.1, 5, size=(2000, 4))], axis=1)
    false = np.mean([(holm(row)[:6] < 0.1).any() for row in p])
    assert false < 0.1 + 3 * math.sqrt(0.09 / 2000)
