"""Where the decisions of peer-to-peer lending lie."""

from __future__ import annotations

from typing import Any

from uqalign.cases.distribution import distribution_chart
from uqalign.cases.results import Results


def implied_fractions(results: Results) -> Any:
    """Distribution of k/n, the fraction of loans that the budget buys, over models and test sets, against its prior."""
    from uqalign.priors import PRIOR_K

    scores = results.scores
    found = scores[(scores["kind"] == "detail") & (scores["name"] == "k_over_n")]
    values = {
        arm.title: found.loc[found["dataset"] == arm.name, "value"].to_numpy(dtype=float) for arm in results.case.arms
    }
    high = max([0.25, *(float(part.max()) for part in values.values() if len(part))])
    return distribution_chart(values, "implied k/n", PRIOR_K, high=high)
