"""How the published code ranked models and compared the rankings, and how it told decisions apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from uqalign.agreement import kendall_tau_b
from uqalign.alignment import fold_mean
from uqalign.checks import FloatArray, IntArray
from uqalign.protocol.switches import expand

PUBLISHED_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "deep_ensemble": "DeepEnsemble",
        "ft_transformer": "FTTransformer",
        "gp": "GP",
        "gradient_boosting": "GB",
        "linreg": "LinReg",
        "logreg": "LogReg",
        "mlp": "MLP",
        "ngboost": "NGB",
        "random_forest": "RF",
        "resnet": "ResNetMLP",
        "saint": "SAINT",
        "tabpfn": "TabPFN",
    }
)
"""Models by the names under which the published code sorted them."""


def published_row_order(models: Sequence[str]) -> list[str]:
    """The models in the order in which the published code ranked ties: by its own names, capitals first."""
    return sorted(models, key=lambda model: PUBLISHED_NAMES.get(model, model))


def published_positions(values: npt.ArrayLike, *, higher_is_better: bool) -> IntArray:
    """Place of each model, 0 for the best; no two share one.

    Equal values take the order in which numpy's default sort leaves them, and for `higher_is_better` the reverse of
    the order in which it leaves the reversed list (`pandas.Series.sort_values`). NaN comes last, in row order.

    Args:
        values: (m,) one value per model, models in `published_row_order`.
    """
    array = np.asarray(values, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(array))
    if higher_is_better:
        backwards = defined[::-1]
        order = backwards[np.argsort(array[backwards])][::-1]
    else:
        order = defined[np.argsort(array[defined])]
    positions = np.empty(len(array), dtype=np.intp)
    positions[np.concatenate([order, np.flatnonzero(np.isnan(array))])] = np.arange(len(array))
    return positions


def kendall_published(metric: npt.ArrayLike, utility: npt.ArrayLike, *, higher_is_better: bool) -> float:
    """Kendall's tau between the published places of the models by a metric and by a utility; never undefined.

    Args:
        metric, utility: (m,) values, models in `published_row_order`.
        higher_is_better: orientation of the metric.
    """
    by_metric = published_positions(metric, higher_is_better=higher_is_better)
    by_utility = published_positions(utility, higher_is_better=True)
    return kendall_tau_b(by_metric, by_utility)


def kendall_under(
    metric: npt.ArrayLike, utility: npt.ArrayLike, switches: Iterable[str], *, higher_is_better: bool
) -> float:
    """Kendall's tau under the switches `tau_row_order` and `nan_last`; without them, tau-b over the defined models.

    Args:
        metric, utility: (m,) fold means of each model, in `published_row_order`.
        switches: ids, or "published" for all.
        higher_is_better: orientation of the metric.

    Returns:
        tau in [-1, 1]; NaN where undefined (never with both switches and at least two models).
    """
    on = expand(switches)
    m, u = np.asarray(metric, dtype=np.float64), np.asarray(utility, dtype=np.float64)
    if "nan_last" not in on:
        both = ~(np.isnan(m) | np.isnan(u))
        m, u = m[both], u[both]
    if "tau_row_order" in on:
        return kendall_published(m, u, higher_is_better=higher_is_better) if len(m) > 1 else math.nan
    return kendall_tau_b(_nan_worst(m if higher_is_better else -m), _nan_worst(u))


def _nan_worst(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), -np.inf, values)


def top_overlap_published(metric: npt.ArrayLike, utility: npt.ArrayLike, k: int, *, higher_is_better: bool) -> float:
    """Jaccard overlap |A and B| / |A or B| of the k best models by each; for k = 1, whether the best is the same."""
    by_metric = set(np.flatnonzero(published_positions(metric, higher_is_better=higher_is_better) < k).tolist())
    by_utility = set(np.flatnonzero(published_positions(utility, higher_is_better=True) < k).tolist())
    return len(by_metric & by_utility) / len(by_metric | by_utility)


def pearson_published(metric: npt.ArrayLike, utility: npt.ArrayLike, *, higher_is_better: bool) -> float:
    """Pearson's correlation of the utility with the metric, its sign turned where lower is better; NaN if constant."""
    m, u = np.asarray(metric, dtype=np.float64), np.asarray(utility, dtype=np.float64)
    if np.ptp(m) == 0 or np.ptp(u) == 0:
        return math.nan
    return float(np.corrcoef(m if higher_is_better else -m, u)[0, 1])


def fold_mean_published(values: npt.ArrayLike) -> float:
    """Mean of the folds that have a value; NaN if none has."""
    array = np.asarray(values, dtype=np.float64)
    defined = array[~np.isnan(array)]
    return fold_mean(defined) if len(defined) else math.nan
