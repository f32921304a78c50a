"""A small cache of predictions per model, and what the audit makes of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from uqalign.audit.measures import MEASURE_COLUMNS, measure
from uqalign.contracts.predictions import Cache, SplitResult

MODELS = ("mlp", "gp", "random_forest", "linreg")
SEEDS, FOLDS = 6, 2


def binary_cache(skill: float, seed: int, seeds: int = SEEDS) -> Cache:
    """Predictions with ties among probabilities; `skill` is how far they lean to the label."""
    rng = np.random.default_rng(seed)
    splits = []
    for repeat in range(seeds):
        for fold in range(1, FOLDS + 1):
            labels = np.random.default_rng([repeat, fold]).integers(0, 2, 24)
            p = np.clip(0.5 + skill * (labels - 0.5) + 0.25 * rng.normal(size=24), 0, 1).round(1)
            splits.append(SplitResult(repeat, fold, np.arange(24), labels.astype(float), (p,)))
    return Cache("binary", 2, splits)


def regression_cache(noise: float, seed: int, seeds: int = SEEDS) -> Cache:
    rng = np.random.default_rng(seed)
    splits = []
    for repeat in range(seeds):
        for fold in range(1, FOLDS + 1):
            y = 3 * np.random.default_rng([repeat, fold]).normal(size=24) + 10
            error = noise * rng.normal(size=24)
            var = (noise**2 * rng.uniform(0.3, 2, 24)).round(2)
            splits.append(SplitResult(repeat, fold, np.arange(24), y, ((y + error).round(1), var)))
    return Cache("regression", 1, splits)


def measures_of(caches: dict[str, Cache], n_thetas: int = 5) -> pd.DataFrame:
    rows = [row for model, cache in caches.items() for row in measure(cache, model, ["all"], n_thetas)]
    return pd.DataFrame(rows, columns=MEASURE_COLUMNS)


@pytest.fixture(scope="session")
def binary_caches() -> dict[str, Cache]:
    skills = {"mlp": 0.1, "gp": 0.3, "random_forest": 0.5, "logreg": 0.3}
    return {model: binary_cache(skill, 50 + i) for i, (model, skill) in enumerate(skills.items())}


@pytest.fixture(scope="session")
def regression_caches() -> dict[str, Cache]:
    return {m: regression_cache(0.6 + 0.5 * i, 70 + i) for i, m in enumerate(MODELS)}


@pytest.fixture(scope="session")
def binary_measures(binary_caches: dict[str, Cache]) -> pd.DataFrame:
    return measures_of(binary_caches)


@pytest.fixture(scope="session")
def regression_measures(regression_caches: dict[str, Cache]) -> pd.DataFrame:
    return measures_of(regression_caches)
