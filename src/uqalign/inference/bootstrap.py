"""Bootstrap over data sets, and over seeds within each drawn data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from uqalign.checks import FloatArray

DRAWS = 10_000


def mean_over_datasets(datasets: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Mean of every data set over its seeds, and the mean of these means.

    Args:
        datasets: (seeds, m) values of each data set; NaN where undefined.

    Returns:
        (m,) mean over the data sets that have one, (datasets, m) means over seeds; NaN where there is none.
    """
    means = np.array([_ratio(np.nansum(v, axis=0), (~np.isnan(v)).sum(axis=0)) for v in datasets])
    return _ratio(np.nansum(means, axis=0), (~np.isnan(means)).sum(axis=0)), means


def _ratio(total: FloatArray, count: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: FloatArray = total / np.where(count == 0, np.nan, count)
    return ratio


def bootstrap_means(datasets: Sequence[FloatArray], *, draws: int = DRAWS, rng: np.random.Generator) -> FloatArray:
    """Bootstrap distribution of `mean_over_datasets`.

    Each draw takes as many data sets as there are, with replacement, and for each taken one as many of its seeds as it
    has, with replacement; all m columns share the draw. A taken data set in which a column has no value is left out of
    that column's mean.

    Args:
        datasets: (seeds, m) values of each data set, at least one seed each; NaN where undefined.
        draws: number of draws.
        rng: source of randomness.

    Returns:
        (draws, m) means; NaN where a draw holds no value.

    Raises:
        ValueError: no data set, or one without a seed.
    """
    if not datasets or any(len(values) == 0 for values in datasets):
        raise ValueError("bootstrap_means needs at least one data set and one seed in each")
    number = len(datasets)
    taken = rng.multinomial(number, np.full(number, 1 / number), size=draws)
    total = np.zeros((draws, datasets[0].shape[1]))
    count = np.zeros_like(total)
    for values, times in zip(datasets, taken.T, strict=True):
        seeds = len(values)
        weights = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=times.sum()).astype(np.float64)
        present = ~np.isnan(values)
        means = _ratio(weights @ np.where(present, values, 0), weights @ present)
        owner = np.repeat(np.arange(draws), times)
        np.add.at(total, owner, np.where(np.isnan(means), 0, means))
        np.add.at(count, owner, ~np.isnan(means))
    return _ratio(total, count)


def probability_positive(draws: FloatArray) -> FloatArray:
    """(m,) share of the draws (draws, m) that are above 0, draws of exactly 0 counting one half; NaN without draws."""
    defined = ~np.isnan(draws)
    above = np.where(defined, (np.sign(draws) + 1) / 2, 0).sum(axis=0)
    return _ratio(above, defined.sum(axis=0))
