"""Prior-weighted utilities under other priors than the registered ones, beside the metrics of a case study.

A case study's decisions follow no prior that anybody chose. How a prior-weighted utility fares when its prior is moved
away, or taken from the case itself, tells how much the choice matters.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from uqalign.cases.case import Case, CaseSplit

if TYPE_CHECKING:
    from uqalign.metrics.metric import Metric

LEVELS = ("slight", "strong", "extreme")
OWN = "own"
"""Label of the prior that a case study states for itself."""


def perturbed(metric: Metric) -> dict[str, Metric]:
    """A prior-weighted utility by level of perturbation of its priors; nothing for other metrics."""
    from uqalign.priors import PERTURBED, PRIOR_C, PRIOR_GAMMA, PRIOR_K

    # Costs of acting and of abstaining have one prior, and move alike.
    parameters = ((PRIOR_C, "c"), (PRIOR_K, "k"), (PRIOR_GAMMA, "gamma"))
    moved = {
        option: PERTURBED[name]  # type: ignore[index]
        for option, value in metric.options.items()
        for prior, name in parameters
        if value == prior
    }
    if not moved:
        return {}
    return {
        level: dataclasses.replace(
            metric, options={**metric.options, **{option: priors[level] for option, priors in moved.items()}}
        )
        for level in LEVELS
    }


def with_other_priors(case: Case, split: CaseSplit, metrics: Mapping[str, Metric]) -> Iterator[tuple[str, str, Metric]]:
    """(metric's name, label of the prior, metric) for every prior-weighted utility and every other prior."""
    own: Mapping[str, Mapping[str, Any]] = case.priors(split) if case.priors is not None else {}
    for name, metric in metrics.items():
        yield from ((name, level, moved) for level, moved in perturbed(metric).items())
        if name in own:
            yield name, OWN, dataclasses.replace(metric, options={**metric.options, **own[name]})
