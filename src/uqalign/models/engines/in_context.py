"""TabPFN's predictions, one problem after the other: its library uses every core by itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from scipy.stats import norm

from uqalign.checks import FloatArray
from uqalign.models.base import Compute, FitFailed, Problem
from uqalign.models.probabilities import class_probabilities
from uqalign.models.tabpfn import MOST_ROWS, find_weights
from uqalign.predictions import Prediction

QUANTILES = [float(norm.cdf(-1)), float(norm.cdf(1))]
"""15.87 % and 84.13 %: one standard deviation below and above the mean of a normal distribution."""


def subsample(n: int, seed: int, most: int = MOST_ROWS) -> np.ndarray:
    """Which of `n` training rows are used, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


@contextmanager
def _own_state(threads: int) -> Iterator[None]:
    """Within, torch uses `threads` cores; the process's thread count and random state come back afterwards."""
    before = torch.get_num_threads()
    with torch.random.fork_rng(), warnings.catch_warnings():
        # Of scikit-learn to the library's authors.
        warnings.simplefilter("ignore", FutureWarning)
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    """Predictions in order.

    Raises:
        FileNotFoundError: no weights; says what to do.
    """
    for problem in problems:
        with _own_state(compute.threads):
            torch.manual_seed(int(problem.seed))
            try:
                result: Prediction | Exception = _fit_predict(problem, compute.device)
            except FitFailed as failure:
                result = failure
        yield result


def _fit_predict(problem: Problem, device: str) -> Prediction:
    from tabpfn import TabPFNClassifier, TabPFNRegressor

    x_train, x_test = problem.arrays(scale=True)
    rows = subsample(len(x_train), problem.seed)
    settings: dict[str, Any] = {
        "device": device,
        "random_state": int(problem.seed),
        # Half precision, its choice where there is hardware for it, lets a prediction depend on the other test rows.
        "inference_precision": torch.float32,
        # The limits guard against slow processors and tables beyond the published ones, not against wrong answers.
        "ignore_pretraining_limits": True,
    }
    if problem.task == "regression":
        regressor = TabPFNRegressor(model_path=find_weights("regressor"), **settings)
        regressor.fit(x_train[rows], problem.y_train[rows])
        return _normal(regressor.predict(x_test, output_type="main", quantiles=QUANTILES))
    y = problem.y_train[rows].astype(int)
    classes = np.unique(y)
    if len(classes) == 1:
        return class_probabilities(np.ones((len(x_test), 1)), classes, problem)
    classifier = TabPFNClassifier(model_path=find_weights("classifier"), **settings)
    classifier.fit(x_train[rows], y)
    p = np.asarray(classifier.predict_proba(x_test), dtype=np.float64)
    if not np.isfinite(p).all():
        raise FitFailed("TabPFN returned NaN or infinite probabilities")
    return class_probabilities(p, classifier.classes_, problem)


def _normal(answer: dict[str, Any]) -> Prediction:
    low, high = (np.asarray(quantile, dtype=np.float64) for quantile in answer["quantiles"])
    mean: FloatArray = np.asarray(answer["mean"], dtype=np.float64)
    if not all(np.isfinite(values).all() for values in (mean, low, high)):
        raise FitFailed("TabPFN returned NaN or infinite means or quantiles")
    return mean, ((high - low) / 2) ** 2
