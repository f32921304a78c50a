"""Does another seed rank the models alike?"""

from __future__ import annotations

import numpy as np

from uqalign.agreement import TIE_TOLERANCE, common_blocks, kendall
from uqalign.checks import FloatArray
from uqalign.inference.ranks import average_ranks


def _snapped(values: FloatArray) -> FloatArray:
    """Values (seeds, models), those that tie within the tolerance made equal."""
    size = np.max(np.abs(values), axis=1, keepdims=True, initial=0, where=np.isfinite(values))
    order = np.argsort(values, axis=1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=1)
    with np.errstate(invalid="ignore"):
        apart = ~((ranked[:, 1:] == ranked[:, :-1]) | (np.diff(ranked, axis=1) <= TIE_TOLERANCE * size))
    places = np.concatenate([np.zeros((len(values), 1)), np.cumsum(apart, axis=1)], axis=1)
    snapped = np.empty_like(values)
    np.put_along_axis(snapped, order, places, axis=1)
    return np.where(np.isnan(values), np.nan, snapped)


def kendall_w(values: FloatArray) -> float:
    """Kendall's coefficient of concordance of the seeds' rankings, corrected for ties.

    W = 12 S / (m^2 (n^3 - n) - m sum_i T_i), S the sum of squared deviations of the n models' rank sums over m seeds,
    T_i the sum of t^3 - t over groups of t ties in seed i: 1 if all seeds rank alike, about 1 / m by chance.

    Args:
        values: (seeds, models); models without a value in every seed are left out.

    Returns:
        W in [0, 1]; NaN with fewer than two seeds or models, or where every seed ties all models.
    """
    complete = values[:, ~np.isnan(values).any(axis=0)]
    seeds, models = complete.shape
    if seeds < 2 or models < 2:
        return float("nan")
    ranks = average_ranks(_snapped(complete))
    # The squared deviations of the ranks within seeds make up the tie-corrected denominator.
    within = ((ranks - (models + 1) / 2) ** 2).sum()
    between = ((ranks.sum(axis=0) - seeds * (models + 1) / 2) ** 2).sum()
    return float(between / (seeds * within)) if within > 0 else float("nan")


def mean_pairwise_tau(values: FloatArray) -> tuple[float, int, int]:
    """Kendall's tau-b between the rankings by two seeds, on average over all pairs of seeds.

    Args:
        values: (seeds, models); NaN where undefined, which leaves a model out of the pairs concerned.

    Returns:
        mean over the pairs that have a tau (NaN if none has), their number, the number of pairs.
    """
    seeds = len(values)
    taus = np.full((seeds, seeds), np.nan)
    for cells, a, b in common_blocks(values, values):
        if a.shape[1] > 1:
            taus[cells] = kendall(a, b)
    pairs = taus[np.triu_indices(seeds, k=1)]
    defined = pairs[~np.isnan(pairs)]
    return (float(defined.mean()) if len(defined) else float("nan")), len(defined), len(pairs)


def first_places(values: FloatArray) -> FloatArray:
    """Share of the seeds in which each model is first; models that tie for it share it.

    Args:
        values: (seeds, models), higher is better; NaN where undefined. Seeds without any value, and seeds in which all
            models tie, rank none first and are left out.

    Returns:
        (models,) shares that sum to 1; NaN if no seed is left.
    """
    places = _snapped(values)
    present = ~np.isnan(places)
    best = np.max(places, axis=1, keepdims=True, initial=-1, where=present)
    first = present & (places == best)
    ranked = (best[:, 0] > 0) & present.any(axis=1)
    if not ranked.any():
        return np.full(values.shape[1], np.nan)
    shares: FloatArray = (first / np.maximum(first.sum(axis=1, keepdims=True), 1))[ranked].mean(axis=0)
    return shares
