"""What each protocol switch of a case study is worth: in money, and in alignment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import kendall_tau_b
from uqalign.alignment import per_seed, seed_taus
from uqalign.cases.results import Results
from uqalign.cases.scoring import DEFINITIONS, PUBLISHED, variant_name

if TYPE_CHECKING:
    import pandas as pd


def switches_table(results: Results) -> tuple[str, pd.DataFrame]:
    """Effect of each switch alone, and of all together, by arm.

    Columns: utility (mean over models and repeats), change (its difference from the definitions), same_ranking (median
    over repeats of tau-b between the models' utilities with and without), mean_tau_change and largest_tau_change (of a
    metric's mean alignment over repeats), its metric.
    """
    import pandas as pd

    case = results.case
    variants = [DEFINITIONS, *case.switches, PUBLISHED]
    taus = seed_taus(results.alignment).groupby(["dataset", "family", "metric"])["tau"].mean()

    def mean_taus(arm: str, variant: str) -> pd.Series[float]:
        here = (taus.index.get_level_values("dataset") == arm) & (
            taus.index.get_level_values("family") == variant_name(case.name, variant)
        )
        return taus[here].droplevel(["dataset", "family"])

    rows = []
    for arm in case.arms:
        block = results.scores[(results.scores["dataset"] == arm.name) & (results.scores["kind"] == "utility")]
        means = per_seed(block, results.models, results.folds)
        utilities = {v: means.xs(variant_name(case.name, v), level="name").to_numpy() for v in variants}
        defined = mean_taus(arm.name, DEFINITIONS)
        for variant in variants:
            money, before = utilities[variant], utilities[DEFINITIONS]
            agreement = [kendall_tau_b(x, y) for x, y in zip(before, money, strict=True)]
            known = [tau for tau in agreement if not math.isnan(tau)]
            gap = (mean_taus(arm.name, variant) - defined).dropna()
            size = gap.abs().to_numpy()
            largest = int(size.argmax()) if len(size) else 0
            rows.append(
                {
                    "arm": arm.name,
                    "switch": variant,
                    "utility": float(np.nanmean(money)),
                    "change": float(np.nanmean(money - before)),
                    "same_ranking": float(np.median(known)) if known else math.nan,
                    "mean_tau_change": float(size.mean()) if len(size) else math.nan,
                    "largest_tau_change": float(gap.iloc[largest]) if len(size) else math.nan,
                    "of_metric": results.metrics[str(gap.index[largest])].title if size.any() else "--",
                }
            )
    unit = f" in {case.unit}" if case.unit else ""
    caption = (
        f"{case.title}: what each deviation of the published protocol is worth{unit} (mean over models and repeats of "
        "a test set's utility), how far it leaves the models' ranking by utility as it was (median tau-b), and how it "
        "changes the alignment of the metrics with the utility (mean and largest change of a metric's mean tau-b)."
    )
    return caption, pd.DataFrame(rows)
