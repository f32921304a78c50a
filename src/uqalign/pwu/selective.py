"""Prior-weighted utility of selective prediction, univariate and coordinate-wise."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqalign.checks import (
    FloatArray,
    Reduction,
    check_reduction,
    gaussian_rows,
    multivariate_rows,
    reduced,
    warn_undefined,
)
from uqalign.priors import PRIOR_LAMBDA, Prior
from uqalign.pwu.arguments import PriorLike, abstention_prior
from uqalign.scale import constant_coordinate, coordinate_variances, scalar_variance


def _relative(variance: FloatArray, unit: FloatArray | float) -> FloatArray:
    """variance / unit, where a variance of 0 stays 0 and any other one is infinite in units of 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(variance > 0, variance / unit, 0.0)


def _losses(squared_error: FloatArray, relative: FloatArray, unit: float, prior: Prior) -> FloatArray:
    """squared_error P(q >= s) + unit E[q 1{q < s}]: never paid costs nothing, be it infinite."""
    chance, charge = prior.tail(relative), prior.partial_mean(relative)
    paid = np.multiply(squared_error, chance, out=np.zeros_like(chance), where=chance > 0)
    return paid + np.multiply(unit, charge, out=np.zeros_like(charge), where=(charge > 0) & (unit > 0))


def selective_pwu(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    prior: PriorLike = PRIOR_LAMBDA,
    target_variance: float | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Expected loss of predicting iff var <= lambda and paying lambda otherwise, lambda = v q, q drawn from `prior`.

    l = (mean - y)^2 P(q >= s) + v E[q 1{q < s}], s = var / v, with v the population variance of the targets. For
    Beta(a, b): l = (mean - y)^2 (1 - I_s(a, b)) + v a/(a+b) I_s(a+1, b), s capped at 1. Exact. Lower is better; proper.

    For constant targets v = 0, so abstaining is free: rows with var > 0 lose nothing and rows with var = 0 lose their
    squared error.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,), >= 0.
        prior: prior on q = lambda / v >= 0, a `Prior` or text such as "beta:2,10" (default).
        target_variance: v >= 0; default the (weighted) population variance of y_true.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none" (the n losses).

    Returns:
        The mean loss in squared units of y as a float, or losses (n,).

    Raises:
        ValueError: bad shapes, predictions, weights, target_variance or prior.

    Source: Schneider et al. (2026), Section 3.2.2.
    """
    check_reduction(reduction, sample_weight)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    resolved = abstention_prior(prior)
    unit = scalar_variance(y, weight, target_variance)
    relative = _relative(variance, unit)
    return reduced(_losses((mu - y) ** 2, relative, unit, resolved), weight, reduction)


def multivariate_selective_pwu(
    y_true: Any,
    mean: Any,
    cov: Any,
    *,
    prior: PriorLike = PRIOR_LAMBDA,
    target_variance: Any = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Mean over the D coordinates of the selective loss, each coordinate in units of its target variance v_d.

    l = (1/D) sum_d [ (mean_d - y_d)^2 / v_d P(q >= s_d) + E[q 1{q < s_d}] ], s_d = cov_dd / v_d. Exact. Lower is
    better; proper for the marginals, blind to correlations. For D = 1 it is `selective_pwu` divided by v.

    Args:
        y_true: targets (n, D).
        mean: predictive means (n, D).
        cov: predictive covariances (n, D, D).
        prior: prior on q >= 0, a `Prior` or text such as "beta:2,10" (default).
        target_variance: v_d > 0, a number or (D,); default the (weighted) population variances of y_true.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none" (the n losses).

    Returns:
        The mean loss (no unit) as a float, or losses (n,). NaN with an `UndefinedMetricWarning` when a coordinate of
        y_true is constant and `target_variance` is not given.

    Raises:
        ValueError: bad shapes, predictions, weights, target_variance or prior.

    Source: Schneider et al. (2026), Appendix G.
    """
    check_reduction(reduction, sample_weight)
    y, (mu, covariance), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    resolved = abstention_prior(prior)
    unit = coordinate_variances(y, weight, target_variance)
    if not unit.all():
        undefined = warn_undefined("multivariate_selective_pwu", constant_coordinate(unit))
        return np.full(len(y), undefined) if reduction == "none" else undefined
    relative = _relative(np.diagonal(covariance, axis1=1, axis2=2), unit)
    losses = _losses((mu - y) ** 2 / unit, relative, 1.0, resolved)
    return reduced(losses.mean(axis=1), weight, reduction)
