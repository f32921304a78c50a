"""Agreement of metrics with utilities against scipy, numpy and enumeration of every order of the ties."""

import itertools
import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from uqalign.agreement import AGREEMENTS, METRIC_CONSTANT, TOO_FEW, UTILITY_CONSTANT, agree, pearson, top_overlap
from uqalign.protocol.agreements import agree_under
from uqalign.protocol.rankings import (
    fold_mean_published,
    kendall_under,
    pearson_published,
    top_overlap_published,
)

SMALL = st.sampled_from([0.0, 1.0, 2.0, 3.0, math.nan, math.inf, -math.inf])


def blocks(values=SMALL):
    """Metrics (a, m), utilities (b, m) and orientations (a,)."""
    return st.integers(1, 5).flatmap(
        lambda m: st.tuples(
            arrays(float, (3, m), elements=values),
            arrays(float, (2, m), elements=values),
            arrays(bool, 3),
        )
    )


def orders(values):
    """Every order of the models, best first, that respects the values."""
    ranked = sorted(range(len(values)), key=lambda i: -values[i])
    groups = [list(group) for _, group in itertools.groupby(ranked, key=lambda i: values[i])]
    for chosen in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [model for group in chosen for model in group]


def brute_overlap(metric, utility, k):
    first, second = (Counter(frozenset(order[:k]) for order in orders(values)) for values in (metric, utility))
    pairs = itertools.product(first.items(), second.items())
    total = sum(n * m * len(a & b) / len(a | b) for (a, n), (b, m) in pairs)
    return total / first.total() / second.total()


@given(blocks())
def test_against_a_loop_over_pairs(block):
    metrics, utilities, higher = block
    found = agree(metrics, utilities, higher)
    for (a, metric), (b, utility) in itertools.product(enumerate(metrics), enumerate(utilities)):
        both = ~(np.isnan(metric) | np.isnan(utility))
        m, u = (metric if higher[a] else -metric)[both], utility[both]
        assert found.models[a, b] == both.sum()
        values = {name: found.values[name][a, b] for name in AGREEMENTS}
        note = found.notes[a, b]
        if len(m) < 2 or len(set(m)) == 1 or len(set(u)) == 1:
            assert all(map(math.isnan, values.values()))
            assert note == (TOO_FEW if len(m) < 2 else METRIC_CONSTANT if len(set(m)) == 1 else UTILITY_CONSTANT)
            continue
        # scipy knows no infinities; ranks of the values order them alike.
        places = [np.searchsorted(sorted(set(v)), v) for v in (m, u)]
        assert values["tau"] == pytest.approx(kendalltau(*places).statistic, abs=1e-14)
        assert values["top_1"] == pytest.approx(brute_overlap(m, u, 1), abs=1e-14)
        if len(m) > 3:
            assert values["top_3"] == pytest.approx(brute_overlap(m, u, 3), abs=1e-14)
        else:
            assert math.isnan(values["top_3"])
        assert ("top_3: no more than 3 models have both values" in note) == (len(m) <= 3)
        if np.isfinite(m).all() and np.isfinite(u).all():
            assert values["pearson"] == pytest.approx(np.corrcoef(m, u)[0, 1], abs=1e-14)
            assert "pearson" not in note
        else:
            assert math.isnan(values["pearson"])
            assert "pearson: a value is infinite" in note


@given(
    arrays(float, (2, 5), elements=st.integers(0, 2).map(float)),
    arrays(float, (2, 5), elements=st.integers(0, 3).map(float)),
    st.integers(1, 5),
)
def test_overlap_is_the_mean_over_all_orders_of_the_ties(metrics, utilities, k):
    found = top_overlap(metrics, utilities, k)
    for a, b in itertools.product(range(2), range(2)):
        assert found[a, b] == pytest.approx(brute_overlap(metrics[a], utilities[b], k), abs=1e-14)


def test_overlap_of_many_ties_by_simulation():
    rng = np.random.default_rng(0)
    metric, utility = rng.integers(0, 3, 25).astype(float), rng.integers(0, 2, 25).astype(float)
    draws = []
    for _ in range(20_000):
        a, b = (set(np.lexsort((rng.random(25), -v))[:3]) for v in (metric, utility))
        draws.append(len(a & b) / len(a | b))
    error = np.std(draws) / math.sqrt(len(draws))
    assert top_overlap(metric[None], utility[None], 3)[0, 0] == pytest.approx(np.mean(draws), abs=4 * error)


def test_rounding_noise_neither_ranks_nor_splits_a_tie():
    # The two best are one sum in two orders; both of them are "the best", each with probability one half.
    metric = np.array([[0.1 + 0.2, 0.3, 0.1, 0.0]])
    utility = np.array([[2.0, 1.0, 0.5, 0.0]])
    assert agree(metric, utility, np.array([True])).values["top_1"][0, 0] == 0.5


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1, 1e8, 1e300])
def test_pearson_at_any_scale(scale):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(3, 7)), rng.normal(size=(2, 7))
    expected = np.corrcoef(x, y)[:3, 3:]
    np.testing.assert_allclose(pearson(scale * x, y), expected, atol=1e-14)
    assert math.isnan(pearson(np.zeros((1, 3)), np.ones((1, 3)))[0, 0])


def test_a_model_without_a_value_is_left_out_of_its_comparisons_only():
    metrics = np.array([[1, 2, 3, math.nan], [4, 3, 2, 1.0]])
    utilities = np.array([[1, 2, 3, 4.0]])
    found = agree(metrics, utilities, np.array([True, True]))
    assert found.models.tolist() == [[3], [4]]
    assert found.values["tau"].tolist() == [[1], [-1]]


@given(blocks(), st.sets(st.sampled_from(["tau_row_order", "nan_last"])))
def test_under_the_switches_against_a_loop_over_pairs(block, switches):
    metrics, utilities, higher = block
    found = agree_under(metrics, utilities, higher, switches)
    for (a, metric), (b, utility) in itertools.product(enumerate(metrics), enumerate(utilities)):
        tau = kendall_under(metric, utility, switches, higher_is_better=bool(higher[a]))
        assert found.values["tau"][a, b] == pytest.approx(tau, nan_ok=True, abs=1e-14)
        both = ~(np.isnan(metric) | np.isnan(utility))
        assert found.models[a, b] == both.sum()
        m, u = (metric, utility) if "nan_last" in switches else (metric[both], utility[both])
        if "tau_row_order" in switches and len(m) > 1:
            for name, k in (("top_1", 1), ("top_3", 3)):
                expected = top_overlap_published(m, u, k, higher_is_better=bool(higher[a]))
                assert found.values[name][a, b] == pytest.approx(expected, abs=1e-14)
        if len(m) > 1 and np.isfinite(m).all() and np.isfinite(u).all():
            rho = pearson_published(m, u, higher_is_better=bool(higher[a]))
            assert found.values["pearson"][a, b] == pytest.approx(rho, nan_ok=True, abs=1e-14)
        else:
            assert math.isnan(found.values["pearson"][a, b])
        missing = [name for name in AGREEMENTS if math.isnan(found.values[name][a, b])]
        assert bool(missing) == bool(found.notes[a, b])


def test_undefined_folds_under_the_published_mean():
    assert fold_mean_published([1, math.nan]) == 1


def test_a_large_grid_takes_no_time():
    # 20 seeds of 20 metrics, 10 decisions and 10 models; a tenth of the values tie or are missing.
    rng = np.random.default_rng(0)
    measures = rng.normal(size=(20, 30, 10)).round(1)
    measures[rng.random(measures.shape) < 0.01] = math.nan
    start = time.process_time()
    for block in measures:
        agree(block[:20], block[20:], np.ones(20, dtype=bool))
    assert time.process_time() - start < 1
