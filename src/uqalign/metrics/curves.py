"""What to plot: reliability, retention, coverage and decision curves as tidy data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from uqalign.checks import FloatArray, binary_rows, exact_sum, gaussian_rows
from uqalign.metrics.binning import Binning, assign_bins, check_binning
from uqalign.metrics.calibration import ClassView, check_levels, check_view, class_views, empirical_coverage
from uqalign.metrics.classification import class_rows
from uqalign.metrics.grouping import group_sums
from uqalign.metrics.retention import retention_steps
from uqalign.priors import Prior, as_prior
from uqalign.ranking import group_ties


def reliability_curve(
    y_true: Any,
    p: Any,
    *,
    n_bins: int = 10,
    binning: Binning = "equal_width",
    view: ClassView = "classwise",
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Mean forecast and observed frequency in bins of the probability, as `calibration_error` sees them.

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        n_bins: number of bins.
        binning: "equal_width" or "equal_mass".
        view: multiclass only, "classwise" (one curve per class) or "top_label".
        labels: classes in column order.
        sample_weight: non-negative weights (n,).

    Returns:
        Exactly `n_bins` rows per curve with columns class (multiclass, classwise), bin, lower, upper, count,
        weight, forecast, observed. Empty bins have count 0 and NaN means. lower and upper are the bin's
        edges, or the smallest and largest probability in it when binning by mass.

    Raises:
        ValueError: invalid labels, probabilities, weights or options.
    """
    check_binning(n_bins, binning)
    check_view(view)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    curves = [
        _reliability(event, probability, rows.weight, n_bins, binning) for event, probability in class_views(rows, view)
    ]
    if rows.multiclass and view == "classwise":
        names = list(labels) if labels is not None else list(range(len(curves)))
        return pd.concat(
            [curve.assign(**{"class": name}) for name, curve in zip(names, curves, strict=True)],
            ignore_index=True,
        )[["class", *curves[0].columns]]
    return curves[0]


def _reliability(
    event: FloatArray, p: FloatArray, weight: FloatArray | None, n_bins: int, binning: Binning
) -> pd.DataFrame:
    bins = assign_bins(p, weight, n_bins, binning)
    counted = np.ones_like(p) if weight is None else weight
    mass = group_sums(counted, bins, n_bins)
    count = np.bincount(bins, minlength=n_bins)
    if binning == "equal_width":
        lower, upper = np.arange(n_bins) / n_bins, np.arange(1, n_bins + 1) / n_bins
    else:
        lower, upper = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
        np.minimum.at(lower, bins, p)
        np.maximum.at(upper, bins, p)
        lower[count == 0] = upper[count == 0] = np.nan
    with np.errstate(invalid="ignore"):
        return pd.DataFrame(
            {
                "bin": np.arange(n_bins),
                "lower": lower,
                "upper": upper,
                "count": count,
                "weight": mass,
                "forecast": group_sums(counted * p, bins, n_bins) / mass,
                "observed": group_sums(counted * event, bins, n_bins) / mass,
            }
        )


def retention_curve(
    y_true: Any, p: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> pd.DataFrame:
    """Error rates of a classifier as rows are kept from the least uncertain on (see `retention_auc`).

    Returns:
        One row per row of positive weight: kept (share of the weight), uncertainty (largest kept), retained
        (error rate among the kept), residual (errors among the kept over all rows). Expectations over the
        order of ties.

    Raises:
        ValueError: invalid labels, probabilities or weights.
    """
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return _retention(rows.uncertainty(), rows.wrong().astype(np.float64), rows.weight)


def regression_retention_curve(y_true: Any, mean: Any, var: Any, *, sample_weight: Any = None) -> pd.DataFrame:
    """Squared errors of a regression as rows are kept from the smallest variance on.

    Returns:
        Columns as in `retention_curve`; uncertainty is the variance, errors are in the square of the target's
        unit.

    Raises:
        ValueError: invalid predictions or weights.
    """
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    return _retention(variance, (y - mu) ** 2, weight)


def _retention(uncertainty: FloatArray, error: FloatArray, weight: FloatArray | None) -> pd.DataFrame:
    steps = retention_steps(uncertainty, error, weight)
    return pd.DataFrame(
        {
            "kept": np.cumsum(steps.width) / np.sum(steps.width),
            "uncertainty": steps.uncertainty,
            "retained": steps.retained,
            "residual": steps.residual,
        }
    )


def coverage_curve(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    levels: Sequence[float] | None = None,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Empirical coverage of the central Gaussian intervals at nominal levels (default 0.01, 0.02, ..., 0.99).

    Returns:
        One row per level: nominal, empirical.

    Raises:
        ValueError: invalid predictions, weights or levels.
    """
    nominal = check_levels(np.arange(1, 100) / 100 if levels is None else levels)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    return pd.DataFrame({"nominal": nominal, "empirical": empirical_coverage(y - mu, variance, weight, nominal)})


def decision_curve(
    y_true: Any,
    p: Any,
    *,
    prior: Prior | str | None = None,
    thresholds: Any = None,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Expected cost of deciding by the forecast, for every cost c (Murphy diagram; Ehm et al. 2016).

    A decision maker acts iff p > c and pays 1 - c for a missed event, c for acting in vain. The cost is
    linear in c between the distinct forecasts and jumps at them, so the default rows hold it exactly: drawn
    as a line in their order they are the curve, and its integral against a prior's density is the
    prior-weighted utility metric.

    Args:
        y_true: binary classes (n,).
        p: probabilities (n,) or (n, 2).
        prior: a prior on c, or text such as "beta:2,10"; adds the column density, its density at the threshold.
        thresholds: costs in [0, 1] to evaluate at instead of every breakpoint.
        labels: (negative, positive) classes.
        sample_weight: non-negative weights (n,).

    Returns:
        Columns threshold, side ("below": the limit from below, "at": the value), cost, utility (= -cost),
        never and always (cost of never and of always acting) and, with a prior, density.

    Raises:
        ValueError: invalid labels, probabilities, weights or thresholds.
    """
    y, (probability,), weight = binary_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    blocks = group_ties(probability, y, weight)
    total = exact_sum(blocks.weight)
    missed = np.concatenate([[0.0], np.cumsum(blocks.total)]) / total
    negatives = np.cumsum((blocks.weight - blocks.total)[::-1])[::-1]
    in_vain = np.concatenate([negatives, [0.0]]) / total
    if thresholds is None:
        breaks = np.unique(np.concatenate([[0.0], blocks.key, [1.0]]))
        cost_at = np.repeat(breaks, 2)[1:]
        below = np.arange(len(cost_at)) % 2 == 1
    else:
        cost_at = _thresholds(thresholds)
        below = np.zeros(len(cost_at), dtype=bool)
    passed = np.where(
        below,
        np.searchsorted(blocks.key, cost_at, side="left"),
        np.searchsorted(blocks.key, cost_at, side="right"),
    )
    cost = missed[passed] * (1 - cost_at) + in_vain[passed] * cost_at
    frame = pd.DataFrame(
        {
            "threshold": cost_at,
            "side": np.where(below, "below", "at"),
            "cost": cost,
            "utility": 0.0 - cost,
            "never": missed[-1] * (1 - cost_at),
            "always": in_vain[0] * cost_at,
        }
    )
    return frame if prior is None else frame.assign(density=as_prior(prior).density(cost_at))


def _thresholds(thresholds: Any) -> FloatArray:
    values = np.asarray(thresholds, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"thresholds must be numbers in [0, 1], got {thresholds!r}")
    return values
