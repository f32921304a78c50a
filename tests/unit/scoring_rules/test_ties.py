"""What an exact tie predicts, under three conventions."""

import itertools

import numpy as np
import pytest

from uqalign.errors import UserError
from uqalign.scoring_rules import TIES, counts_as_correct


def one_by_one(y, p, ties, order):
    """The conventions as written: A by membership, B by the first member, C by uniqueness."""
    largest = {k for k in range(len(p)) if p[k] == max(p)}
    if ties == "permissive":
        return y in largest
    if ties == "strict":
        return largest == {y}
    return next(k for k in order if k in largest) == y


def test_the_example_of_the_paper():
    p, y = np.tile([0.5, 0.5, 0.0], (3, 1)), np.arange(3)
    found = {ties: counts_as_correct(y, p, ties=ties).tolist() for ties in TIES}
    assert found == {
        "permissive": [True, True, False],
        "order": [True, False, False],
        "strict": [False, False, False],
    }
    assert counts_as_correct(y, p, order=[2, 1, 0]).tolist() == [False, True, False]


@pytest.mark.parametrize("ties", TIES)
def test_every_pattern_of_ties_in_four_classes(ties):
    patterns = np.array([p for p in itertools.product((0.0, 1.0, 2.0), repeat=4) if sum(p)])
    p = patterns / patterns.sum(axis=1, keepdims=True)
    for order in ([0, 1, 2, 3], [2, 0, 3, 1]) if ties == "order" else ([0, 1, 2, 3],):
        for y in range(4):
            given = order if ties == "order" else None
            found = counts_as_correct(np.full(len(p), y), p, ties=ties, order=given)
            assert found.tolist() == [one_by_one(y, row.tolist(), ties, order) for row in p]


def test_exactly_one_class_is_credited_under_an_order():
    rng = np.random.default_rng(0)
    p = rng.integers(0, 3, (200, 5)) + 1e-9
    p = p / p.sum(axis=1, keepdims=True)
    order = rng.permutation(5).tolist()
    credited = sum(counts_as_correct(np.full(200, y), p, order=order).astype(int) for y in range(5))
    assert (credited == 1).all()


def test_bad_options():
    y, p = np.array([0]), np.array([[0.5, 0.5]])
    with pytest.raises(UserError, match="did you mean 'strict'"):
        counts_as_correct(y, p, ties="stric")
    with pytest.raises(UserError, match="each class index 0 to 1 once"):
        counts_as_correct(y, p, order=[0, 0])
    with pytest.raises(UserError, match="decides nothing with ties='strict'"):
        counts_as_correct(y, p, ties="strict", order=[0, 1])
