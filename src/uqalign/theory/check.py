"""Examine any metric: is it proper, does it depend on what it should not, which decisions is it aligned with?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from uqalign.families import FAMILIES, families_of
from uqalign.metrics.metric import Metric
from uqalign.registry import UnknownNameError, did_you_mean
from uqalign.tasks import Task
from uqalign.theory import invariance
from uqalign.theory.alignment_search import PriorChoice, under_prior, under_some_prior
from uqalign.theory.propriety import proper
from uqalign.theory.report import Report
from uqalign.theory.subject import subject

BUDGET = 300
"""Trials per property: a few seconds for a metric of tens of microseconds."""


def check_metric(
    metric: Metric | Callable[..., Any] | str,
    task: Task,
    *,
    family: str | None = None,
    prior: PriorChoice = None,
    higher_is_better: bool = False,
    rng: np.random.Generator | int = 0,
    budget: int = BUDGET,
) -> Report:
    """Search for violations of the properties one would want of a metric.

    A violation found is a fact and is quoted, the fewest rows first. Finding none is no proof: the report then says in
    how many trials none was found.

    Args:
        metric: a function f(y_true, *prediction) with or without sample_weight=, a `Metric`, or a registered name.
        task: binary, multiclass, regression or multivariate.
        family: the decision family to examine alignment with (default: all of the task).
        prior: prior on the family's parameter, or a mapping of parameters to priors; default the family's own.
            Needs `family`.
        higher_is_better: orientation of a function (a `Metric` knows its own).
        rng: generator or seed.
        budget: trials per property.

    Returns:
        The report; `print(report.text())`.

    Raises:
        ValueError: unknown task, family, metric name or parameter; a prior without a family; a budget below 1.
    """
    families = families_of(task)
    if budget < 1:
        raise ValueError(f"budget = {budget!r} must be at least 1")
    if family is not None and family not in {f.name for f in families}:
        known = [f.name for f in families]
        where = f"it is a {FAMILIES[family].task} family" if family in FAMILIES else did_you_mean(family, known)
        raise UnknownNameError(f"no {task} decision family {family!r}: {where}")
    if family is None and prior is not None:
        raise ValueError("prior needs a family: name the one whose parameter it is about")
    examined = subject(metric, task, higher_is_better=higher_is_better)
    generator = np.random.default_rng(rng)
    checks = [
        search(examined, budget, generator)
        for search in (
            proper,
            invariance.row_order,
            invariance.zero_weights,
            invariance.repeated_weights,
            invariance.relabelling,
            invariance.other_rows,
        )
    ]
    for name in [family] if family is not None else [f.name for f in families]:
        checks.append(under_prior(examined, name, prior, budget, generator))
        checks.append(under_some_prior(examined, name, budget, generator))
    return Report(examined.name, task, tuple(checks))
