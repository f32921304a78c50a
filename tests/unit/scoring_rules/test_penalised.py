"""Penalised scores and mixtures, row by row and as guarantees."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from uqalign.metrics import ClippedProbabilityWarning, brier_score, error_rate, log_score
from uqalign.scoring_rules import (
    BASES,
    MARGIN,
    TIES,
    infimal_penalty,
    mixture_penalty,
    mixture_weight,
    penalised_score,
    score_parts,
    threshold_weight,
    weighted_mixture,
)


def problem(n=60, c=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, c, n), rng.dirichlet(np.ones(c), n)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("ties", TIES)
def test_row_by_row(base, ties):
    y, p = problem()
    p[:20] = np.round(p[:20] * 4) / 4
    p[:20] /= p[:20].sum(axis=1, keepdims=True)
    p = np.clip(p, 0, 1)
    found = penalised_score(y, p, base=base, penalty=0.7, ties=ties, reduction="none")
    for row, value in enumerate(found):
        q, w = p[row].tolist(), int(y[row])
        largest = [k for k in range(4) if q[k] == max(q)]
        right = {"order": largest[0] == w, "permissive": w in largest, "strict": largest == [w]}[ties]
        if base == "log":
            expected = -math.log(q[w]) if q[w] else math.inf
        else:
            expected = sum((q[k] - (k == w)) ** 2 for k in range(4))
        assert value == pytest.approx(expected + 0.7 * (not right), rel=1e-13)


def test_the_mean_is_that_of_score_and_error():
    y, p = problem()
    w = np.arange(60) % 4
    for base, plain in (("brier", brier_score), ("log", log_score)):
        expected = plain(y, p, sample_weight=w) + 2.5 * error_rate(y, p, sample_weight=w)
        assert penalised_score(y, p, base=base, penalty=2.5, sample_weight=w) == pytest.approx(expected, rel=1e-13)
        assert penalised_score(y, p, base=base, penalty=0) == plain(y, p)


def test_two_classes_in_every_shape():
    rng = np.random.default_rng(1)
    p, y = rng.random(40), rng.integers(0, 2, 40)
    p[:6] = 0.5
    columns = np.column_stack([1 - p, p])
    for ties in TIES:
        value = penalised_score(y, p, penalty=0.3, ties=ties, reduction="none")
        np.testing.assert_array_equal(value, penalised_score(y, columns, penalty=0.3, ties=ties, reduction="none"))
        tied = {"order": y[:6] == 0, "permissive": np.full(6, True), "strict": np.full(6, False)}[ties]
        np.testing.assert_allclose(value[:6], 0.5 + 0.3 * ~tied)
    np.testing.assert_allclose(penalised_score(y, p, penalty=0, reduction="none"), 2 * (p - y) ** 2)
    assert penalised_score([1], [0.5], penalty=1, order=[1, 0]) == 0.5


def test_labels_and_lists():
    p = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]
    assert penalised_score(["a", "b"], p, labels=["a", "b", "c"]) == penalised_score([0, 1], p)


def test_zero_probability_scores_infinity_or_the_clip():
    p = [[0.0, 1.0, 0.0]]
    assert penalised_score([0], p, base="log") == math.inf
    with pytest.warns(ClippedProbabilityWarning):
        clipped = penalised_score([0], p, base="log", clip=1e-12, penalty=1)
    assert clipped == pytest.approx(1 - math.log(1e-12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert penalised_score([1], p, base="log", clip=1e-12) == 0


def test_the_known_failure_of_the_brier_score_is_mended():
    correct, wrong = [[0.34, 0.33, 0.33]], [[0.49, 0.51, 0.0]]
    assert brier_score([0], correct) > brier_score([0], wrong)
    for penalty in ("infimal+", "published", "implemented"):
        assert penalised_score([0], correct, penalty=penalty) < penalised_score([0], wrong, penalty=penalty)


forecasts = hnp.arrays(np.float64, (6, 5), elements=st.floats(0, 1)).filter(lambda a: (a.sum(axis=1) > 1e-3).all())


@given(forecasts, st.sampled_from(BASES), st.sampled_from([0.0, 1e-6, -1e-6]))
def test_superior_on_any_forecasts(raw, base, off):
    # Rows may sum to one within 1e-6: the margin of "infimal+" covers that too.
    p = raw / raw.sum(axis=1, keepdims=True)
    p = np.clip(p * (1 + off * 0.99), 0, 1)
    y = np.arange(6) % 5
    parts = score_parts(y, p, base=base)
    score = penalised_score(y, p, base=base, reduction="none")
    if parts.wrong.any() and not parts.wrong.all():
        assert score[~parts.wrong].max() < score[parts.wrong].min()


def test_the_margin_covers_sums_that_are_off():
    for c in (3, 10, 47):
        for base in BASES:
            lean, fat = np.full((1, c), (1 - 9.9e-7) / c), np.zeros((1, c))
            fat[0, :2] = 0.5 * (1 + 9.9e-7)
            worst = penalised_score([0], lean, base=base)
            best = penalised_score([1], fat, base=base)
            assert 0.99 * MARGIN < best - worst < 1.01 * MARGIN


@pytest.mark.parametrize("weight", [0.0, 0.03, threshold_weight(4), 0.5, 0.99])
def test_a_mixture_is_a_member_of_the_family(weight):
    y, p = problem()
    mixed = weighted_mixture(y, p, weight=weight, reduction="none")
    averaged = ((p - np.eye(4)[y]) ** 2).mean(axis=1)
    np.testing.assert_allclose(mixed, (1 - weight) * averaged + weight * (p.argmax(axis=1) != y), rtol=1e-13)
    family = penalised_score(y, p, penalty=mixture_penalty(weight, 4), reduction="none")
    np.testing.assert_allclose(mixed, (1 - weight) / 4 * family, rtol=1e-12)
    assert mixture_weight(mixture_penalty(weight, 4), 4) == pytest.approx(weight, rel=1e-13)


def test_thresholds_of_mixtures():
    for c in (2, 3, 10, 47):
        assert threshold_weight(c) == pytest.approx((c - 2) / (2 * c**2 + c - 2))
        assert mixture_penalty(threshold_weight(c), c) == pytest.approx(infimal_penalty(c))
    assert round(threshold_weight(10), 4) == 0.0385
    assert mixture_penalty(1, 10) == math.inf
    y, p = problem()
    assert weighted_mixture(y, p, weight=1) == error_rate(y, p)


def test_bad_input_is_refused():
    y, p = problem()
    with pytest.raises(ValueError, match="must lie in"):
        weighted_mixture(y, p, weight=1.2)
    with pytest.raises(ValueError, match="reduction='none'"):
        penalised_score(y, p, sample_weight=np.ones(60), reduction="none")
    with pytest.raises(ValueError, match=r"p\[3"):
        penalised_score(y, np.where(np.arange(60)[:, None] == 3, np.nan, p))
    with pytest.raises(ValueError, match="base = 'spherical'"):
        penalised_score(y, p, base="spherical")
    with pytest.raises(ValueError, match="finite and >= 0"):
        penalised_score(y, p, penalty=-1)
