"""Rows of a risk-averse ranking as lines: the score of row i at aversion factor g is level_i - g slope_i."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqalign.checks import FloatArray
from uqalign.pwu.rank_weights import RankWeights, all_whole
from uqalign.ranking import sorted_starts


@dataclass(frozen=True)
class Lines:
    """Distinct lines in their order just above g = 0: level descending, then slope ascending.

    Rows with one level and one slope are tied at every g, so they share a line that carries their mean payoff.

    Attributes:
        level, slope: the ranking score is level - g slope.
        gain, charge: the payoff is gain - g charge.
        size: number of rows on the line (sum of their weights).
        above: number of rows ranked above it just above g = 0.
    """

    level: FloatArray
    slope: FloatArray
    gain: FloatArray
    charge: FloatArray
    size: FloatArray
    above: FloatArray

    @classmethod
    def from_rows(
        cls,
        y: FloatArray,
        mean: FloatArray,
        var: FloatArray,
        charged: FloatArray,
        weight: FloatArray | None,
        scale: float,
    ) -> Lines:
        """Lines of rows with score mean - g scale var and payoff y - g scale charged; the row order is irrelevant."""
        keys = (charged, y, var, -mean)
        order = np.lexsort(keys if weight is None else (weight, *keys))
        starts = sorted_starts(order, mean, var)
        counts = np.ones(len(y)) if weight is None else weight[order]
        size = np.add.reduceat(counts, starts)
        first = order[starts]
        return cls(
            level=mean[first],
            slope=scale * var[first],
            gain=np.add.reduceat(counts * y[order], starts) / size,
            charge=scale * (np.add.reduceat(counts * charged[order], starts) / size),
            size=size,
            above=np.cumsum(size) - size,
        )

    def __len__(self) -> int:
        return len(self.level)

    @property
    def whole(self) -> bool:
        """Whether every line holds a whole number of rows."""
        return all_whole(self.size)


def utility_at(lines: Lines, ranks: RankWeights, g: float) -> float:
    """Expected utility over k at one aversion factor g; lines that tie at g share the mean payoff of their block."""
    score = lines.level - g * lines.slope
    payoff = lines.gain - g * lines.charge
    order = np.argsort(-score)
    size = lines.size[order]
    total = size * payoff[order]
    starts = sorted_starts(order, score)
    if len(starts) < len(order):
        size, total = np.add.reduceat(size, starts), np.add.reduceat(total, starts)
    worth = ranks.span(np.cumsum(size) - size, size, lines.whole)
    return float(np.sum(worth * (total / size)))
