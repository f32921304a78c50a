"""The checkers find what is there, and their witnesses are real."""

from functools import partial

import numpy as np
import pytest

from uqalign.scoring_rules import (
    BASES,
    TIES,
    admissible_penalties,
    check_propriety,
    check_superiority,
    counts_as_correct,
    infimal_penalty,
    penalised_score,
)


def spherical(y, p):
    return -p[np.arange(len(y)), y] / np.sqrt((p**2).sum(axis=1))


def absolute(y, p):
    return 1 - p[np.arange(len(y)), y]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("c", [2, 3, 6])
def test_superiority_follows_the_admissible_set(base, ties, c):
    for off in (-1e-3, 1e-3):
        penalty = infimal_penalty(c, base) + off
        if penalty < 0:
            continue
        rule = partial(penalised_score, base=base, penalty=penalty, ties=ties, reduction="none")
        report = check_superiority(rule, c, ties=ties, draws=300)
        assert (report.status == "separated") == (penalty in admissible_penalties(c, base, ties=ties))
        assert report.margin == pytest.approx(off, abs=1e-6)


def test_at_the_infimal_penalty_the_ranges_touch_under_every_order():
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        rule = partial(penalised_score, penalty=infimal_penalty(4), order=order, reduction="none")
        report = check_superiority(rule, 4, order=order, draws=100)
        assert report.status == "touching"
        assert not report.violated
        assert report.correct.true_class == order[0]
        assert report.incorrect.true_class != order[0]


def test_witnesses_are_real():
    rule = partial(penalised_score, penalty=0.2, reduction="none")
    report = check_superiority(rule, 5)
    assert report.violated
    for witness, correct in ((report.correct, True), (report.incorrect, False)):
        p, y = np.array([witness.forecast]), np.array([witness.true_class])
        assert counts_as_correct(y, p)[0] == correct
        assert rule(y, p)[0] == witness.score


def test_another_rule_has_its_own_infimal_penalty():
    # Spherical score: uniform forecast -1/sqrt(c) against two-way tie -1/sqrt(2).
    for c in (3, 5, 8):
        report = check_superiority(spherical, c)
        assert -report.margin == pytest.approx(1 / np.sqrt(2) - 1 / np.sqrt(c), abs=1e-6)


@pytest.mark.parametrize("base", BASES)
def test_propriety_by_convention(base):
    for penalty in (infimal_penalty(4, base) + 1e-3, 1e-3, 5.0):
        for ties, status in (("order", "strictly proper"), ("permissive", "not proper"), ("strict", "not proper")):
            rule = partial(penalised_score, base=base, penalty=penalty, ties=ties, reduction="none")
            report = check_propriety(rule, 4, draws=60)
            assert report.status == status, (penalty, ties)
    rule = partial(penalised_score, base=base, penalty=0, ties="strict", reduction="none")
    assert check_propriety(rule, 4, draws=60).status == "strictly proper"


def test_propriety_of_other_rules():
    assert check_propriety(spherical, 3, draws=60).status == "strictly proper"
    assert check_propriety(absolute, 3, draws=60).status == "not proper"

    def error(y, p):
        return (p.argmax(axis=1) != y).astype(float)

    assert check_propriety(error, 3, draws=60).status == "proper"


def test_a_profitable_lie_is_one():
    rule = partial(penalised_score, penalty=0.5, ties="permissive", reduction="none")
    report = check_propriety(rule, 3, draws=60)
    truth, lie = np.array(report.truth), np.array(report.report)
    honest, lying = (sum(q * rule([k], p[None])[0] for k, q in enumerate(truth)) for p in (truth, lie))
    assert honest - lying == pytest.approx(report.gain, abs=1e-12)
    assert report.gain > 0.1
