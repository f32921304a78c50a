"""Agreement of metrics with utilities as the published code measured it, under any switches of the alignment stage."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from uqalign.agreement import TOO_FEW, TOPS, Agreement, agree, common_blocks, kendall, pearson, top_overlap
from uqalign.checks import FloatArray
from uqalign.protocol.rankings import published_positions
from uqalign.protocol.switches import expand


def agree_under(
    metrics: FloatArray, utilities: FloatArray, higher_is_better: npt.NDArray[np.bool_], switches: Iterable[str]
) -> Agreement:
    """`uqalign.agreement.agree` under the switches `tau_row_order` and `nan_last`.

    With `tau_row_order`, tau and the sets of best models come from places that no two models share, so that neither
    is undefined where there are two models. With `nan_last`, a model without a value ranks last, and Pearson's rho
    with one is NaN.

    Args:
        metrics: (a, m) fold means, models in `protocol.rankings.published_row_order`.
        utilities: (b, m).
        higher_is_better: (a,) orientation of each metric.
        switches: ids, or "published" for all.
    """
    on = expand(switches)
    oriented = np.where(higher_is_better[:, None], metrics, -metrics)
    if "tau_row_order" not in on:
        if "nan_last" not in on:
            return agree(metrics, utilities, higher_is_better)
        m, u = (np.where(np.isnan(values), -np.inf, values) for values in (oriented, utilities))
        return _with_pearson(agree(m, u, np.ones_like(higher_is_better)), oriented, utilities)
    result = Agreement.undefined(metrics, utilities)
    everything = (np.arange(len(metrics))[:, None], np.arange(len(utilities))[None, :])
    blocks = [(everything, metrics, utilities)] if "nan_last" in on else common_blocks(metrics, utilities)
    for cells, m, u in blocks:
        _fill_by_place(result, cells, m, u, higher_is_better[cells[0].ravel()])
    return result if "nan_last" not in on else _with_pearson(result, oriented, utilities)


def _fill_by_place(
    result: Agreement,
    cells: tuple[npt.NDArray[np.intp], ...],
    metrics: FloatArray,
    utilities: FloatArray,
    higher_is_better: npt.NDArray[np.bool_],
) -> None:
    """Fill in some cells from the published places of the models."""
    count = metrics.shape[1]
    if count < 2:
        result.notes[cells] = TOO_FEW
        return
    by_metric, by_utility = _places(metrics, higher_is_better), _places(utilities, np.ones(len(utilities), np.bool_))
    result.values["tau"][cells] = kendall(by_metric, by_utility)
    for name, k in TOPS.items():
        result.values[name][cells] = top_overlap(by_metric, by_utility, k) if k < count else 1.0
    rho = pearson(np.where(higher_is_better[:, None], metrics, -metrics), utilities)
    result.values["pearson"][cells] = rho
    result.notes[cells] = np.where(np.isnan(rho), "pearson: a measure is constant or infinite", "")


def _with_pearson(result: Agreement, oriented: FloatArray, utilities: FloatArray) -> Agreement:
    """`result` with Pearson's rho over all models, NaN where one of them has no value, and their true number."""
    present = Agreement.undefined(oriented, utilities).models
    rho = pearson(oriented, utilities) if oriented.shape[1] > 1 else np.full(present.shape, np.nan)
    notes = np.where(
        np.isnan(rho) & (result.notes == ""), "pearson: a measure is undefined, constant or infinite", result.notes
    )
    return Agreement({**result.values, "pearson": rho}, present, notes)


def _places(values: FloatArray, higher_is_better: npt.NDArray[np.bool_]) -> FloatArray:
    """(a, m) the published places of the models, turned so that higher is better."""
    pairs = zip(values, higher_is_better, strict=True)
    places = [-published_positions(row, higher_is_better=bool(higher)) for row, higher in pairs]
    return np.array(places, dtype=np.float64).reshape(values.shape)
