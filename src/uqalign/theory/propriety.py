"""Search for distributions under which a dishonest forecast is expected to score better than the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.theory.exact import Prediction
from uqalign.theory.problems import CLASSES, prediction, replaced, shown_prediction
from uqalign.theory.report import Check, outcome
from uqalign.theory.subject import Subject

PROPERTY = "proper"
TOLERANCE = 1e-9

SCREENING, CONFIRMING = 100, 2000
"""Draws of the targets with which a report of a regression is tried, and with which a suspicion is confirmed."""

SUSPICIOUS, CERTAIN = 3.0, 6.0
"""Advantage of a dishonest report, in standard errors."""

Generator = np.random.Generator


def proper(metric: Subject, trials: int, rng: Generator) -> Check:
    """No report has a lower expected value than the true distribution of the targets.

    Classes: expectations are exact, over all outcomes of up to three rows. Regression: over common random targets
    from the predicted Gaussians, confirmed on fresh ones.
    """
    if metric.task in ("binary", "multiclass"):
        return _exact(metric, trials, rng)
    return _sampled(metric, trials, rng)


def _exact(metric: Subject, trials: int, rng: Generator) -> Check:
    defined = 0
    for n in (1, 2, 3):
        for _ in range(math.ceil(trials / 20)):
            truth = prediction(metric.task, n, rng)
            expected = _expectation(metric, truth)
            honest = expected(truth)
            if math.isnan(honest):
                continue
            best, report = honest, truth
            for candidate in _reports(metric, truth, rng):
                value = expected(candidate)
                defined += not math.isnan(value)
                if value < best - TOLERANCE * max(1.0, abs(best)):
                    best, report = value, candidate
            if report is not truth:
                best, report = _improved(metric, expected, best, report, rng)
                return outcome(PROPERTY, _told(truth, report, honest, best), defined)
    return outcome(PROPERTY, None, defined)


def _told(truth: Prediction, report: Prediction, honest: float, best: float) -> str:
    return (
        f"If the truth is {shown_prediction(truth)}, saying so is expected to score {honest:.6g}, "
        f"but saying {shown_prediction(report)} {best:.6g}."
    )


def _expectation(metric: Subject, truth: Prediction) -> Callable[[Prediction], float]:
    p = truth[0] if metric.task == "multiclass" else np.stack([1 - truth[0], truth[0]], axis=1)
    outcomes = [np.array(y) for y in product(range(p.shape[1]), repeat=len(p))]
    chances = [float(np.prod(p[np.arange(len(p)), y])) for y in outcomes]

    def expected(report: Prediction) -> float:
        total = 0.0
        for y, chance in zip(outcomes, chances, strict=True):
            total += chance * metric.value(y, report)
        return total

    return expected


def _reports(metric: Subject, truth: Prediction, rng: Generator) -> Iterator[Prediction]:
    p = truth[0]
    yield (np.broadcast_to(p.mean(axis=0), p.shape).copy(),)
    yield (p[::-1].copy(),)
    if metric.task == "binary":
        yield ((p > 0.5).astype(float),)
        yield (np.full_like(p, 0.5),)
    else:
        yield (np.eye(CLASSES)[p.argmax(axis=1)],)
        yield (np.full_like(p, 1 / CLASSES),)
    for _ in range(6):
        yield prediction(metric.task, len(p), rng)
    for row in range(len(p)):
        yield replaced(truth, row, prediction(metric.task, len(p), rng))


def _improved(
    metric: Subject, expected: Callable[[Prediction], float], best: float, report: Prediction, rng: Generator
) -> tuple[float, Prediction]:
    """A better dishonest report, one row at a time."""
    for _ in range(20):
        row = int(rng.integers(len(report[0])))
        candidate = replaced(report, row, prediction(metric.task, len(report[0]), rng))
        value = expected(candidate)
        if value < best:
            best, report = value, candidate
    return best, report


def _sampled(metric: Subject, trials: int, rng: Generator) -> Check:
    defined = 0
    for n in (1, 2, 6):
        for _ in range(math.ceil(trials / 40)):
            truth = prediction(metric.task, n, rng)
            screening = _draws(truth, SCREENING, rng)
            honest_values = _values(metric, truth, screening)
            if not np.isfinite(honest_values).all():
                continue
            for report in _lies(metric, truth, rng):
                advantage, error = _advantage(metric, honest_values, report, screening)
                if math.isnan(advantage):
                    continue
                defined += 1
                if advantage <= SUSPICIOUS * error:
                    continue
                fresh = _draws(truth, CONFIRMING, rng)
                confirmed = _values(metric, truth, fresh)
                advantage, error = _advantage(metric, confirmed, report, fresh)
                if advantage > CERTAIN * error:
                    honest = float(confirmed.mean())
                    text = _told(truth, report, honest, honest - advantage)
                    return outcome(PROPERTY, f"{text} (The gain is {advantage / error:.0f} standard errors.)", defined)
    return outcome(PROPERTY, None, defined)


def _draws(truth: Prediction, count: int, rng: Generator) -> FloatArray:
    mean, spread = truth
    noise = rng.normal(size=(count, *mean.shape))
    if mean.ndim == 1:
        drawn: FloatArray = mean + noise * np.sqrt(spread)
        return drawn
    return np.asarray(mean + np.einsum("nij,snj->sni", np.linalg.cholesky(spread), noise))


def _values(metric: Subject, report: Prediction, draws: FloatArray) -> FloatArray:
    return np.array([metric.value(y, report) for y in draws])


def _advantage(metric: Subject, honest: FloatArray, report: Prediction, draws: FloatArray) -> tuple[float, float]:
    """Mean gain of the report over the honest values on the same draws, and its standard error; NaN if undefined."""
    gain = honest - _values(metric, report, draws)
    if not np.isfinite(gain).all():
        return math.nan, math.nan
    return float(gain.mean()), max(float(gain.std(ddof=1) / math.sqrt(len(gain))), 1e-12)


def _lies(metric: Subject, truth: Prediction, rng: Generator) -> Iterator[tuple[Any, ...]]:
    mean, spread = truth
    for factor in (0.0, 0.01, 0.25, 0.5, 2.0, 4.0):
        yield mean, factor * spread
    yield np.broadcast_to(mean.mean(axis=0), mean.shape).copy(), spread
    yield mean + 0.5, spread
    yield mean, spread[::-1].copy()
    if spread.ndim == 3:
        yield mean, spread * np.eye(spread.shape[-1])
    for _ in range(2):
        yield prediction(metric.task, len(mean), rng)
