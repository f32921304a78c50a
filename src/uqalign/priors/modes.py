"""The highest point of a density that has no closed-form mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from uqalign.priors.base import Prior

LEVELS = np.concatenate([np.geomspace(1e-6, 0.01, 25), np.linspace(0.02, 0.98, 193), 1 - np.geomspace(0.01, 1e-6, 25)])


def highest_density(prior: Prior, candidates: Sequence[float]) -> float:
    """Mode of `prior` from likely `candidates`, the ends of its support and a grid of quantiles, refined.

    A candidate is replaced only by a point where the density is clearly higher, so exact modes stay exact.
    Among atoms the heaviest wins; an atom or pole beats every finite density.
    """
    low, high = prior.support
    exact = np.unique(np.clip([*candidates, low, high], low, high))
    exact_density = np.asarray(prior.density(exact))
    if np.isinf(exact_density).any():
        infinite = exact[np.isinf(exact_density)]
        atoms = np.asarray(prior.tail(infinite)) - (1 - np.asarray(prior.cdf(infinite)))
        return float(infinite[np.argmax(np.round(atoms, 12))])
    best = exact[np.argmax(exact_density)]
    grid = np.unique(prior.quantile(LEVELS))
    grid = grid[np.isfinite(grid)]
    grid_density = np.asarray(prior.density(grid))
    top = int(np.argmax(grid_density))
    bracket = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
    found = scipy.optimize.minimize_scalar(
        lambda x: -float(prior.density(x)), bounds=bracket, method="bounded", options={"xatol": 1e-12}
    )
    clearly_higher = -found.fun > exact_density.max() * (1 + 1e-9)
    return float(found.x if clearly_higher else best)
