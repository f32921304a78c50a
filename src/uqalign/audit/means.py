"""Fold means of every measure and variant for each model and seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from uqalign.alignment import fold_mean
from uqalign.checks import FloatArray
from uqalign.protocol.rankings import fold_mean_published

if TYPE_CHECKING:
    import pandas as pd

Measure = tuple[str, str, str, str]
"""kind, name, theta, variant."""


@dataclass(frozen=True)
class Means:
    """Fold means of one data set.

    Attributes:
        seeds: (s,) ascending.
        models: (m,) names, in the order of the columns.
        strict: per measure (s, m); NaN where a fold is undefined or its fit failed.
        lenient: per measure (s, m); undefined folds are left out, as published; NaN where a fit failed.
    """

    seeds: list[int]
    models: list[str]
    strict: dict[Measure, FloatArray]
    lenient: dict[Measure, FloatArray]


def fold_means(measures: pd.DataFrame, models: Sequence[str], folds: int) -> Means:
    """Means over folds, correctly rounded.

    Args:
        measures: rows as `MEASURE_COLUMNS` of one data set.
        models: models in column order; absent ones become NaN.
        folds: folds that each mean must have.
    """
    seeds = sorted(measures["seed"].unique().tolist())
    row = {seed: i for i, seed in enumerate(seeds)}
    column = {model: j for j, model in enumerate(models)}
    strict: dict[Measure, FloatArray] = {}
    lenient: dict[Measure, FloatArray] = {}
    keys = ["kind", "name", "theta", "variant", "seed", "model"]
    ordered = measures.sort_values(keys, kind="stable")
    values = ordered["value"].to_numpy()
    names = list(zip(*(ordered[key].tolist() for key in keys), strict=True))
    starts = [i for i in range(len(names)) if i == 0 or names[i] != names[i - 1]]
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        *measure, seed, model = names[start]
        key: Measure = tuple(measure)
        for means in (strict, lenient):
            means.setdefault(key, np.full((len(seeds), len(models)), math.nan))
        if end - start == folds and model in column:
            part = values[start:end]
            strict[key][row[seed], column[model]] = fold_mean(part)
            lenient[key][row[seed], column[model]] = fold_mean_published(part)
    return Means(seeds, list(models), strict, lenient)
