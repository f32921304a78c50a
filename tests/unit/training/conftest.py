"""Small problems, and the plain-torch peers of the benchmarks as references."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from uqalign.models.base import Problem

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

WIDTHS = {"binary": 2, "multiclass": 3, "regression": 1, "multivariate": 2}


def make_problem(task, *, seed=1, n=90, n_test=15, columns=4, levels=None, table=0):
    """Rows of a fixed table (one per `table`) of which the seed picks the training and test rows.

    Args:
        levels: adds a categorical column with one row of the level "rare", which not every split trains on.
    """
    rng = np.random.default_rng(table)
    x = rng.normal(size=(n, columns))
    noisy = x[:, 0] + 0.5 * x[:, 1] * x[:, -1] + 0.3 * rng.normal(size=n)
    features = pd.DataFrame(x, columns=[f"x{i}" for i in range(columns)])
    kinds = dict.fromkeys(features, "numeric")
    if levels is not None:
        features["level"] = np.where(np.arange(n) < 3, "rare", rng.choice(levels, size=n))
        kinds["level"] = "categorical"
    target = {
        "binary": (noisy > 0).astype(float),
        "multiclass": np.digitize(noisy, [-0.5, 0.5]).astype(float),
        "regression": 100 + 7 * noisy,
        "multivariate": np.column_stack([noisy, 5 - 2 * noisy + rng.normal(size=n)]),
    }[task]
    order = np.random.default_rng(seed).permutation(n)
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    target = target.copy()
    target[test] = np.nan
    return Problem(task, features, kinds, target, train, test, WIDTHS[task], seed)


@pytest.fixture
def problem_of():
    return make_problem


@pytest.fixture(autouse=True)
def one_thread():
    """References run on one core too: threads that wait for each other make small operations slow."""
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        yield
    torch.set_num_threads(before)
