"""How well two measures agree on a set of models: Kendall's tau-b, the overlap of their best, Pearson's rho.

Everything takes one row of values per measure, one column per model, and compares every metric with every utility at
once. Higher is better throughout; NaN is no value, and such a model is left out of that comparison only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, IntArray

TIE_TOLERANCE = 1e-12
"""Two values this close, relative to the largest finite one compared, are a tie: sums of the same numbers in another
order differ by about 1e-16, and such a difference must not decide a ranking."""

TOPS = {"top_1": 1, "top_3": 3}
"""Sizes of the sets of best models by the name of their agreement."""

AGREEMENTS = ("tau", *TOPS, "pearson")
"""Names of the agreements, tau first."""

TOO_FEW = "fewer than two models have both values"
METRIC_CONSTANT = "the metric is the same for all models"
UTILITY_CONSTANT = "the utility is the same for all models"


def pair_signs(values: FloatArray) -> npt.NDArray[np.int8]:
    """Order of every pair of models.

    Args:
        values: (..., m) one value per model; infinities rank, NaN does not.

    Returns:
        (..., m (m - 1) / 2) in {-1, 0, 1}: sign of values[i] - values[j] for i < j, zero for ties and for NaN.
    """
    i, j = np.triu_indices(values.shape[-1], k=1)
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0, where=np.isfinite(values))
    left, right = values[..., i], values[..., j]
    with np.errstate(invalid="ignore"):
        tied = np.abs(left - right) <= TIE_TOLERANCE * size
        return np.where(tied, 0, np.int8(1) * (left > right) - np.int8(1) * (left < right)).astype(np.int8)


def kendall_tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's tau-b between two lists of values, over the entries where neither is NaN.

    tau_b = sum sign(dx) sign(dy) / sqrt(n_x n_y) over pairs, with n_x, n_y the numbers of pairs untied in x and in y.

    Args:
        x, y: (m,) values; infinities count as the largest or smallest value.

    Returns:
        tau-b in [-1, 1]; NaN with fewer than two entries or when either list is constant.

    Raises:
        ValueError: different lengths.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"x and y must be two lists of one length, got shapes {a.shape} and {b.shape}")
    both = ~(np.isnan(a) | np.isnan(b))
    if both.sum() < 2:
        return math.nan
    return float(kendall(a[None, both], b[None, both])[0, 0])


def kendall(metrics: FloatArray, utilities: FloatArray) -> FloatArray:
    """Kendall's tau-b of every metric with every utility.

    Args:
        metrics: (a, m) without NaN; infinities rank.
        utilities: (b, m) without NaN.

    Returns:
        (a, b) in [-1, 1]; NaN where a row is constant.
    """
    # Counts of pairs are whole numbers far below 2**53: floating point adds them exactly, and multiplies fast.
    x, y = pair_signs(metrics).astype(np.float64), pair_signs(utilities).astype(np.float64)
    untied = np.outer(np.count_nonzero(x, axis=1), np.count_nonzero(y, axis=1)).astype(np.float64)
    taus: FloatArray = (x @ y.T) / np.sqrt(np.where(untied == 0, np.nan, untied))
    return taus


def _best(values: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Models that are among the k best for certain, and those that tie for the remaining places.

    Values that differ by no more than the tolerance from their neighbour in the ranking share its place.

    Args:
        values: (a, m) without NaN.

    Returns:
        (a, m), (a, m) in {0, 1}.
    """
    order = np.argsort(-values, axis=1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=1)
    size = np.max(np.abs(values), axis=1, keepdims=True, initial=0, where=np.isfinite(values))
    before, after = ranked[:, :-1], ranked[:, 1:]
    with np.errstate(invalid="ignore"):
        apart = ~((before == after) | (before - after <= TIE_TOLERANCE * size))
    # (a, m) number of each ranked model's group of ties, and that of the model in place k
    group = np.concatenate([np.zeros((len(values), 1)), np.cumsum(apart, axis=1)], axis=1)
    last = group[:, k - 1 : k]
    fits = (group <= last).sum(axis=1, keepdims=True) <= k
    sure, open_ = np.empty_like(values), np.empty_like(values)
    np.put_along_axis(sure, order, np.where(fits, group <= last, group < last).astype(np.float64), axis=1)
    np.put_along_axis(open_, order, ((group == last) & ~fits).astype(np.float64), axis=1)
    return sure, open_


@cache
def _expected_jaccard(k: int, common: int, a_only: int, b_only: int, shared: int, a_open: int, b_open: int) -> float:
    """Expected |A and B| / |A or B| of two sets of size k, parts of which are drawn from tied models.

    Args:
        common: models certain in both sets.
        a_only: models certain in A that tie for B.
        b_only: models certain in B that tie for A.
        shared: models that tie for both.
        a_open, b_open: (models that tie, places left for them) of each set, packed as ties * (k + 1) + places.
    """
    (a_ties, a_places), (b_ties, b_places) = divmod(a_open, k + 1), divmod(b_open, k + 1)
    expected = 0.0
    ways = comb(a_ties, a_places) * comb(b_ties, b_places)
    for from_a in range(min(a_only, b_places) + 1):
        for from_shared in range(min(shared, b_places - from_a) + 1):
            elsewhere = b_places - from_a - from_shared
            drawn = comb(a_only, from_a) * comb(shared, from_shared) * comb(b_ties - a_only - shared, elsewhere)
            hits = b_only + from_shared
            for hit in range(min(hits, a_places) + 1):
                both = common + from_a + hit
                share = drawn * comb(hits, hit) * comb(a_ties - hits, a_places - hit) / ways
                expected += share * both / (2 * k - both)
    return expected


def top_overlap(metrics: FloatArray, utilities: FloatArray, k: int) -> FloatArray:
    """Jaccard overlap |A and B| / |A or B| of the k best models by each metric (A) and by each utility (B).

    Models that tie for the last places of a set take them in a random order, independently in A and in B; the value
    is the exact expectation over both orders. For k = 1 it is the probability that the best model is the same.

    Args:
        metrics: (a, m) without NaN, higher is better.
        utilities: (b, m) without NaN.
        k: 1 <= k <= m.

    Returns:
        (a, b) in [0, 1].
    """
    (sure_a, open_a), (sure_b, open_b) = _best(metrics, k), _best(utilities, k)

    def packed(sure: FloatArray, tied: FloatArray) -> IntArray:
        places = np.where(tied.any(axis=1), k - sure.sum(axis=1), 0)
        packed: IntArray = (tied.sum(axis=1) * (k + 1) + places).astype(np.intp)
        return packed

    a_open, b_open = packed(sure_a, open_a), packed(sure_b, open_b)
    parts = [sure_a @ sure_b.T, sure_a @ open_b.T, open_a @ sure_b.T, open_a @ open_b.T]
    grid = np.broadcast_arrays(*(part.astype(np.intp) for part in parts), a_open[:, None], b_open[None, :])
    cases, position = np.unique(np.stack([part.ravel() for part in grid], axis=1), axis=0, return_inverse=True)
    values = np.array([_expected_jaccard(k, *map(int, case)) for case in cases])
    return values[position.ravel()].reshape(len(metrics), len(utilities))


def pearson(metrics: FloatArray, utilities: FloatArray) -> FloatArray:
    """Pearson's correlation of every metric with every utility.

    Args:
        metrics: (a, m) finite values.
        utilities: (b, m) finite values.

    Returns:
        (a, b) in [-1, 1]; NaN where a row is exactly constant or holds an infinite value.
    """

    def standardised(values: FloatArray) -> FloatArray:
        # Scaled first: squares of huge or tiny values must neither overflow nor vanish.
        with np.errstate(invalid="ignore", divide="ignore"):
            scaled = values / np.max(np.abs(values), axis=1, keepdims=True, initial=0)
            centred = scaled - scaled.mean(axis=1, keepdims=True)
            spread = np.max(np.abs(centred), axis=1, keepdims=True, initial=0)
            centred = np.where(np.ptp(scaled, axis=1, keepdims=True) == 0, np.nan, centred / spread)
            unit: FloatArray = centred / np.sqrt((centred**2).sum(axis=1, keepdims=True))
        return unit

    with np.errstate(invalid="ignore"):
        return np.clip(standardised(metrics) @ standardised(utilities).T, -1, 1)


@dataclass(frozen=True)
class Agreement:
    """Agreements of a metrics with b utilities on the same models.

    Attributes:
        values: (a, b) by name of `AGREEMENTS`; NaN where undefined.
        models: (a, b) models that have both values.
        notes: (a, b) why tau is undefined; else why others are, by their names; else "".
    """

    values: Mapping[str, FloatArray]
    models: IntArray
    notes: npt.NDArray[np.object_] = field(repr=False)

    @classmethod
    def undefined(cls, metrics: FloatArray, utilities: FloatArray) -> Agreement:
        """Agreements yet to be filled in: no values, the number of models that have both."""
        shape = (len(metrics), len(utilities))
        present: IntArray = (~np.isnan(metrics)).astype(np.intp) @ (~np.isnan(utilities)).astype(np.intp).T
        return cls({name: np.full(shape, np.nan) for name in AGREEMENTS}, present, np.full(shape, "", dtype=object))


def common_blocks(
    metrics: FloatArray, utilities: FloatArray
) -> Iterator[tuple[tuple[npt.NDArray[np.intp], ...], FloatArray, FloatArray]]:
    """Blocks of comparisons that share the same models: `np.ix_` indices into (a, b), and the values without NaN."""
    for rows, some in _patterns(metrics):
        for columns, others in _patterns(utilities):
            both = np.flatnonzero(some & others)
            yield np.ix_(rows, columns), metrics[np.ix_(rows, both)], utilities[np.ix_(columns, both)]


def _patterns(values: FloatArray) -> Iterator[tuple[IntArray, npt.NDArray[np.bool_]]]:
    """Rows that have values for the same models, and for which."""
    present = ~np.isnan(values)
    if present.all():
        yield np.arange(len(values)), np.ones(values.shape[1], dtype=np.bool_)
        return
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(which.ravel() == number), pattern


def agree(metrics: FloatArray, utilities: FloatArray, higher_is_better: npt.NDArray[np.bool_]) -> Agreement:
    """Tau-b, top-1 and top-3 overlap and Pearson's rho of every metric with every utility.

    All are undefined (NaN) where fewer than two models have both values or either is constant: nothing is ranked
    then. The overlap of the k best is undefined also where no more than k models are left (it would be 1 whatever the
    metric says), rho where a value is infinite.

    Args:
        metrics: (a, m) one value per model; NaN where undefined.
        utilities: (b, m).
        higher_is_better: (a,) orientation of each metric.
    """
    result = Agreement.undefined(metrics, utilities)
    oriented = np.where(higher_is_better[:, None], metrics, -metrics)
    for cells, m, u in common_blocks(oriented, utilities):
        fill(result, cells, m, u)
    return result


def fill(
    result: Agreement, cells: tuple[npt.NDArray[np.intp], ...], metrics: FloatArray, utilities: FloatArray
) -> None:
    """Fill in some `cells` of an agreement from values (higher is better) without NaN on the same models."""
    count = metrics.shape[1]
    if count < 2:
        result.notes[cells] = TOO_FEW
        return
    taus = kendall(metrics, utilities)
    ranked = ~np.isnan(taus)
    finite = np.outer(np.isfinite(metrics).all(axis=1), np.isfinite(utilities).all(axis=1))
    result.values["tau"][cells] = taus
    result.values["pearson"][cells] = np.where(ranked & finite, pearson(metrics, utilities), np.nan)
    reasons = [np.where(finite, "", "pearson: a value is infinite").astype(object)]
    for name, k in TOPS.items():
        if count > k:
            result.values[name][cells] = np.where(ranked, top_overlap(metrics, utilities, k), np.nan)
        else:
            reasons.append(np.full(taus.shape, f"{name}: no more than {k} models have both values", dtype=object))
    constant = ~pair_signs(metrics).any(axis=1)
    why = np.where(constant, METRIC_CONSTANT, UTILITY_CONSTANT)[:, None]
    others = np.frompyfunc(lambda *texts: "; ".join(filter(None, texts)), len(reasons), 1)(*reasons)
    result.notes[cells] = np.where(ranked, others, why)
