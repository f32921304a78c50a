"""Search for pairs of predictions that a metric and a family of decisions order differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from uqalign.families import FAMILIES
from uqalign.priors import Prior, as_prior, prior_text
from uqalign.pwu import (
    binary_decision_pwu,
    multivariate_selective_pwu,
    one_vs_rest_pwu,
    risk_averse_top_k_pwu,
    selective_pwu,
    top_k_pwu,
)
from uqalign.registry import did_you_mean
from uqalign.theory.counterexamples import prefers
from uqalign.theory.exact import Prediction, compare
from uqalign.theory.invariance import same, searched
from uqalign.theory.problems import neighbour, prediction, shown, shown_prediction, targets
from uqalign.theory.report import Check
from uqalign.theory.subject import Subject

SIZES = (1, 2, 3, 4, 5)

VISIBLE = 1e-6
"""Smallest difference that is held against a tie: below, an offset in the metric may have swallowed its digits."""

PriorChoice = Prior | str | Mapping[str, Prior | str] | None
"""A prior, or one per parameter of the family; None for the family's own."""

ExpectedLoss = Callable[[Any, Prediction], float]

_METRICS: Mapping[str, tuple[Callable[..., Any], Mapping[str, str]]] = {
    "binary_decision": (binary_decision_pwu, {"c": "prior"}),
    "top_k": (top_k_pwu, {"q": "prior"}),
    "one_vs_rest": (one_vs_rest_pwu, {"c": "prior"}),
    "selective": (selective_pwu, {"lambda_factor": "prior"}),
    "risk_averse_top_k": (risk_averse_top_k_pwu, {"q": "prior_k", "gamma_factor": "prior_aversion"}),
    "multivariate_selective": (multivariate_selective_pwu, {"lambda_factor": "prior"}),
}
"""Per family, its prior-weighted utility and the argument for the prior of each parameter."""


def chosen_priors(family: str, prior: PriorChoice) -> dict[str, Prior]:
    """The prior of each parameter of `family`.

    Raises:
        ValueError: a single prior for a family with several parameters, or an unknown parameter.
    """
    own = dict(FAMILIES[family].priors)
    if prior is None:
        return own
    if not isinstance(prior, Mapping):
        if len(own) > 1:
            raise ValueError(f"{family} has several parameters: give prior as a mapping with {', '.join(own)}")
        return {name: as_prior(prior) for name in own}
    for name in prior:
        if name not in own:
            raise ValueError(f"{family} has no parameter {name!r}: {did_you_mean(name, own)}")
    return own | {name: as_prior(value) for name, value in prior.items()}


def expected_loss(family: str, priors: Mapping[str, Prior]) -> ExpectedLoss:
    """Minus the expected utility of a prediction under the priors."""
    function, arguments = _METRICS[family]
    options = {arguments[name]: prior for name, prior in priors.items()}
    metric = Subject(family, FAMILIES[family].task, lambda *rows: function(*rows, **options), False, 1.0)
    return metric.value


def under_prior(metric: Subject, family: str, prior: PriorChoice, trials: int, rng: np.random.Generator) -> Check:
    """The metric orders any two predictions as their expected utility under the prior does, ties included."""
    priors = chosen_priors(family, prior)
    loss = expected_loss(family, priors)
    text = ", ".join(f"{name} ~ {prior_text(value)}" for name, value in priors.items())

    def attempt(n: int) -> str | bool | None:
        y = targets(metric.task, n, rng)
        a = prediction(metric.task, n, rng)
        b = neighbour(metric.task, a, rng) if rng.random() < 0.5 else prediction(metric.task, n, rng)
        values, losses = ([measure(y, side) for side in (a, b)] for measure in (metric.value, loss))
        if any(math.isnan(value) for value in (*values, *losses)):
            return False
        by_metric, by_loss = _order(*values), _order(*losses)
        if by_metric is None or by_loss is None or by_metric == by_loss:
            return None
        if by_metric * by_loss == 0 and max(abs(values[0] - values[1]), abs(losses[0] - losses[1])) < VISIBLE:
            return None
        told = {-1: "lower", 0: "the same", 1: "higher"}
        return (
            f"y = {shown(y)}: {shown_prediction(a)} against {shown_prediction(b)}: the metric is {told[by_metric]} "
            f"({values[0]:.6g}, {values[1]:.6g}), the expected loss {told[by_loss]} ({losses[0]:.6g}, {losses[1]:.6g})."
        )

    return searched(f"aligned with {family} under {text}", attempt, trials, _sizes(family))


def _sizes(family: str) -> tuple[int, ...]:
    """Numbers of rows to try: among one row there is nothing to select, and it has no variance."""
    return SIZES[1:] if family in ("top_k", "risk_averse_top_k", "multivariate_selective") else SIZES


def _order(first: float, second: float) -> int | None:
    """-1, 0 or 1; None where a difference is too small to tell it from rounding."""
    if prefers(first, second):
        return -1
    if prefers(second, first):
        return 1
    return 0 if same(first, second) and abs(first - second) <= 1e-13 * max(1.0, abs(first)) else None


def under_some_prior(metric: Subject, family: str, trials: int, rng: np.random.Generator) -> Check:
    """There may be a prior that aligns the metric: it never prefers what no decision at all prefers."""

    def attempt(n: int) -> str | bool | None:
        y = targets(metric.task, n, rng)
        a = prediction(metric.task, n, rng)
        b = neighbour(metric.task, a, rng) if rng.random() < 0.5 else prediction(metric.task, n, rng)
        values = [metric.value(y, side) for side in (a, b)]
        if any(math.isnan(value) for value in values):
            return False
        if family == "multivariate_selective" and (np.ptp(y, axis=0) == 0).any():
            return False
        if not (prefers(*values) or prefers(*values[::-1])):
            return None
        flattered, useful = (a, b) if prefers(*values) else (b, a)
        comparison = compare(family, y, useful, flattered)
        if not comparison.never_worse:
            return None
        at = ", ".join(f"{name} = {value:.3g}" for name, value in comparison.at.items())
        gain = f"one gains {comparison.gain:.3g} at {at}" if comparison.gain else "all are indifferent"
        return (
            f"y = {shown(y)}: the metric prefers {shown_prediction(flattered)} ({min(values):.6g}) to "
            f"{shown_prediction(useful)} ({max(values):.6g}), no decision does; with the latter, {gain}."
        )

    return searched(f"aligned with {family} under some prior", attempt, trials, _sizes(family))
