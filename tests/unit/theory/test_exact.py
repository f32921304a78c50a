"""Exact utilities against the floating-point ones, and comparisons against a dense grid of decisions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from uqalign.theory.exact import SLICES, compare
from uqalign.theory.problems import prediction, targets
from uqalign.utilities import (
    binary_decision_utility,
    multivariate_selective_utility,
    one_vs_rest_utility,
    risk_averse_top_k_utility,
    selective_utility,
    top_k_utility,
)

UTILITIES = {
    "binary_decision": lambda y, p, fixed, t: binary_decision_utility(y, *p, c=t),
    "top_k": lambda y, p, fixed, t: top_k_utility(y, *p, k=fixed["k"]),
    "one_vs_rest": lambda y, p, fixed, t: one_vs_rest_utility(y, *p, j=fixed["j"], c=t),
    "selective": lambda y, p, fixed, t: selective_utility(y, *p, cost=t),
    "risk_averse_top_k": lambda y, p, fixed, t: risk_averse_top_k_utility(y, *p, k=fixed["k"], aversion=t),
    "multivariate_selective": lambda y, p, fixed, t: multivariate_selective_utility(y, *p, cost=t),
}


def problem(family: str, n: int, rng: np.random.Generator):
    task = SLICES[family][0]
    while True:
        y = targets(task, n, rng)
        if task != "multivariate" or (np.ptp(y, axis=0) > 0).all():
            return y, prediction(task, n, rng), prediction(task, n, rng)


@pytest.mark.parametrize("family", SLICES)
def test_exact_utilities_are_the_utilities(family: str) -> None:
    rng = np.random.default_rng(0)
    # A crossing, or a variance in units of another, is a breakpoint in exact arithmetic only.
    rounded = family in ("risk_averse_top_k", "multivariate_selective")
    for n in (2, 5):
        y, a, _ = problem(family, n, rng)
        parts = SLICES[family][1](y, a)
        assert len(parts) == {"top_k": n, "risk_averse_top_k": n, "one_vs_rest": 3}.get(family, 1)
        for part in parts:
            at = sorted(float(x) for x in part.breakpoints(a) if x > 0)
            for t in [*at, 0.05, 0.33, 0.77]:
                if part.high is None or t <= 1:
                    expected = UTILITIES[family](y, a, part.fixed, t)
                    if t not in at or not rounded:
                        assert float(part.utility(a, Fraction(t))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("family", SLICES)
def test_comparison_holds_on_a_grid_and_is_decided_by_it(family: str) -> None:
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(30):
        y, a, b = problem(family, int(rng.integers(2, 4)), rng)
        found = compare(family, y, a, b)
        gaps = []
        for part in SLICES[family][1](y, a):
            grid = np.linspace(0.0007, 0.9993, 101) if part.high is not None else np.geomspace(0.01, 1e4, 101)
            for t in grid if part.parameter else [0.0]:
                gaps.append(float(part.utility(a, Fraction(t)) - part.utility(b, Fraction(t))))
        if found.never_worse:
            assert min(gaps) >= 0
        else:
            assert found.loss > 0
        if min(gaps) < 0:
            assert not found.never_worse
        if max(gaps) > 0:
            assert found.sometimes_better
            assert found.gain > 0
        seen.add((found.never_worse, found.sometimes_better))
    assert len(seen) >= 2


def test_a_single_decision_at_a_breakpoint_counts() -> None:
    # At c = 0.3 the row is acted on by 0.30000001 and not by 0.3; above, they differ on a sliver.
    found = compare("binary_decision", [1], (np.array([0.30000001]),), (np.array([0.3]),))
    assert found.never_worse
    assert found.sometimes_better
    assert found.at["c"] == pytest.approx(0.3, abs=1e-7)
    assert not compare("binary_decision", [1], (np.array([0.3]),), (np.array([0.30000001]),)).never_worse


def test_the_far_end_of_an_unbounded_parameter_is_seen() -> None:
    # A larger variance by a hair loses at a huge aversion only.
    y = np.array([1.0, 0.0])
    a = (np.array([2.0, 0.0]), np.array([1.0, 1.0]))
    b = (np.array([2.0, 0.0]), np.array([1.0 + 1e-9, 1.0]))
    assert compare("risk_averse_top_k", y, a, b).never_worse
    assert not compare("risk_averse_top_k", y, b, a).never_worse


def test_equal_predictions_are_indifferent() -> None:
    y, a = np.array([1, 0]), (np.array([0.2, 0.7]),)
    found = compare("top_k", y, a, a)
    assert (found.never_worse, found.sometimes_better, found.gain, found.loss) == (True, False, 0.0, 0.0)


def test_constant_coordinates_are_refused() -> None:
    y = np.array([[1.0, 2.0], [1.0, 3.0]])
    side = (y, np.tile(np.eye(2), (2, 1, 1)))
    with pytest.raises(ValueError, match="coordinate 0 of y is constant"):
        compare("multivariate_selective", y, side, side)
