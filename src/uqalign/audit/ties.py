"""How much of a top-k ranking of models is ties, and what the order in which ties are taken decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import pair_signs
from uqalign.audit.settings import PUBLISHED, Setting, alone, settings
from uqalign.audit.taus import Aligner, defined_mean
from uqalign.checks import FloatArray
from uqalign.families import theta_label
from uqalign.ranking import selected_count

if TYPE_CHECKING:
    import pandas as pd

FAMILY = "top_k"
ORDERS = 200
"""Random orders of the models."""


def tied_pairs(aligner: Aligner, rows: int) -> pd.DataFrame:
    """Ties of models on each top-k decision under the definitions: `TIE_COLUMNS` without the data set.

    Args:
        rows: rows of a test fold.
    """
    import pandas as pd

    definitions = settings(aligner.task)[0]
    found = []
    for theta, (_, values) in zip(aligner.thetas[FAMILY], aligner.utilities(FAMILY, definitions), strict=True):
        shares, constant, seeds = [], 0, 0
        for line in values:
            defined = line[~np.isnan(line)]
            if len(defined) < 2:
                continue
            signs = pair_signs(defined)
            shares.append(float(np.mean(signs == 0)))
            constant += int(not signs.any())
            seeds += 1
        k = selected_count(rows, theta["q"])
        tied = float(np.mean(shares)) if shares else math.nan
        found.append((theta_label(theta), theta["q"], k, rows, tied, constant, seeds))
    return pd.DataFrame(found, columns=["theta", "q", "k", "rows", "tied", "all_tied", "seeds"])


def under_orders(aligner: Aligner, metrics: Sequence[str], *, orders: int = ORDERS, seed: int = 0) -> pd.DataFrame:
    """Median taus with the top-k family when ties are ranked by random orders of the models.

    Once with the ranking of ties as the only deviation from the definitions, once with all of the published protocol.

    Returns:
        `ORDER_COLUMNS` without the data set.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    shuffled = np.array([rng.permutation(len(aligner.means.models)) for _ in range(orders)])
    rows = []
    for setting in settings(aligner.task):
        if setting.name not in (PUBLISHED, alone("tau_row_order")):
            continue
        medians = np.stack([_medians(aligner, name, setting, shuffled) for name in metrics], axis=1)
        highest = np.where(np.isnan(medians), -np.inf, medians).max(axis=1, keepdims=True)
        best = (medians == highest) / (medians == highest).sum(axis=1, keepdims=True)
        for column, name in enumerate(metrics):
            taus = defined_mean(aligner.taus(name, FAMILY, setting))
            quantiles = np.nanquantile(medians[:, column], [0.05, 0.5, 0.95])
            rows.append(
                (setting.name, name, float(np.nanmedian(taus)), *quantiles, float(best[:, column].mean()), orders)
            )
    columns = ["setting", "metric", "alphabetical", "q05", "q50", "q95", "best", "orders"]
    return pd.DataFrame(rows, columns=columns)


def _medians(aligner: Aligner, name: str, setting: Setting, shuffled: np.ndarray) -> FloatArray:
    """(r,) median over seeds of the metric's mean tau, for each order of the models (r, m)."""
    values = aligner.metric(name, setting)[1]
    oriented = values if aligner.higher_is_better[name] else -values
    by_metric = pair_signs(_places(oriented, shuffled))
    taus = [
        (by_metric * pair_signs(_places(utility, shuffled))).mean(axis=-1, dtype=np.float64)
        for _, utility in aligner.utilities(FAMILY, setting)
    ]
    medians: FloatArray = np.median(np.mean(taus, axis=0), axis=1)
    return medians


def _places(values: FloatArray, shuffled: np.ndarray) -> FloatArray:
    """(r, s, m) place of each model, 0 for the largest value; ties by the order of the models, NaN last."""
    permuted = -values[:, shuffled].transpose(1, 0, 2)
    order = np.argsort(permuted, axis=-1, kind="stable")
    original = np.take_along_axis(np.broadcast_to(shuffled[:, None, :], order.shape), order, axis=-1)
    places = np.empty(order.shape)
    np.put_along_axis(places, original, np.broadcast_to(np.arange(values.shape[1]) * 1.0, order.shape), axis=-1)
    return places
