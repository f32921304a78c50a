"""How much the priors of the prior-weighted utilities matter to their alignment with a case study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import kendall_tau_b
from uqalign.alignment import per_seed
from uqalign.cases.other_priors import LEVELS, OWN
from uqalign.cases.results import Results

if TYPE_CHECKING:
    import pandas as pd

BASE = "base"


def prior_table(results: Results) -> tuple[str, pd.DataFrame]:
    """Kendall's tau-b between the realised utility and each prior-weighted utility, by its prior."""
    import pandas as pd

    case, rows = results.case, []
    weighted = [name for name, metric in results.metrics.items() if metric.family == "decision"]
    for arm in case.arms:
        means = per_seed(results.scores[results.scores["dataset"] == arm.name], results.models, results.folds)
        for name in weighted:
            sign = 1 if results.metrics[name].higher_is_better else -1
            for label in (BASE, *LEVELS, OWN):
                place = ("metric", name, "") if label == BASE else ("detail", name, label)
                taus = []
                for _, seed in means.groupby(level="seed"):
                    values = dict(zip(seed.droplevel("seed").index, seed.to_numpy(dtype=float), strict=True))
                    if place in values:
                        taus.append(kendall_tau_b(sign * values[place], values["utility", case.name, ""]))
                if not taus:
                    continue
                known = [tau for tau in taus if not math.isnan(tau)]
                low, median, high = np.quantile(known, [0.05, 0.5, 0.95]).tolist() if known else (math.nan,) * 3
                title = results.metrics[name].title
                rows.append(
                    {"arm": arm.name, "metric": title, "prior": label, "median": median, "q05": low, "q95": high}
                    | {"defined": len(known), "expected": len(taus)}
                )
    caption = (
        f"{case.title}: alignment of the prior-weighted utilities with the realised utility (tau-b over repeats: "
        "median, 5 % and 95 % quantiles), by the prior they are weighted with: the registered one, that one moved "
        "slightly, strongly and extremely, and where the case study states one, its own."
    )
    return caption, pd.DataFrame(rows)
