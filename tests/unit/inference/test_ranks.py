"""Friedman, Nemenyi, concordance and first places against scipy, published tables and loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from uqalign.inference import (
    average_ranks,
    cliques,
    first_places,
    friedman,
    kendall_w,
    mean_pairwise_tau,
    nemenyi_difference,
)

scores = arrays(float, (4, 5), elements=st.integers(0, 3).map(float))


@given(scores)
def test_friedman_equals_scipy(values):
    found = friedman(values, permutations=1)
    if all(len(set(row)) == 1 for row in values):
        assert math.isnan(found.statistic)
        return
    expected = stats.friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_asymptotic == pytest.approx(expected.pvalue, abs=1e-9)


def test_permutation_p_value_of_three_blocks_by_enumeration():
    values = np.array([[3.0, 2, 1], [3, 1, 2], [3, 2, 1]])
    ranks = average_ranks(values)
    observed = ((ranks.sum(axis=0) - 6) ** 2).sum()
    every = itertools.product(*(itertools.permutations(row) for row in ranks))
    exact = np.mean([((np.sum(rows, axis=0) - 6) ** 2).sum() >= observed for rows in every])
    assert friedman(values).p_permutation == pytest.approx(exact, abs=0.02)


def test_too_little_to_test():
    for values in (np.array([[1.0, 2, 3]]), np.ones((3, 3)), np.empty((0, 3)), np.ones((3, 1))):
        found = friedman(values)
        assert math.isnan(found.statistic)
        assert math.isnan(found.p_permutation)
    assert friedman(np.array([[1.0, 2, 3]])).mean_ranks.tolist() == [3, 2, 1]
    with pytest.raises(ValueError, match="leave out"):
        friedman(np.array([[1, math.nan]]))


@pytest.mark.parametrize(("treatments", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_critical_difference_by_the_published_table(treatments, q):
    # Demsar (2006), Table 5(a), alpha = 0.05.
    expected = q * math.sqrt(treatments * (treatments + 1) / (6 * 14))
    assert nemenyi_difference(treatments, 14) == pytest.approx(expected, abs=2e-3)
    assert math.isnan(nemenyi_difference(treatments, 1))
    assert math.isnan(nemenyi_difference(1, 14))


def test_nemenyi_keeps_the_family_wise_error():
    rng = np.random.default_rng(0)
    ranks = average_ranks(rng.normal(size=(20 * 2000, 6))).reshape(2000, 20, 6).mean(axis=1)
    wrong = np.mean(np.ptp(ranks, axis=1) > nemenyi_difference(6, 20))
    assert wrong == pytest.approx(0.05, abs=0.02)


def test_cliques_are_the_largest_groups():
    assert cliques(np.array([3.0, 1, 2, 9]), 1.0) == [[1, 2], [2, 0]]
    assert cliques(np.array([1.0, 2, 3]), 5) == [[0, 1, 2]]
    assert cliques(np.array([1.0, 2, 3]), 0.5) == []
    assert cliques(np.array([1.0, 2]), math.nan) == [[0, 1]]


@given(scores)
def test_concordance_follows_from_friedman(values):
    # W = chi^2 / (seeds (models - 1)), ties corrected in both.
    w = kendall_w(values)
    if math.isnan(w):
        assert all(len(set(row)) == 1 for row in values)
    else:
        assert w == pytest.approx(stats.friedmanchisquare(*values.T).statistic / (4 * 4), abs=1e-9)


def test_concordance_is_the_mean_rank_correlation():
    # Without ties, the mean of Spearman's rho over pairs of seeds is (m W - 1) / (m - 1).
    values = np.random.default_rng(0).normal(size=(6, 8))
    rho = stats.spearmanr(values.T).statistic[np.triu_indices(6, 1)].mean()
    assert kendall_w(values) == pytest.approx((5 * rho + 1) / 6)


@given(arrays(float, (4, 5), elements=st.sampled_from([0.0, 1, 2, math.nan])))
def test_mean_pairwise_tau_equals_a_loop(values):
    taus = []
    for a, b in itertools.combinations(values, 2):
        both = ~(np.isnan(a) | np.isnan(b))
        tau = stats.kendalltau(a[both], b[both]).statistic if both.sum() > 1 else math.nan
        taus.append(tau)
    defined = [tau for tau in taus if not math.isnan(tau)]
    mean, count, pairs = mean_pairwise_tau(values)
    assert (count, pairs) == (len(defined), 6)
    assert mean == pytest.approx(np.mean(defined) if defined else math.nan, nan_ok=True)


def test_stability_of_special_rankings():
    same = np.array([[1.0, 2, 3]] * 4)
    assert kendall_w(same) == 1
    assert mean_pairwise_tau(same) == (1, 6, 6)
    assert kendall_w(np.array([[1.0, 2], [2, 1]])) == 0
    assert math.isnan(kendall_w(np.ones((3, 3))))
    assert math.isnan(kendall_w(np.array([[1.0, 2]])))
    # A model that lacks a seed is left out; the others agree.
    assert kendall_w(np.array([[1, 2, math.nan], [1, 2, 0]])) == 1
    # Rounding noise is a tie.
    assert math.isnan(kendall_w(np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])))


def test_first_places():
    nan, inf = math.nan, math.inf
    assert first_places(np.array([[1.0, 2, 3], [9, 1, 9]])).tolist() == [0.25, 0, 0.75]
    # Ties of all models and seeds without values rank none first.
    assert first_places(np.array([[1.0, 1], [nan, nan], [2, 1], [nan, 0]])).tolist() == [1, 0]
    assert first_places(np.array([[inf, 0], [inf, 1]])).tolist() == [1, 0]
    assert first_places(np.array([[nan, 1, 2.0]])).tolist() == [0, 0, 1]
    assert np.isnan(first_places(np.ones((2, 2)))).all()


def test_first_places_by_simulation():
    values = np.random.default_rng(0).normal([0, 0, 1], 1, size=(40_000, 3))
    assert first_places(values)[0] == pytest.approx(first_places(values)[1], abs=0.01)
    # P(N(1,1) beats two N(0,1)), by quadrature.
    grid = np.linspace(-8, 9, 4001)
    exact = np.trapezoid(stats.norm.pdf(grid - 1) * stats.norm.cdf(grid) ** 2, grid)
    assert first_places(values)[2] == pytest.approx(exact, abs=0.01)
