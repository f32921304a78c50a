"""Penalties per true class."""

from functools import partial

import numpy as np
import pytest

from uqalign.errors import UserError
from uqalign.scoring_rules import (
    BASES,
    check_propriety,
    class_endpoints,
    class_penalised_score,
    class_threshold,
    endpoints,
    infimal_penalty,
    penalised_score,
)
from uqalign.scoring_rules.verification.by_class import threshold_checks


def random_forecasts(c, n, seed):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.dirichlet(np.full(c, a), n) for a in (0.2, 1, 10)]), rng.integers(0, c, 3 * n)


def test_equal_penalties_are_the_scalar_family():
    p, y = random_forecasts(4, 50, 0)
    p[:4] = 0.25
    for base in BASES:
        for decision in ("weighted", "argmax"):
            ours = class_penalised_score(
                y, p, penalties=[0.7] * 4, base=base, decision=decision, order=[3, 0, 1, 2], reduction="none"
            )
            scalar = penalised_score(y, p, base=base, penalty=0.7, order=[3, 0, 1, 2], reduction="none")
            np.testing.assert_array_equal(ours, scalar)
        ends = class_endpoints([2.0] * 4, base)
        np.testing.assert_allclose(ends.correct, endpoints(4, base).correct)
        np.testing.assert_allclose(ends.incorrect, endpoints(4, base).incorrect)
        assert class_threshold([1.0] * 4, base) == pytest.approx(infimal_penalty(4, base))
        assert class_threshold([2.0] * 4, base) == pytest.approx(infimal_penalty(4, base) / 2)


def test_row_by_row():
    p, y = random_forecasts(3, 30, 1)
    penalties = np.array([0.5, 1.0, 3.0])
    found = class_penalised_score(y, p, penalties=penalties, reduction="none")
    for q, w, value in zip(p, y, found, strict=True):
        decided = max(range(3), key=lambda k: penalties[k] * q[k])
        expected = sum((q[k] - (k == w)) ** 2 for k in range(3)) + penalties[w] * (decided != w)
        assert value == pytest.approx(expected, rel=1e-13)


def test_two_classes():
    p, y = np.array([0.2, 0.3, 0.5]), np.array([1, 1, 0])
    found = class_penalised_score(y, p, penalties=[1.0, 3.0], reduction="none")
    np.testing.assert_allclose(found, [2 * 0.64 + 3, 2 * 0.49, 2 * 0.25 + 1])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("ratios", [[1, 1, 5], [1, 10, 1, 1], [0.2, 1, 2, 3, 9], [3, 1]])
def test_no_random_forecast_leaves_the_endpoints(base, ratios):
    ratios = np.array(ratios, dtype=float)
    c = len(ratios)
    ends = class_endpoints(ratios, base)
    p, _ = random_forecasts(c, 3000, 2)
    decided = (p * ratios).argmax(axis=1)
    for w in range(c):
        score = penalised_score(np.full(len(p), w), p, base=base, penalty=0, reduction="none")
        assert score[decided == w].max() <= ends.correct[w] + 1e-12
        assert score[decided != w].min() >= ends.incorrect[w] - 1e-12


def test_thresholds_by_enumeration_and_optimisation():
    assert max(row["difference"] for row in threshold_checks(8, 3)) < 1e-9


@pytest.mark.parametrize("base", BASES)
def test_both_sides_of_the_threshold(base):
    ratios = np.array([1.0, 2.0, 6.0, 0.5])
    threshold, ends = class_threshold(ratios, base), class_endpoints(ratios, base)
    for off in (-1e-6, 1e-6):
        gap = (ends.incorrect + (threshold + off) * ratios).min() - ends.correct.max()
        assert (gap > 0) == (off > 0)


@pytest.mark.parametrize("base", BASES)
def test_only_the_weighted_decision_is_proper(base):
    rule = partial(class_penalised_score, penalties=[1.0, 1.05, 1.0], base=base, reduction="none")
    lie = check_propriety(partial(rule, decision="argmax"), 3, draws=60)
    assert lie.status == "not proper"
    truth, report = np.array(lie.truth), np.array(lie.report)
    gain = sum(
        q * (rule([k], truth[None], decision="argmax")[0] - rule([k], report[None], decision="argmax")[0])
        for k, q in enumerate(truth)
        if q > 0
    )
    assert gain == pytest.approx(lie.gain, rel=1e-9)
    assert gain > 0.01
    assert check_propriety(partial(rule, decision="weighted"), 3, draws=60).status == "strictly proper"


def test_the_most_probable_class_with_unequal_penalties_needs_the_infimal_one_everywhere():
    assert class_threshold([1.0, 4.0, 0.5], decision="argmax") == pytest.approx(infimal_penalty(3) / 0.5)
    ends = class_endpoints([1.0, 4.0, 0.5], decision="argmax")
    np.testing.assert_allclose(ends.correct, 2 / 3)
    np.testing.assert_allclose(ends.incorrect, 0.5)


def test_bad_input():
    p, y = random_forecasts(3, 5, 0)
    with pytest.raises(UserError, match=r"penalties\[1\] = .*finite and > 0"):
        class_penalised_score(y, p, penalties=[1, 0, 1])
    with pytest.raises(UserError, match="one number per class"):
        class_threshold(1.0)
    with pytest.raises(UserError, match="2 entries, p has 3 classes"):
        class_penalised_score(y, p, penalties=[1, 1])
    with pytest.raises(UserError, match="did you mean 'weighted'"):
        class_threshold([1, 1], decision="weight")
