"""What each place of a ranking is worth when the number k of selected rows is uncertain.

With k = ceil(n q) and q ~ prior, P(k) = P((k-1)/n < q <= k/n) and E[U_k] = sum over places j of W_j y_(j), where
W_j = sum_{k >= j} P(k) / k. The last weight belongs to k = n: the published metric lets k end at n - 1, which leaves
out P(q > (n-1)/n), usually far below rounding error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray
from uqalign.priors import Prior
from uqalign.priors.selection import capacities, capacity_edges, place_worth

FINE_GRID = 256
"""Number of places above which masses are differences of the distribution function alone (good to 1e-16 absolutely).

Below, the upper tail keeps its relative digits too, which matters to nobody but a reader of the weights.
"""

MOST_PLACES = 100_000_000
"""Longest ranking whose place weights are tabulated: some gigabytes."""


def capacity_masses(prior: Prior, total: float) -> FloatArray:
    """P(k) for k = 1..K, K = ceil(total), k = ceil(total * q), q ~ prior.

    `prior` must be a probability on [0, 1].
    """
    edges = capacity_edges(total)
    if len(edges) <= FINE_GRID:
        return prior.interval_mass(edges[:-1], edges[1:])
    return np.diff(prior.cdf(edges))


@dataclass(frozen=True)
class RankWeights:
    """Weights W_j of the places of a ranking, and their running sums.

    Attributes:
        place: W_1..W_K, decreasing.
        running: 0, W_1, W_1 + W_2, ... (K + 1,); a last place that is only a fraction of a row counts by it.
        total: number of places, a fraction if sample weights are.
    """

    place: FloatArray
    running: FloatArray
    total: float

    @classmethod
    def from_prior(cls, prior: Prior, total: float) -> RankWeights:
        """Weights of a ranking with `total` places under `prior` on k / total.

        Raises:
            ValueError: more places than memory should hold.
        """
        if total > MOST_PLACES:
            raise ValueError(
                f"a ranking of {total:g} places is too long (at most {MOST_PLACES:,}): a sample weight counts "
                "repetitions of its row here, so divide the weights by a common factor"
            )
        place = place_worth(capacity_masses(prior, total), total)
        widths = np.diff(capacities(total), prepend=0.0)
        return cls(place, np.concatenate([[0.0], np.cumsum(place * widths)]), total)

    def span(self, above: FloatArray, size: FloatArray, whole: bool) -> FloatArray:
        """Worth of `size` consecutive places below the first `above` ones; both arrays of one shape.

        Args:
            above, size: numbers of places, >= 0, above + size <= total.
            whole: all of them are whole numbers.
        """
        if not whole:
            return self._running_at(above + size) - self._running_at(above)
        first = above.astype(np.intp)
        worth = self.place[first]
        several = size != 1
        if several.any():
            start = first[several]
            worth[several] = self.running[start + size[several].astype(np.intp)] - self.running[start]
        return worth

    def _running_at(self, position: FloatArray) -> FloatArray:
        knots = np.minimum(np.arange(len(self.running)), self.total)
        return np.asarray(np.interp(position, knots, self.running))


def all_whole(values: npt.NDArray[np.float64]) -> bool:
    """Whether every entry is a whole number."""
    return bool((values == np.floor(values)).all())
