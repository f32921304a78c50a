"""Where the decisions of credit approval lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqalign.cases.credit.approval import costs_of
from uqalign.cases.credit.costs import thresholds
from uqalign.cases.distribution import distribution_chart
from uqalign.cases.results import Results
from uqalign.cases.scoring import case_splits
from uqalign.checks import FloatArray


def implied(results: Results, arm: str) -> FloatArray:
    """Implied thresholds of the test rows of one repeat, with the averages of each fold's training rows.

    They are the same for every model; the first one with predictions lends its test rows. Rows where nothing is at
    stake have none.
    """
    for model in results.models:
        for inputs in results.inputs(arm, model):
            splits = list(case_splits(inputs, inputs.parts[0], inputs.switches))
            found = [thresholds(*costs_of(split)) for split in splits if split.seed == splits[0].seed]
            if found:
                values = np.concatenate(found)
                return values[np.isfinite(values)]
    return np.empty(0)


def implied_thresholds(results: Results) -> Any:
    """Distribution of the implied thresholds c_i in each arm, against the prior of the binary decision."""
    from uqalign.priors import PRIOR_C

    values = {arm.title: implied(results, arm.name) for arm in results.case.arms}
    return distribution_chart(values, "implied threshold c", PRIOR_C)
