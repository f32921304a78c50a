"""Problems with a known truth."""

import numpy as np
import pandas as pd

from uqalign.models.base import Problem


def make_problem(x, y, *, task, test, seed=1, width=1):
    """Numeric columns `x` (n, P); the rows `test` are hidden."""
    features = pd.DataFrame({f"x{j}": column for j, column in enumerate(np.asarray(x, dtype=float).T)})
    target = np.array(y, dtype=float)
    target[test] = np.nan
    train = np.setdiff1d(np.arange(len(target)), test)
    return Problem(
        task, features, dict.fromkeys(features.columns, "numeric"), target, train, np.asarray(test), width, seed
    )


def regression(n=120, features=3, noise=0.3, seed=0):
    """x (n, P) and y = sin(2 x0) + x1 + noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, features))
    return x, np.sin(2 * x[:, 0]) + x[:, 1] + noise * rng.normal(size=n)


def regression_problem(y_map=lambda y: y, *, n=120, test=20, seed=1, data_seed=0, noise=0.3):
    x, y = regression(n, noise=noise, seed=data_seed)
    return make_problem(x, y_map(y), task="regression", test=np.arange(n - test, n), seed=seed)


def binary_problem(*, n=100, test=20, seed=1, data_seed=0, features=3):
    x, y = regression(n, features=features, seed=data_seed)
    return make_problem(x, y > 0, task="binary", test=np.arange(n - test, n), seed=seed, width=2)


def coverage(mean, var, y, z=1.6448536269514722):
    """Share of targets inside the central 90 % interval."""
    return np.mean(np.abs(y - mean) <= z * np.sqrt(var))
