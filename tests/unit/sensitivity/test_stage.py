"""Decisions of the levels, by the definitions and by the published protocol."""

import numpy as np
import pytest

from uqalign.contracts.predictions import SplitResult
from uqalign.families import FAMILIES, LEVELS, perturbed_thetas, theta_id, theta_label
from uqalign.protocol import evaluate_utility, thetas_published
from uqalign.stages.sensitivity_scores import _decisions


def splits():
    rng = np.random.default_rng(3)
    results = []
    for fold in (1, 2):
        mean, var = rng.normal(size=20), rng.gamma(1.0, size=20)
        y = 3 * mean + rng.normal(size=20)
        results.append(SplitResult(7, fold, np.arange(20), y, (mean, var)))
    return results


def test_every_level_has_its_published_decisions():
    rows = list(_decisions("regression", splits(), None, 5, []))
    assert len(rows) == 2 * 3 * 2 * 5
    values = {(fold, family, level, theta): value for _, fold, family, _, level, _, theta, value, _ in rows}
    for level in LEVELS:
        for family, thetas in perturbed_thetas("regression", level).items():
            for split in splits():
                for theta in thetas:
                    expected = family.evaluate(split.y, split.prediction, theta)
                    assert values[split.fold, family.name, level, theta_id(theta)] == expected


def test_fewer_decisions_are_the_first_ones():
    points = {row[5] for row in _decisions("regression", splits(), None, 2, [])}
    assert points == {0, 1}


@pytest.mark.parametrize("switch", ["abstention_cost", "gamma_scale"])
def test_switches_change_utilities(switch):
    rows = list(_decisions("regression", splits(), None, 5, [switch]))
    changed = 0
    for _, fold, name, _, level, point, _, value, _ in rows:
        split, theta = splits()[fold - 1], perturbed_thetas("regression", level)[FAMILIES[name]][point]
        assert value == evaluate_utility(name, split.y, split.prediction, theta, [switch])
        changed += value != FAMILIES[name].evaluate(split.y, split.prediction, theta)
    assert changed > 0


def test_overwritten_decisions_keep_their_place():
    split = SplitResult(0, 1, np.arange(4), np.array([0.0, 1, 1, 0]), (np.linspace(0, 1, 4),))
    rows = list(_decisions("binary", [split], None, 5, ["theta_label"]))
    taken = {(row[2], row[4], row[5]): (row[6], row[7]) for row in rows}
    shared = 0
    for level in LEVELS:
        for family, thetas in perturbed_thetas("binary", level).items():
            shared += len({theta_label(theta) for theta in thetas}) < 5
            for point, (theta, act) in enumerate(zip(thetas, thetas_published(thetas), strict=True)):
                expected = family.evaluate(split.y, split.prediction, act)
                assert taken[family.name, level, point] == (theta_id(theta), expected)
    assert shared > 0
