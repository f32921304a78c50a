"""Which convention keeps the penalised rule proper: escapes, violations, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.scoring_rules.penalised import penalised_score
from uqalign.scoring_rules.penalties import BASES, NAMED, Base, infimal_penalty, penalty_value
from uqalign.scoring_rules.ties import TIES, Ties

_ROUNDING = 1e-12


def expected_scores(
    truth: FloatArray, report: FloatArray, base: Base, penalty: float, ties: Ties, order: Sequence[int] | None = None
) -> FloatArray:
    """Expected score (m,) of reports (m, K) if the classes follow `truth` (m, K); every outcome is scored."""
    m, c = truth.shape
    y, p = np.tile(np.arange(c), m), np.repeat(report, c, axis=0)
    score = penalised_score(y, p, base=base, penalty=penalty, ties=ties, order=order, reduction="none")
    with np.errstate(invalid="ignore"):
        terms = np.where(truth > 0, truth * score.reshape(m, c), 0.0)
    total: FloatArray = terms.sum(axis=1)
    return total


def escape_threshold(truth: FloatArray, base: Base) -> FloatArray:
    """Penalty (m,) above which the uniform report beats the honest one under the permissive convention.

    It pays nothing for errors, where honesty pays the penalty with probability 1 - max q (one mode); in the base score
    it loses |q|^2 - 1/c (Brier) or ln c - H(q) (log).
    """
    c = truth.shape[1]
    if base == "brier":
        lost = (truth**2).sum(axis=1) - 1 / c
    else:
        safe = np.where(truth > 0, truth, 1.0)
        lost = np.log(c) + (truth * np.log(safe)).sum(axis=1)
    threshold: FloatArray = lost / (1 - truth.max(axis=1))
    return threshold


def escape_checks(n_classes: int, draws: int, seed: int) -> Iterator[dict[str, Any]]:
    """One row per base, named penalty and convention: random truths for which a uniform report beats honesty.

    Besides the uniform one, every truth is tried with another draw as its report.
    """
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(n_classes), draws)
    uniform = np.full_like(truth, 1 / n_classes)
    others = np.roll(truth, 1, axis=0)
    for base in BASES:
        penalties = {"infimal": infimal_penalty(n_classes, base)}
        penalties |= {name: penalty_value(name, n_classes, base) for name in NAMED}
        if base == "log":
            del penalties["implemented"]
        for name, value in penalties.items():
            for ties in TIES:
                honest = expected_scores(truth, truth, base, value, ties)
                gain = honest - expected_scores(truth, uniform, base, value, ties)
                other = honest - expected_scores(truth, others, base, value, ties)
                by_formula = (value > escape_threshold(truth, base)).sum() if ties == "permissive" else 0
                yield {
                    "base": base,
                    "penalty": name,
                    "value": value,
                    "ties": ties,
                    "draws": draws,
                    "escapes": int((gain > _ROUNDING).sum()),
                    "escapes_by_formula": int(by_formula),
                    "largest_gain": float(gain.max()),
                    "other_reports_that_gain": int((other > _ROUNDING).sum()),
                }


def smallest_escape(n_classes: int, base: Base) -> list[tuple[float, float]]:
    """(distance of the truth from uniform, escape threshold): the threshold falls to zero with the distance."""
    towards = np.eye(n_classes)[0]
    steps = (0.5, 0.1, 1e-2, 1e-3, 1e-4)
    truths = np.array([(1 - step) / n_classes + step * towards for step in steps])
    return list(zip(steps, escape_threshold(truths, base).tolist(), strict=True))


def tied_truth(n_classes: int, size: int, rng: np.random.Generator) -> FloatArray:
    """A distribution (K,) whose largest probability is shared by `size` classes."""
    members = rng.choice(n_classes, size, replace=False)
    low = rng.dirichlet(np.ones(n_classes))
    low[members] = 0
    top = max(2 * float(low.max()), 1.0)
    low[members] = top
    q: FloatArray = low / low.sum()
    q[members] = q[members[0]]
    return q


def _neighbours(q: FloatArray) -> FloatArray:
    """`q` moved a little towards one of its modes: the mode is then the only one."""
    mode = np.eye(len(q))[int(q.argmax())]
    return np.array([(1 - step) * q + step * mode for step in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)])


def strict_tie_checks(classes: Iterable[int], seed: int) -> Iterator[dict[str, Any]]:
    """Closed-form checks of the convention under which a tie is always wrong; one row per check with `holds`."""
    rng = np.random.default_rng(seed)
    for c in classes:
        for _ in range(30):
            yield {"kind": "truth with one mode: proper, not strictly", "holds": _one_mode(c, rng)}
        for size in range(2, c + 1):
            for _ in range(5):
                q = tied_truth(c, size, rng)
                yield {"kind": "truth with a tied mode: honesty pays in full", "holds": _pays_in_full(q)}
                yield {"kind": "report with a tie: wrong for every class", "holds": _always_wrong(q, rng)}
            q = tied_truth(c, size, rng)
            for base in BASES:
                for penalty in (1e-6, 1e-3, 0.1, infimal_penalty(c, base) + 1e-3, 1.0, 100.0):
                    yield {
                        "kind": f"truth with a tied mode: a neighbour beats it ({base})",
                        "holds": _neighbour_wins(q, base, penalty),
                    }


def _penalty_alone(truth: FloatArray, report: FloatArray) -> FloatArray:
    """Expected penalty of 1 under the strict convention: expected score with it minus that without."""
    with_it, without = (expected_scores(truth, report, "brier", value, "strict") for value in (1.0, 0.0))
    return with_it - without


def _one_mode(c: int, rng: np.random.Generator) -> bool:
    q = rng.dirichlet(np.ones(c))
    reports = rng.dirichlet(np.ones(c), 20)
    reports = np.concatenate([q[None], np.roll(reports, 1, axis=0), (q + np.eye(c)[q.argmax()])[None] / 2])
    found = _penalty_alone(np.tile(q, (len(reports), 1)), reports)
    least = 1 - q.max()
    same_mode = reports.argmax(axis=1) == q.argmax()
    return bool(
        (found >= least - _ROUNDING).all()
        and np.abs(found[same_mode] - least).max() <= _ROUNDING
        and same_mode.sum() >= 2
    )


def _pays_in_full(q: FloatArray) -> bool:
    found = _penalty_alone(np.stack([q, q]), np.stack([q, _neighbours(q)[0]]))
    return bool(abs(found[0] - 1) <= _ROUNDING and abs(found[1] - (1 - q.max())) <= _ROUNDING)


def _always_wrong(q: FloatArray, rng: np.random.Generator) -> bool:
    c = len(q)
    penalty = float(rng.uniform(0.01, 5))
    p, y = np.tile(q, (c, 1)), np.arange(c)
    scores = [penalised_score(y, p, penalty=value, ties="strict", reduction="none") for value in (penalty, 0.0)]
    return bool(np.abs(scores[0] - scores[1] - penalty).max() <= _ROUNDING)


def _neighbour_wins(q: FloatArray, base: Base, penalty: float) -> bool:
    reports = _neighbours(q)
    honest = expected_scores(q[None], q[None], base, penalty, "strict")[0]
    return bool(expected_scores(np.tile(q, (len(reports), 1)), reports, base, penalty, "strict").min() < honest)


def boundary_checks(n_classes: int, draws: int, seed: int) -> Iterator[dict[str, Any]]:
    """Log-based rule with probabilities of zero: honest reports of truths on the boundary stay the only optimum."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(n_classes, 0.5), draws)
    truth[rng.random(truth.shape) < 0.4] = 0
    truth = truth[(truth > 0).sum(axis=1) >= 1]
    truth = truth / truth.sum(axis=1, keepdims=True)
    value = penalty_value("infimal+", n_classes, "log")
    honest = expected_scores(truth, truth, "log", value, "order")
    for name, report in (
        ("another truth on the boundary", np.roll(truth, 1, axis=0)),
        ("the truth with some mass moved inside", 0.99 * truth + 0.01 / n_classes),
    ):
        differs = np.abs(report - truth).max(axis=1) > 1e-9
        lost = expected_scores(truth, report, "log", value, "order") - honest
        yield {
            "report": name,
            "pairs": int(differs.sum()),
            "infinite": int(np.isinf(lost[differs]).sum()),
            "violations": int((lost[differs] <= 0).sum()),
            "smallest_loss": float(lost[differs].min()),
        }
