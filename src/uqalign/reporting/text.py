"""Numbers in words and tables."""

from __future__ import annotations

import math


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 data set, 2 data sets."""
    return f"{number} {noun}{'s' * (number != 1)}"


def number(value: float) -> str:
    """Two decimals, without a sign in front of zero; a dash for NaN."""
    return "--" if math.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")
