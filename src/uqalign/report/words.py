"""Numbers and counts as people read them."""

from __future__ import annotations

import math
from typing import Any


def number(value: float) -> str:
    """Two decimals, without a sign in front of zero; a dash for NaN."""
    return "--" if math.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")


def between(low: float, high: float) -> str:
    """An interval, or nothing where it has no ends."""
    return "" if math.isnan(low) else f"[{number(low)}, {number(high)}]"


def counted(count: int, noun: str) -> str:
    """ "1 data set", "2 data sets"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever is read most easily."""
    if seconds < 90:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 5400 else f"{seconds / 3600:.3g} h"


def cell(value: Any, digits: int = 3) -> str:
    """A cell of a table: numbers with so many significant digits, booleans in words, a dash for what is missing."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "--"
    if isinstance(value, float):
        if math.isinf(value):
            return "infinite" if value > 0 else "-infinite"
        if abs(value) >= 10**digits:
            return f"{value:,.0f}"
        return f"{value:.{digits}g}" if value else "0"
    return f"{value:,}" if isinstance(value, int) or hasattr(value, "__index__") else str(value)
