"""Numbers and tables as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence


def number(value: float) -> str:
    """Two decimals, "--" for NaN, no negative zero."""
    return "--" if math.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00")


def signed(value: float) -> str:
    """Two decimals with a sign."""
    text = number(value)
    return text if text.startswith("-") else f"+{text}"


def interval(median: float, low: float, high: float) -> str:
    """`0.58 [0.41, 0.70]`."""
    return "--" if math.isnan(median) else f"{number(median)} [{number(low)}, {number(high)}]"


def share(value: float) -> str:
    """A probability or share with two decimals, never rounded to certainty unless it is."""
    if math.isnan(value):
        return "--"
    if 0 < value < 0.01:
        return "< 0.01"
    return "> 0.99" if 0.99 < value < 1 else f"{value:.2f}"


def markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, or "None." without lines."""
    if not lines:
        return "None.\n"
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"
