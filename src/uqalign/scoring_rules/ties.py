"""Which class a forecast with equal largest probabilities counts as predicting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, IntArray
from uqalign.errors import UserError
from uqalign.registry import did_you_mean

BoolArray = npt.NDArray[np.bool_]

Ties = Literal["order", "permissive", "strict"]
"""What an exact tie of the largest probabilities predicts.

"order": the first of the tied classes in one fixed order of all classes (convention B; what `argmax` does).
"permissive": all of them (convention A). "strict": none of them (convention C).
"""

TIES: tuple[Ties, ...] = get_args(Ties)
LETTER: dict[Ties, str] = {"permissive": "A", "order": "B", "strict": "C"}
"""The conventions by the letters of the literature."""


def check_ties(ties: str) -> Ties:
    """`ties` if it is a convention.

    Raises:
        UserError: anything else.
    """
    for known in TIES:
        if ties == known:
            return known
    raise UserError(f"ties = {ties!r}: {did_you_mean(str(ties), TIES)}")


def check_order(order: Sequence[int] | None, ties: Ties, n_classes: int) -> IntArray:
    """Class indices from the one that wins every tie to the one that wins none (default 0, 1, ...).

    Raises:
        UserError: not a permutation of the classes, or given where no order decides.
    """
    if order is None:
        return np.arange(n_classes)
    if ties != "order":
        raise UserError(f"order decides nothing with ties={ties!r}: leave it out")
    if sorted(order) != list(range(n_classes)):
        raise UserError(f"order must list each class index 0 to {n_classes - 1} once, got {list(order)}")
    return np.asarray(order, dtype=np.intp)


def first_of_largest(score: FloatArray, order: IntArray) -> IntArray:
    """The column with the largest score in every row (n, K), the first in `order` on ties."""
    chosen: IntArray = order[np.argmax(score[:, order], axis=1)]
    return chosen


def counts_as_correct(
    y: IntArray, p: FloatArray, *, ties: Ties = "order", order: Sequence[int] | None = None
) -> BoolArray:
    """Whether forecasts (n, K) predict the classes `y` (n,).

    Only exact equality of floating-point probabilities is a tie.

    Raises:
        UserError: unknown ties, or an order that is none.
    """
    ties = check_ties(ties)
    first = check_order(order, ties, p.shape[1])
    if ties == "order":
        return np.equal(first_of_largest(p, first), y)
    largest = p == p.max(axis=1, keepdims=True)
    hit: BoolArray = largest[np.arange(len(y)), y]
    return hit if ties == "permissive" else hit & (largest.sum(axis=1) == 1)
