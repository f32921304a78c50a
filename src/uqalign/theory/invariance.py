"""Does a metric depend on what it should not depend on: row order, weights, labels, other rows?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from uqalign.theory.exact import Prediction
from uqalign.theory.problems import (
    CLASSES,
    COORDINATES,
    permuted,
    prediction,
    replaced,
    shown,
    shown_prediction,
    targets,
)
from uqalign.theory.report import Check, outcome
from uqalign.theory.subject import Subject

SAME = 1e-10
"""Largest difference between two values, relative to their size if above 1, that is taken for rounding."""

SIZES = (2, 3, 4, 6)

Generator = np.random.Generator
Attempt = Callable[[int], str | bool | None]
"""A trial with n rows: a violation in words, None where all is well, False where the metric has no value."""


def same(value: float, other: float) -> bool:
    """Whether two values are equal up to rounding."""
    return value == other or abs(value - other) <= SAME * max(1.0, abs(value), abs(other))


def searched(name: str, attempt: Attempt, trials: int, sizes: tuple[int, ...] = SIZES) -> Check:
    """Run `attempt` `trials` times, from few rows to many, until it finds a violation."""
    defined = 0
    for n in sizes:
        for _ in range(math.ceil(trials / len(sizes))):
            found = attempt(n)
            if found is not False:
                defined += 1
            if isinstance(found, str):
                return outcome(name, found, defined)
    return outcome(name, None, defined)


def row_order(metric: Subject, trials: int, rng: Generator) -> Check:
    """The same rows in another order give the same value."""

    def attempt(n: int) -> str | bool | None:
        y, p = targets(metric.task, n, rng), prediction(metric.task, n, rng)
        order = rng.permutation(n)
        here, there = metric.value(y, p), metric.value(y[order], permuted(p, order))
        if math.isnan(here) or math.isnan(there):
            return False
        if same(here, there):
            return None
        return (
            f"y = {shown(y)}, prediction {shown_prediction(p)}: {here:.6g}, but {there:.6g} with the rows in the order "
            f"{order.tolist()}."
        )

    return searched("independent of row order", attempt, trials)


def zero_weights(metric: Subject, trials: int, rng: Generator) -> Check:
    """Weights of one change nothing, and a weight of zero is the same as leaving the row out."""
    name = "weights: 1 as none, 0 as left out"
    if not metric.weighted:
        return Check(name, "not applicable", 0, "It takes no sample_weight.")

    def attempt(n: int) -> str | bool | None:
        y, p = targets(metric.task, n + 1, rng), prediction(metric.task, n + 1, rng)
        keep = np.arange(n + 1) != rng.integers(n + 1)
        plain, ones = metric.value(y, p), metric.value(y, p, np.ones(n + 1))
        without, zero = metric.value(y[keep], permuted(p, keep)), metric.value(y, p, keep.astype(float))
        if math.isnan(plain) or math.isnan(without):
            return False
        if not same(plain, ones):
            return f"y = {shown(y)}, prediction {shown_prediction(p)}: {plain:.6g}, but {ones:.6g} with weights of 1."
        if not same(without, zero):
            return (
                f"y = {shown(y)}, prediction {shown_prediction(p)}: {zero:.6g} with weights "
                f"{keep.astype(int).tolist()}, but {without:.6g} without that row."
            )
        return None

    return searched(name, attempt, trials)


def repeated_weights(metric: Subject, trials: int, rng: Generator) -> Check:
    """A weight of two is the same as listing the row twice."""
    name = "weights: 2 as listed twice"
    if not metric.weighted:
        return Check(name, "not applicable", 0, "It takes no sample_weight.")

    def attempt(n: int) -> str | bool | None:
        y, p = targets(metric.task, n, rng), prediction(metric.task, n, rng)
        times = np.ones(n, dtype=int)
        times[rng.integers(n)] = 2
        rows = np.repeat(np.arange(n), times)
        weighted, listed = metric.value(y, p, times.astype(float)), metric.value(y[rows], permuted(p, rows))
        if math.isnan(weighted) or math.isnan(listed):
            return False
        if same(weighted, listed):
            return None
        return (
            f"y = {shown(y)}, prediction {shown_prediction(p)}: {weighted:.6g} with weights {times.tolist()}, "
            f"but {listed:.6g} with the row listed twice."
        )

    return searched(name, attempt, trials)


def relabelling(metric: Subject, trials: int, rng: Generator) -> Check:
    """Other names for the classes, or another order of the coordinates, give the same value."""
    name = "independent of the order of classes or coordinates"
    if metric.task == "regression":
        return Check(name, "not applicable", 0, "A single target has no other order.")

    def attempt(n: int) -> str | bool | None:
        y, p = targets(metric.task, n, rng), prediction(metric.task, n, rng)
        here, there = metric.value(y, p), metric.value(*_relabelled(metric, y, p, rng))
        if math.isnan(here) or math.isnan(there):
            return False
        if same(here, there):
            return None
        return f"y = {shown(y)}, prediction {shown_prediction(p)}: {here:.6g}, but {there:.6g} in another order."

    return searched(name, attempt, trials)


def _relabelled(metric: Subject, y: np.ndarray, p: Prediction, rng: Generator) -> tuple[np.ndarray, Prediction]:
    if metric.task == "binary":
        return 1 - y, (1 - p[0],)
    if metric.task == "multiclass":
        order = rng.permutation(CLASSES)
        return np.argsort(order)[y], (p[0][:, order],)
    order = rng.permutation(COORDINATES)
    return y[:, order], (p[0][:, order], p[1][:, order][:, :, order])


def other_rows(metric: Subject, trials: int, rng: Generator) -> Check:
    """Whether one prediction for a row beats another does not hang on the predictions of other rows.

    Only such metrics can be aligned with decisions that are made row by row (Schneider et al. 2026, Lemma 3.6).
    """

    def attempt(n: int) -> str | bool | None:
        y = targets(metric.task, n, rng)
        first, second, one, two = (prediction(metric.task, n, rng) for _ in range(4))
        row = int(rng.integers(n))
        steps = []
        for background in (first, second):
            values = [metric.value(y, replaced(background, row, side)) for side in (one, two)]
            if any(math.isnan(value) for value in values):
                return False
            steps.append(0.0 if same(*values) else math.copysign(1.0, values[0] - values[1]))
        if steps[0] == steps[1]:
            return None
        told = {-1.0: "better than", 0.0: "as good as", 1.0: "worse than"}
        choices = [shown_prediction(permuted(side, [row])) for side in (one, two)]
        return (
            f"y = {shown(y)}: for row {row}, {choices[0]} is {told[steps[0]]} {choices[1]} when the prediction is else "
            f"{shown_prediction(first)}, but {told[steps[1]]} it when that is {shown_prediction(second)}."
        )

    return searched("judges each row independently of the others", attempt, trials)
