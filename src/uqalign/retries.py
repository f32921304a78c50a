"""What a job is given when it is sent again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def grows(amount: int) -> Callable[[Any, int], int]:
    """A resource of a rule that is `amount` at the first attempt, twice that at the second, and so on.

    Why a job failed is not known to the workflow, so memory and time grow together; results depend on neither.
    """

    def by_attempt(wildcards: Any, attempt: int) -> int:
        return attempt * amount

    return by_attempt
