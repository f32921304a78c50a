"""Tables 1, 3, 4 and 15 of "Minimal Superior Penalties", computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from uqalign.scoring_rules.mixture import mixture_penalty, threshold_weight
from uqalign.scoring_rules.penalties import (
    BASES,
    admissible_penalties,
    endpoints,
    implemented_penalty,
    infimal_penalty,
    published_penalty,
)
from uqalign.scoring_rules.ties import LETTER, TIES, counts_as_correct

CLASS_COUNTS = (3, 4, 10, 13, 20, 47)
WEIGHTS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)


def tie_example() -> Iterator[dict[str, Any]]:
    """Table 1: whether (0.5, 0.5, 0) predicts each of three classes."""
    p, y = np.tile([0.5, 0.5, 0.0], (3, 1)), np.arange(3)
    for ties in ("permissive", "order", "strict"):
        hits = counts_as_correct(y, p, ties=ties)
        words = {f"class {k}": "correct" if hit else "incorrect" for k, hit in enumerate(hits)}
        yield {"convention": LETTER[ties], "ties": ties, **words}


def calibration_facts(n_classes: int) -> Iterator[dict[str, Any]]:
    """Table 3: what is known of both bases at one number of classes."""
    for base in BASES:
        ends, infimal = endpoints(n_classes, base), infimal_penalty(n_classes, base)
        published, implemented = published_penalty(n_classes, base), implemented_penalty(n_classes, base)
        admissible = {LETTER[ties]: str(admissible_penalties(n_classes, base, ties=ties)) for ties in TIES}
        yield {
            "base": base,
            "classes": n_classes,
            "beta+": ends.correct,
            "beta-": ends.incorrect,
            "infimal": infimal,
            "published": published,
            "published/infimal": published / infimal,
            "implemented": implemented,
            "implemented/infimal": implemented / infimal,
            "implemented/published": implemented / published,
            **{f"admissible ({letter})": admissible[letter] for letter in "ABC"},
        }


def penalty_ratios(classes: Iterable[int] = CLASS_COUNTS) -> Iterator[dict[str, Any]]:
    """Table 4: published and implemented Brier penalties against the infimal one."""
    for c in classes:
        infimal, published, implemented = infimal_penalty(c), published_penalty(c), implemented_penalty(c)
        yield {
            "classes": c,
            "infimal": infimal,
            "published": published,
            "published/infimal": published / infimal,
            "implemented": implemented,
            "implemented/infimal": implemented / infimal,
        }


def weight_map(n_classes: int = 10, weights: Iterable[float] = WEIGHTS) -> Iterator[dict[str, Any]]:
    """Table 15: the penalty that a weighted mixture of Brier score and error rate amounts to."""
    threshold = threshold_weight(n_classes)
    for weight in sorted({*weights, threshold}):
        penalty = mixture_penalty(weight, n_classes)
        superior = "yes" if weight > threshold else "no"
        notes = {threshold: "threshold", 1.0: "error rate alone"}
        yield {"weight": weight, "penalty": penalty, "superior": superior, "note": notes.get(weight, "")}
