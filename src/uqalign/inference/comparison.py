"""One family's metrics compared over data sets and on each of them.

Args shared by the functions: `matrices` holds per data set an array (seeds, metrics) of alignments, NaN where
undefined, as `matrices.seed_matrices` gives it; `metrics` names its columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, IntArray
from uqalign.inference.bootstrap import bootstrap_means, mean_over_datasets, probability_positive
from uqalign.inference.multiplicity import holm
from uqalign.inference.ranks import friedman
from uqalign.inference.resampled import resampled_mean
from uqalign.inference.sign_flip import sign_flip_p_values

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
POOLED, ONE = "pooled", "dataset"
RANK_COLUMNS = ["mean_rank", "critical_difference", "friedman", "p_asymptotic", "p_permutation", "datasets"]


def _percentiles(draws: FloatArray, datasets: int) -> tuple[FloatArray, FloatArray]:
    """Ends of the bootstrap interval; NaN where there is one data set only, which says nothing about others."""
    defined = ~np.isnan(draws).all(axis=0) & (datasets > 1)
    ends = np.full((2, draws.shape[1]), np.nan)
    ends[:, defined] = np.nanquantile(draws[:, defined], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return ends[0], ends[1]


def pooled_table(matrices: Mapping[str, FloatArray], metrics: Sequence[str]) -> pd.DataFrame:
    """Alignment of each metric over data sets.

    Returns:
        columns metric, mean (over data sets of the means over seeds), boot_low, boot_high (bootstrap over data sets
        and seeds within), t_low, t_high (t over data sets), prob_highest (share of bootstrap draws in which no metric
        has a higher mean; ties share), datasets (that have a mean), defined, expected (seeds, over data sets).
    """
    import pandas as pd

    values = list(matrices.values())
    pooled, means = mean_over_datasets(values)
    draws = bootstrap_means(values, rng=np.random.default_rng(0))
    boot_low, boot_high = _percentiles(draws, len(values))
    t_low, t_high = resampled_mean(means.T, test_train_ratio=0).interval(LEVEL)
    drawn = draws[~np.isnan(draws).all(axis=1)]
    highest = drawn == np.nanmax(drawn, axis=1, keepdims=True, initial=-np.inf)
    return pd.DataFrame(
        {
            "metric": list(metrics),
            "mean": pooled,
            "boot_low": boot_low,
            "boot_high": boot_high,
            "t_low": np.clip(t_low, -1, 1),
            "t_high": np.clip(t_high, -1, 1),
            "prob_highest": _shared(highest),
            "datasets": (~np.isnan(means)).sum(axis=0),
            "defined": sum((~np.isnan(v)).sum(axis=0) for v in values),
            "expected": sum(len(v) for v in values),
        }
    )


def _shared(highest: npt.NDArray[np.bool_]) -> FloatArray:
    """(m,) mean over rows of the marks, those of one row sharing 1; NaN without rows."""
    if not len(highest):
        return np.full(highest.shape[1], np.nan)
    shares: FloatArray = (highest / highest.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def pairwise_table(
    matrices: Mapping[str, FloatArray], metrics: Sequence[str], *, test_train_ratio: float
) -> pd.DataFrame:
    """Every pair of metrics, over data sets and on each.

    Only seeds in which both metrics have an alignment count. Over data sets (scope "pooled"): the interval and
    `prob_a_better` come from the bootstrap over data sets and seeds within, the p-value from sign flips over data
    sets. On one data set (scope "dataset"): all three come from the corrected resampled t. `p_holm` is adjusted over
    all pairs of the scope: over the pairs for the pooled ones, over pairs and data sets for the others.

    Args:
        test_train_ratio: n_test / n_train of one split.

    Returns:
        columns scope, dataset ("" if pooled), metric_a, metric_b, difference (a minus b), low, high, prob_a_better,
        p_value, p_holm, units (data sets, or seeds, that have a difference).
    """
    import pandas as pd

    a, b = np.triu_indices(len(metrics), k=1)
    names = {"metric_a": np.array(metrics)[a], "metric_b": np.array(metrics)[b]}
    differences = {name: values[:, a] - values[:, b] for name, values in matrices.items()}
    pooled, means = mean_over_datasets(list(differences.values()))
    draws = bootstrap_means(list(differences.values()), rng=np.random.default_rng(0))
    low, high = _percentiles(draws, len(differences))
    p_pooled = sign_flip_p_values(means)
    over = pd.DataFrame(
        {
            "scope": POOLED, "dataset": "", **names, "difference": pooled, "low": low, "high": high,
            "prob_a_better": probability_positive(draws) if len(differences) > 1 else np.nan,
            "p_value": p_pooled, "p_holm": holm(p_pooled), "units": (~np.isnan(means)).sum(axis=0),
        }
    )  # fmt: skip
    parts = []
    for name, values in differences.items():
        found = resampled_mean(values.T, test_train_ratio=test_train_ratio)
        low, high = found.interval(LEVEL)
        parts.append(
            pd.DataFrame(
                {
                    "scope": ONE,
                    "dataset": name,
                    **names,
                    "difference": found.mean,
                    "low": np.clip(low, -2, 2),
                    "high": np.clip(high, -2, 2),
                    "prob_a_better": found.probability_positive(),
                    "p_value": found.p_value(),
                    "p_holm": np.nan,
                    "units": found.count,
                }
            )
        )
    each = pd.concat(parts, ignore_index=True)
    each["p_holm"] = holm(each["p_value"].to_numpy())
    return pd.concat([over, each], ignore_index=True)


def complete_block(scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Rows and columns (positions) of a matrix without NaN: rows without any value go first, then columns with gaps."""
    rows = np.flatnonzero(~np.isnan(scores).all(axis=1))
    columns = np.flatnonzero(~np.isnan(scores[rows]).any(axis=0)) if len(rows) else np.empty(0, dtype=np.intp)
    return rows, columns


def rank_table(scores: FloatArray, names: Sequence[str], label: str) -> pd.DataFrame:
    """Friedman's test of treatments over data sets.

    Args:
        scores: (data sets, treatments), higher is better; NaN where undefined. Data sets without any score are left
            out, and treatments without a score on one of the others have no rank.
        names: (treatments,) names.
        label: heading of the column of names.

    Returns:
        columns LABEL, mean_rank (1 is best), critical_difference, friedman, p_asymptotic, p_permutation, datasets;
        the last five are the same in all rows.
    """
    import pandas as pd

    rows, columns = complete_block(scores)
    test = friedman(scores[np.ix_(rows, columns)])
    ranks = np.full(len(names), np.nan)
    ranks[columns] = test.mean_ranks
    return pd.DataFrame(
        {
            label: list(names),
            "mean_rank": ranks,
            "critical_difference": test.critical_difference,
            "friedman": test.statistic,
            "p_asymptotic": test.p_asymptotic,
            "p_permutation": test.p_permutation,
            "datasets": test.blocks,
        }
    )
