"""Exact expected utilities of the decision families under every prior of their maps, all splits of a cache together.

The expected utility under a prior is minus the prior-weighted utility metric with that prior: `uqalign.pwu` computes
one value at a time, this module a whole map, from the same formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.families import Family
from uqalign.predictions import Prediction
from uqalign.ranking import tie_blocks
from uqalign.scale import constant_coordinate, coordinate_variances, scalar_variance
from uqalign.sensitivity.betas import BetaGrid
from uqalign.sensitivity.grid import ALL_LEVELS, beta_parameters, grid_points, level_priors
from uqalign.sensitivity.places import PlaceTable
from uqalign.sensitivity.risk_averse import RiskAverse

Split = tuple[FloatArray, Prediction]
"""Targets and prediction of the test rows."""


@dataclass(frozen=True)
class Expected:
    """Expected utilities of one family, split by split (higher is better; NaN where undefined).

    Attributes:
        maps: (splits, points) by the parameter that varies.
        levels: (splits, levels) under the published priors, in the order of `ALL_LEVELS`.
        notes: why a split has no values, or "".
        error: bound on the error of any value; 0 where nothing was interpolated.
    """

    maps: Mapping[str, FloatArray]
    levels: FloatArray
    notes: Sequence[str]
    error: float


def expected_utilities(family: Family, splits: Sequence[Split]) -> Expected:
    """Expected utilities of a built-in family under the priors of its maps and under its published priors.

    Raises:
        KeyError: a family that has no maps.
    """
    return _FAMILIES[family.name](family, splits)


def _priors(family: Family, parameter: str) -> BetaGrid:
    """The grid of a map, followed by the published priors of its parameter."""
    a, b = beta_parameters(*grid_points())
    published = [level_priors(family, level)[parameter] for level in ALL_LEVELS]
    return BetaGrid(np.append(a, [prior.a for prior in published]), np.append(b, [prior.b for prior in published]))


def _one_map(family: Family, values: FloatArray, notes: Sequence[str], error: float) -> Expected:
    (parameter,) = family.priors
    n = values.shape[1] - len(ALL_LEVELS)
    return Expected({parameter: values[:, :n]}, values[:, n:], notes, error)


def _empty() -> tuple[FloatArray, IntArray]:
    return np.empty(0), np.empty(0, dtype=np.intp)


def _decisions(family: Family, splits: Sequence[Split], events: Callable[[Split], list[Split]]) -> Expected:
    """Minus the mean loss (1 - m)(1 - I - D / b) of events that happen and m (I - D / a) of those that do not.

    Args:
        events: the binary problems of a split, as labels in {0, 1} and probabilities.
    """
    priors = _priors(family, "c")
    p, group = [_empty()[0]], [_empty()[1]]
    for number, split in enumerate(splits):
        for y, (probability,) in events(split):
            p.append(probability)
            group.append(2 * number + (y == 1).astype(np.intp))
    x, rows = np.concatenate(p), np.concatenate(group)
    sums = priors.sums(x, np.ones(len(x)), rows, 2 * len(splits))
    negatives, positives = slice(0, None, 2), slice(1, None, 2)
    acted = priors.mean * (sums.cdf[negatives] - sums.kernel[negatives] / priors.a)
    count = sums.weight[positives, None]
    missed = (1 - priors.mean) * (count - sums.cdf[positives] - sums.kernel[positives] / priors.b)
    total = count + sums.weight[negatives, None]
    return _one_map(family, -(acted + missed) / total, [""] * len(splits), sums.error)


def _binary(family: Family, splits: Sequence[Split]) -> Expected:
    return _decisions(family, splits, lambda split: [split])


def _one_vs_rest(family: Family, splits: Sequence[Split]) -> Expected:
    def events(split: Split) -> list[Split]:
        y, (p,) = split
        return [((y == j).astype(np.float64), (p[:, j],)) for j in range(p.shape[1])]

    return _decisions(family, splits, events)


def _abstentions(
    family: Family, splits: Sequence[Split], coordinates: Callable[[Split], tuple[FloatArray, ...] | str]
) -> Expected:
    """Minus the mean loss error (1 - I) + unit m (I - D / a) at relative variances s.

    Args:
        coordinates: error, s (any shape) and unit (a number) of a split, or why it is undefined.
    """
    priors = _priors(family, "lambda_factor")
    notes = [""] * len(splits)
    unit, count, size = np.ones(len(splits)), np.ones(len(splits)), np.zeros(len(splits))
    x, weight, group = [_empty()[0]], [_empty()[0]], [_empty()[1]]
    for number, split in enumerate(splits):
        found = coordinates(split)
        if isinstance(found, str):
            notes[number] = found
            continue
        error, relative, unit[number] = found
        count[number], size[number] = error.size, np.mean(error)
        if not np.isfinite(error).all():
            notes[number] = "a squared error exceeds the largest float"
            continue
        s = np.minimum(relative.ravel(), 1.0)
        for part, weights in enumerate((error.ravel(), np.ones(error.size))):
            x.append(s)
            weight.append(weights)
            group.append(np.full(len(s), 2 * number + part, dtype=np.intp))
    sums = priors.sums(np.concatenate(x), np.concatenate(weight), np.concatenate(group), 2 * len(splits))
    by_error, by_row = slice(0, None, 2), slice(1, None, 2)
    paid = sums.weight[by_error, None] - sums.cdf[by_error]
    charged = unit[:, None] * priors.mean * (sums.cdf[by_row] - sums.kernel[by_row] / priors.a)
    values = -(paid + charged) / count[:, None]
    values[[bool(note) for note in notes]] = math.nan
    largest = float(np.max((size + unit)[[not note for note in notes]], initial=0.0))
    return _one_map(family, values, notes, sums.error * largest if sums.error else 0.0)


def _relative(variance: FloatArray, unit: FloatArray | float) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(variance > 0, variance / unit, 0.0)


def _selective(family: Family, splits: Sequence[Split]) -> Expected:
    def coordinates(split: Split) -> tuple[FloatArray, ...]:
        y, (mean, var) = split
        unit = scalar_variance(y, None)
        with np.errstate(over="ignore"):
            return (mean - y) ** 2, _relative(var, unit), np.float64(unit)  # type: ignore[return-value]

    return _abstentions(family, splits, coordinates)


def _multivariate_selective(family: Family, splits: Sequence[Split]) -> Expected:
    def coordinates(split: Split) -> tuple[FloatArray, ...] | str:
        y, (mean, cov) = split
        unit = coordinate_variances(y, None)
        if not unit.all():
            return constant_coordinate(unit)
        variances = np.diagonal(cov, axis1=1, axis2=2)
        with np.errstate(over="ignore"):
            return (mean - y) ** 2 / unit, _relative(variances, unit), np.float64(1.0)  # type: ignore[return-value]

    return _abstentions(family, splits, coordinates)


def _top_k(family: Family, splits: Sequence[Split]) -> Expected:
    places = PlaceTable(_priors(family, "q"))
    values = np.empty((len(splits), len(places.priors.a)))
    for number, (y, (score,)) in enumerate(splits):
        blocks = tie_blocks(score, y, None)
        above, size = blocks.above.astype(np.intp), blocks.size.astype(np.intp)
        running = places.running(len(y))
        values[number] = blocks.payoff @ (running[above + size] - running[above])
    return _one_map(family, values, [""] * len(splits), 0.0)


def _risk_averse_top_k(family: Family, splits: Sequence[Split]) -> Expected:
    levels = [level_priors(family, level)["gamma_factor"] for level in ALL_LEVELS]
    risk = RiskAverse(PlaceTable(_priors(family, "q")), _priors(family, "gamma_factor"), levels, len(splits))
    notes = [risk.add(y, mean, var) for y, (mean, var) in splits]
    by_share, by_aversion, by_level = risk.values()
    return Expected({"q": by_share, "gamma_factor": by_aversion}, by_level, notes, risk.error)


_FAMILIES: Mapping[str, Callable[[Family, Sequence[Split]], Expected]] = MappingProxyType(
    {
        "binary_decision": _binary,
        "top_k": _top_k,
        "one_vs_rest": _one_vs_rest,
        "selective": _selective,
        "multivariate_selective": _multivariate_selective,
        "risk_averse_top_k": _risk_averse_top_k,
    }
)
