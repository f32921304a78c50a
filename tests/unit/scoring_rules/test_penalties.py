"""Endpoints, penalties and admissible sets against brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from uqalign.errors import UserError
from uqalign.scoring_rules import (
    BASES,
    MARGIN,
    TIES,
    Interval,
    admissible_penalties,
    counts_as_correct,
    endpoints,
    implemented_penalty,
    infimal_penalty,
    penalised_score,
    penalty_value,
    published_penalty,
)


def score(base, p, y):
    """The base scores in plain Python."""
    return -math.log(p[y]) if base == "log" else sum((q - (k == y)) ** 2 for k, q in enumerate(p))


def lattice(c, n):
    """All forecasts whose probabilities are multiples of 1/n."""
    return np.array([q for q in itertools.product(range(n + 1), repeat=c) if sum(q) == n]) / n


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("c", "n"), [(2, 12), (3, 12), (4, 12)])
def test_endpoints_bound_every_forecast_of_a_lattice(base, ties, c, n):
    # The lattice contains the uniform forecast and all two-way ties, so that attained bounds are met exactly.
    p = lattice(c, n)
    for y in range(c):
        kept = p[p[:, y] > 0] if base == "log" else p
        correct = counts_as_correct(np.full(len(kept), y), kept, ties=ties)
        scores = np.array([score(base, row, y) for row in kept])
        ends = endpoints(c, base, ties=ties, true_class=y)
        assert scores[correct].max() <= ends.correct + 1e-12
        assert scores[~correct].min() >= ends.incorrect - 1e-12
        assert (scores[correct].max() >= ends.correct - 1e-12) == ends.correct_attained
        assert (scores[~correct].min() <= ends.incorrect + 1e-12) == ends.incorrect_attained


def test_attainment_over_all_classes_joins_those_of_each():
    for ties in TIES:
        each = [endpoints(4, ties=ties, true_class=k) for k in range(4)]
        union = endpoints(4, ties=ties)
        assert union.correct_attained == any(e.correct_attained for e in each)
        assert union.incorrect_attained == any(e.incorrect_attained for e in each)
    assert [endpoints(4, true_class=k, order=[2, 0, 1, 3]).correct_attained for k in range(4)] == [
        *[False, False, True, False]
    ]


@pytest.mark.parametrize("c", [2, 3, 4, 10, 13, 20, 47])
def test_closed_forms_by_rational_arithmetic(c):
    uniform = [Fraction(1, c)] * c
    tie = [Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * (c - 2)]
    gap = score("brier", uniform, 0) - score("brier", tie, 0)
    assert gap == Fraction(c - 2, 2 * c)
    assert infimal_penalty(c) == pytest.approx(float(gap), abs=1e-15)
    assert published_penalty(c) == pytest.approx(float(score("brier", uniform, 0)), rel=1e-15)
    assert infimal_penalty(c, "log") == pytest.approx(math.log(c) - math.log(2), abs=1e-14)
    assert published_penalty(c, "log") == implemented_penalty(c, "log") == math.log(c)


def test_the_implemented_penalty_is_what_the_released_code_ranks_by():
    # It adds (c - 1) / c to the class-averaged Brier score: 1 / c times the sum form with the implemented penalty.
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(7), 50), rng.integers(0, 7, 50)
    averaged = ((p - np.eye(7)[y]) ** 2).mean(axis=1) + 6 / 7 * (p.argmax(axis=1) != y)
    ours = penalised_score(y, p, penalty="implemented", reduction="none")
    np.testing.assert_allclose(ours / 7, averaged, rtol=1e-13)


def test_ratios_of_the_literature():
    ratio = {c: published_penalty(c) / infimal_penalty(c) for c in (3, 13, 20)}
    assert ratio[3] == pytest.approx(4)
    assert round(ratio[13], 2) == 2.18
    assert round(ratio[20], 2) == 2.11
    larger = [implemented_penalty(c) / infimal_penalty(c) for c in (3, 4, 10, 47)]
    assert larger == pytest.approx([12, 12, 22.5, 2 * 47 * 46 / 45])


def test_named_penalties():
    assert penalty_value("infimal+", 10) == infimal_penalty(10) + MARGIN
    assert penalty_value("published", 10, "log") == math.log(10)
    assert penalty_value("implemented", 10) == 9
    assert penalty_value(0, 10) == 0
    assert penalty_value(np.float32(0.5), 10) == 0.5
    with pytest.raises(UserError, match=r"did you mean 'infimal\+'"):
        penalty_value("infimal", 10)
    for bad in (-0.1, math.nan, math.inf):
        with pytest.raises(UserError, match="finite and >= 0"):
            penalty_value(bad, 10)


@pytest.mark.parametrize("base", BASES)
def test_admissible_sets(base):
    low = infimal_penalty(5, base)
    assert low not in admissible_penalties(5, base)
    assert math.nextafter(low, 1e9) in admissible_penalties(5, base)
    assert math.nextafter(low, 0) not in admissible_penalties(5, base)
    assert not admissible_penalties(5, base, strictly_proper=True).empty
    for ties in ("permissive", "strict"):
        assert low in admissible_penalties(5, base, ties=ties)
        assert 1e6 in admissible_penalties(5, base, ties=ties)
        assert admissible_penalties(5, base, ties=ties, strictly_proper=True).empty
        assert low not in admissible_penalties(5, base, ties=ties, strictly_proper=True)
        two = admissible_penalties(2, base, ties=ties, strictly_proper=True)
        assert 0 in two
        assert 1e-9 not in two


def test_intervals_as_text():
    assert str(Interval(0.4, math.inf, low_closed=False)) == "(0.4, inf)"
    assert str(Interval(0.4, math.inf, low_closed=True)) == "[0.4, inf)"
    assert str(Interval(0.0, 0.0, low_closed=True, high_closed=True)) == "{0}"
    assert str(Interval(0.4, 0.0, low_closed=True, high_closed=True)) == "empty"
    assert Interval(1.0, 1.0, low_closed=True).empty


def test_bad_arguments():
    for bad in (1, 2.5, True):
        with pytest.raises(UserError, match="at least 2 classes"):
            infimal_penalty(bad)
    with pytest.raises(UserError, match="did you mean 'brier'"):
        infimal_penalty(3, "Brier")
    with pytest.raises(UserError, match="the classes are 0 to 2"):
        endpoints(3, true_class=3)
