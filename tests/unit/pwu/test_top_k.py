"""Top-k prior-weighted utility against the sum over k, every order of tied rows, and Monte Carlo."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqalign.priors import PRIOR_K, Beta, LogNormal, Mixture, PointMass, Truncated, Uniform, selection_weights
from uqalign.pwu import top_k_pwu
from uqalign.pwu.rank_weights import FINE_GRID, RankWeights, capacity_masses
from uqalign.ranking import selected_count
from uqalign.utilities import top_k_utility


def brute(y, score, prior, n=None):
    n = n or len(y)
    masses = prior.interval_mass(np.arange(n) / n, np.arange(1, n + 1) / n)
    return -math.fsum(w * top_k_utility(y, score, k=k) for k, w in enumerate(masses, start=1))


def test_published_example():
    masses = capacity_masses(PRIOR_K, 5.0)
    expected = [0.985492302, 0.0144665091, 4.11793833e-05, 9.64350562e-09, 5.6e-15]
    assert masses[:4] == pytest.approx(expected[:4], rel=1e-8)
    assert masses[4] == pytest.approx(expected[4], rel=0.01)
    assert top_k_pwu([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5]) == pytest.approx(-0.9927530141792368, rel=1e-15)


@pytest.mark.parametrize("prior", [PRIOR_K, Uniform(0, 1), Beta(10, 10), PointMass(0.4), Uniform(0.3, 0.55)])
@pytest.mark.parametrize("ties", [False, True])
def test_equals_the_sum_over_k(prior, ties):
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 40):
        y, score = rng.integers(0, 2, n), rng.random(n)
        if ties:
            score = np.round(score, 1)
        assert top_k_pwu(y, score, prior=prior) == pytest.approx(brute(y, score, prior), abs=1e-14)


def test_ties_equal_the_mean_over_every_row_order():
    y, score = np.array([1, 0, 0, 1, 1, 0]), np.array([0.7, 0.7, 0.7, 0.2, 0.2, 0.1])
    place = RankWeights.from_prior(PRIOR_K, 6.0).place
    values = []
    for permutation in itertools.permutations(range(6)):
        ranked = sorted(permutation, key=lambda i: -score[i])
        values.append(-np.sum(place * y[ranked]))
    assert top_k_pwu(y, score) == pytest.approx(np.mean(values), abs=1e-14)
    assert np.ptp(values) > 0.1


def test_agrees_with_monte_carlo():
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 80), np.round(rng.normal(size=80), 1)
    utilities = np.array([top_k_utility(y, score, k=k) for k in range(1, 81)])
    draws = -utilities[np.ceil(80 * PRIOR_K.sample(200_000, rng)).astype(int) - 1]
    error = draws.std() / math.sqrt(len(draws))
    assert abs(top_k_pwu(y, score) - draws.mean()) <= 4 * error


def test_without_positives_it_prints_as_zero():
    # scikit-learn #8245, #30615
    for prior in (PRIOR_K, Uniform(0, 1), PointMass(0), PointMass(1)):
        assert str(top_k_pwu([0, 0, 0], [0.1, 0.2, 0.3], prior=prior)) == "0.0"


def test_all_tied_scores_are_worth_the_prevalence_in_every_order():
    # numpy #24064: the order of equal keys depends on the processor.
    values = {
        top_k_pwu(np.isin(np.arange(8), positives), [0.5] * 8) for positives in itertools.combinations(range(8), 4)
    }
    assert len(values) == 1
    assert values.pop() == pytest.approx(-0.5, rel=1e-15)
    assert top_k_pwu([1, 1, 1, 1, 0, 0, 0, 0], [0.5] * 8, prior=PointMass(3 / 8)) == -0.5


def test_with_positives_only_it_is_minus_one():
    assert top_k_pwu([1] * 30, range(30)) == pytest.approx(-1, rel=1e-14)


@given(
    rows=st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=15).filter(
        lambda rows: sum(weight for *_, weight in rows) > 0
    )
)
@settings(deadline=None)
def test_whole_weights_repeat_rows(rows):
    y, score, weight = (np.array(column) for column in zip(*rows, strict=True))
    repeated = top_k_pwu(np.repeat(y, weight), np.repeat(score, weight))
    assert top_k_pwu(y, score, sample_weight=weight) == pytest.approx(repeated, abs=1e-14)


def test_fractional_weights_are_fractions_of_a_place():
    # Total weight 2.5: three capacities 1, 2 and 2.5; the tied pair shares the last 1.5 places.
    y, score, weight = [1, 0, 1], [3.0, 1.0, 1.0], [1.0, 0.5, 1.0]
    masses = Uniform(0, 1).interval_mass([0, 0.4, 0.8], [0.4, 0.8, 1.0])
    utilities = [1.0, (1 + 2 / 3) / 2, (1 + 1.5 * 2 / 3) / 2.5]
    expected = -float(np.dot(masses, utilities))
    assert top_k_pwu(y, score, prior=Uniform(0, 1), sample_weight=weight) == pytest.approx(expected, rel=1e-14)


def test_tiny_weights_leave_one_capacity():
    assert top_k_pwu([1, 0], [1.0, 2.0], sample_weight=[0.1, 0.3]) == pytest.approx(-0.25, rel=1e-14)


@given(scores=st.lists(st.integers(-5, 5), min_size=1, max_size=30), seed=st.integers(0, 99))
@settings(deadline=None)
def test_row_order_and_monotone_relabelling_change_no_bit(scores, seed):
    rng = np.random.default_rng(seed)
    score, y = np.array(scores), rng.integers(0, 2, len(scores))
    weight = rng.random(len(scores)) + 0.01
    o = rng.permutation(len(scores))
    value = top_k_pwu(y, score)
    assert top_k_pwu(y[o], score[o]) == value
    assert top_k_pwu(y, np.exp(score / 3.0)) == value
    assert top_k_pwu(y[o], score[o], sample_weight=weight[o]) == top_k_pwu(y, score, sample_weight=weight)


def test_fine_and_coarse_masses_agree():
    n = FINE_GRID + 1000
    assert capacity_masses(PRIOR_K, float(n)) == pytest.approx(selection_weights(PRIOR_K, n), abs=1e-15)


def test_total_worth_of_all_places_is_one():
    for n in (1, 2, 50, 10_000):
        assert RankWeights.from_prior(PRIOR_K, float(n)).running[-1] == pytest.approx(1, rel=1e-12)


def test_improper_and_wide_priors_are_refused():
    for prior in ("implicit:nll", LogNormal(0, 1)):
        with pytest.raises(ValueError, match="selected share"):
            top_k_pwu([0, 1], [0.1, 0.2], prior=prior)
    assert top_k_pwu([0, 1], [0.1, 0.2], prior=Truncated(LogNormal(0, 1), 0, 1)) < 0


def test_scenarios_of_shares():
    y, score = [0, 1, 1, 0], [0.1, 0.9, 0.5, 0.7]
    prior = Mixture([PointMass(0.25), PointMass(1.0), PointMass(0.0)], [0.5, 0.3, 0.2])
    # k = 1, 4 and, for a share of nothing, 1.
    assert top_k_pwu(y, score, prior=prior) == pytest.approx(-(0.5 * 1 + 0.3 * 0.5 + 0.2 * 1), rel=1e-15)


def test_share_to_count_survives_rounding():
    for n in (3, 7, 49, 100, 1000):
        assert [selected_count(n, k / n) for k in range(1, n + 1)] == list(range(1, n + 1))
    assert selected_count(10, 1e-9) == 1
    assert selected_count(10, 0.11) == 2
    assert math.ceil(1000 * 0.007) == 7
    assert selected_count(100, 0.07) == 7  # 100 * 0.07 = 7.000000000000001
    assert selected_count(3, np.nextafter(1 / 3, 1)) == 2  # 3 times it rounds to 1
    for share in (1.5, -0.1, math.nan, 30):
        with pytest.raises(ValueError, match=r"share = .* must lie in \[0, 1\]"):
            selected_count(3, share)


@given(n=st.integers(1, 2000), k=st.integers(0, 2000), step=st.integers(-2, 2))
@settings(deadline=None)
def test_a_share_and_a_prior_on_that_share_select_equally_many(n, k, step):
    share = min(k, n) / n
    for _ in range(abs(step)):
        share = float(np.clip(np.nextafter(share, math.copysign(math.inf, step)), 0, 1))
    assert np.argmax(capacity_masses(PointMass(share), float(n))) + 1 == selected_count(n, share)


def test_rankings_longer_than_memory_are_refused():
    # Survey weights count the people that a row stands for.
    with pytest.raises(ValueError, match="divide the weights by a common factor"):
        top_k_pwu([1, 0], [0.3, 0.2], sample_weight=[1e11, 1e11])
