"""Area under the retention curve."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.metrics import multivariate_retention_auc, regression_retention_auc, retention_auc
from uqalign.metrics.retention import retention_steps


def area_by_definition(uncertainty, error, kind):
    """Average over every order of the rows that sorts by uncertainty of the mean over k."""
    n = len(error)
    values = []
    for order in itertools.permutations(range(n)):
        if all(uncertainty[a] <= uncertainty[b] for a, b in itertools.pairwise(order)):
            kept = [sum(error[i] for i in order[:k]) for k in range(1, n + 1)]
            values.append(np.mean([s / k if kind == "retained" else s / n for k, s in enumerate(kept, start=1)]))
    return np.mean(values)


@pytest.mark.parametrize("kind", ["retained", "residual"])
@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.floats(0, 4)), min_size=1, max_size=5),
)
def test_area_is_the_expectation_over_all_orders_of_ties(kind, rows):
    uncertainty, error = np.array(rows).T
    expected = area_by_definition(uncertainty, error, kind)
    value = regression_retention_auc(np.sqrt(error), np.zeros(len(rows)), uncertainty, kind=kind)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_harmonic_and_triangular_forms():
    rng = np.random.default_rng(0)
    n = 50
    error, var = rng.random(n), rng.permutation(n) + 1.0
    ordered = error[np.argsort(var)]
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    aurc = np.mean(ordered * (harmonic[n] - harmonic[:-1]))
    augrc = np.sum(ordered * (n - np.arange(n))) / n**2
    y = np.sqrt(error)
    assert regression_retention_auc(y, 0 * y, var) == pytest.approx(aurc, rel=1e-13)
    assert regression_retention_auc(y, 0 * y, var, kind="residual") == pytest.approx(augrc, rel=1e-13)


def test_equal_uncertainty_gives_the_error_rate_in_any_order():
    # scikit-learn #16625
    n = 8
    for order in itertools.islice(itertools.permutations([1] * 3 + [0] * 5), 0, 40000, 1000):
        p = np.full(n, 0.8)
        y = np.array(order)
        rate = 5 / 8
        assert retention_auc(y, p, kind="residual") == pytest.approx(rate * (n + 1) / (2 * n), rel=1e-15)
        assert retention_auc(y, p) == pytest.approx(rate, rel=1e-15)


def test_area_of_errors_only_is_exactly_one():
    # 49 times 1/49 is not 1.
    for n in range(1, 200):
        p = np.linspace(0.1, 0.4, n)
        assert retention_auc([1] * n, p) == 1.0
        assert retention_auc([1] * n, p, sample_weight=np.arange(1, n + 1) / 7) == 1.0
        assert retention_auc([1] * n, np.full(n, 0.3)) == 1.0


def test_three_tenths_and_seven_tenths_are_equally_uncertain():
    # Votes of an ensemble: 1 - 0.7 is not 0.3 in floating point.
    for voters in (3, 7, 10, 100, 128, 500):
        for vote in range(1, (voters + 1) // 2):
            p, q = vote / voters, (voters - vote) / voters
            assert retention_auc([1, 1], [p, q]) == retention_auc([1, 1], [q, p]) == pytest.approx(0.5)


def test_permuted_class_probabilities_are_equally_uncertain():
    rows = np.array(list(itertools.permutations([0.1, 0.2, 0.3, 0.4])))
    y = np.arange(len(rows)) % 4
    rate = np.mean(rows.argmax(axis=1) != y)
    assert retention_auc(y, rows) == pytest.approx(rate, rel=1e-14)


def test_good_and_bad_uncertainty():
    y, p = [1, 1, 0, 0], [0.99, 0.9, 0.6, 0.1]
    assert retention_auc(y, p) == pytest.approx(1 / 16)
    reversed_p = [0.6, 0.55, 0.99, 0.1]
    assert retention_auc(y, reversed_p) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_weights_set_the_width_of_each_step():
    var, error = np.array([1.0, 2.0]), np.array([0.0, 1.0])
    steps = retention_steps(var, error, np.array([3.0, 1.0]))
    assert (steps.width / steps.width.sum()).tolist() == [0.75, 0.25]
    assert steps.retained.tolist() == [0.0, 0.25]
    value = regression_retention_auc([0, 1], [0, 0], var, sample_weight=[3, 1])
    assert value == pytest.approx(0.25 * 0.25)
    scaled = regression_retention_auc([0, 1], [0, 0], var, sample_weight=[0.3, 0.1])
    assert scaled == pytest.approx(value, rel=1e-14)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.sampled_from([0.0, 0.1, 1.0, 2.5])), min_size=1).filter(
        lambda rows: any(w for *_, w in rows)
    ),
    st.randoms(),
)
def test_row_order_changes_no_bit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    values = {
        retention_auc([r[0] for r in some], [r[1] for r in some], sample_weight=[r[2] for r in some])
        for some in (rows, shuffled, [r for r in rows if r[2]])
    }
    assert len(values) == 1


def test_multivariate_area_averages_coordinates():
    rng = np.random.default_rng(1)
    y, mean = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    cov = rng.gamma(1, 1, (30, 1, 1)) * np.array([[1.0, 0.2], [0.2, 2.0]])
    for kind in ("retained", "residual"):
        each = [regression_retention_auc(y[:, d], mean[:, d], cov[:, d, d], kind=kind) for d in range(2)]
        assert multivariate_retention_auc(y, mean, cov, kind=kind) == pytest.approx(np.mean(each))


def test_unknown_kind_is_refused():
    for call in (
        lambda: retention_auc([1], [0.4], kind="oracle"),
        lambda: regression_retention_auc([1], [0.4], [1], kind="oracle"),
        lambda: multivariate_retention_auc([[1]], [[0.4]], [[[1]]], kind="oracle"),
    ):
        with pytest.raises(ValueError, match="retained, residual"):
            call()
