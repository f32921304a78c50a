"""Utilities of the six decision families: what decisions taken from a prediction are worth (higher is better).

Each family has a parameter theta of the decision maker (a cost, a capacity, an aversion to risk). A prior-weighted
utility metric (`uqalign.pwu`) is the expectation of minus the utility over a prior on theta.

Sample weights weigh rows. In the two top-k families a weight counts repetitions, so that k and the weights have one
unit, the row: weight 0 is the same as dropping the row, weight 2 the same as listing it twice.

Source: Schneider et al. (2026), "Decision-aligned evaluation of uncertainty quantification".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from uqalign.checks import (
    FloatArray,
    Reduction,
    binary_rows,
    check_reduction,
    gaussian_rows,
    multiclass_rows,
    multivariate_rows,
    reduced,
    score_rows,
    warn_undefined,
)
from uqalign.ranking import places, tie_blocks, top_mean
from uqalign.scale import constant_coordinate, coordinate_variances

Payoff = Literal["reported", "residual"]
"""What risk aversion charges a selected row for: its reported variance, or its realised squared residual."""


def bounded(name: str, value: Any, low: float = 0.0, high: float = math.inf) -> float:
    """`value` as a float between `low` and `high`, both included.

    Raises:
        ValueError: no number, NaN, or outside; names the parameter.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {value!r}: {name} must be a number") from None
    if not low <= number <= high:
        bound = f">= {low:g}" if math.isinf(high) else f"in [{low:g}, {high:g}]"
        raise ValueError(f"{name} = {number!r}: {name} must be {bound}")
    return number


def class_index(j: Any, n_classes: int) -> int:
    """`j` as the index of one of `n_classes` columns.

    Raises:
        ValueError: not a whole number, or no such column.
    """
    if isinstance(j, bool) or not isinstance(j, (int, np.integer)) or not 0 <= j < n_classes:
        raise ValueError(f"j = {j!r}: j must be a column index of p, 0 to {n_classes - 1}")
    return int(j)


def check_payoff(payoff: str) -> None:
    """Refuse an unknown payoff."""
    if payoff not in ("reported", "residual"):
        raise ValueError(f"payoff must be 'reported' or 'residual', got {payoff!r}")


def charged_variance(y: FloatArray, mean: FloatArray, var: FloatArray, payoff: Payoff) -> FloatArray:
    """The variance that risk aversion charges for each row (n,): reported, or the squared residual."""
    check_payoff(payoff)
    return var if payoff == "reported" else (y - mean) ** 2


def _decision_losses(positive: FloatArray, p: FloatArray, c: float) -> FloatArray:
    return np.where(p > c, (1 - positive) * c, positive * (1 - c))


def binary_decision_utility(
    y_true: Any,
    p: Any,
    *,
    c: float,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Utility of acting on the rows with p > c: u = -y (1-c) 1[p <= c] - (1-y) c 1[p > c].

    Args:
        y_true: labels (n,), {0, 1} or bool, or others named by `labels`.
        p: P(y = 1), (n,); (n, 2) is read by column 1.
        c: cost of acting on a negative, in [0, 1]; missing a positive costs 1 - c. At p = c nobody acts.
        labels: (negative, positive) when y_true is not {0, 1}.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none" (the n utilities).

    Returns:
        The mean utility in [-1, 0] as a float, or utilities (n,).

    Raises:
        ValueError: bad shapes, labels, probabilities, weights or c.
    """
    check_reduction(reduction, sample_weight)
    y, (probability,), weight = binary_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    cost = bounded("c", c, high=1.0)
    return reduced(0.0 - _decision_losses(y, probability, cost), weight, reduction)


def one_vs_rest_utility(
    y_true: Any,
    p: Any,
    *,
    j: int,
    c: float,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Utility of acting on the rows with p_j > c as if they were of class j: the binary utility with t = 1[y = j].

    u = -t (1-c) 1[p_j <= c] - (1-t) c 1[p_j > c].

    Args:
        y_true: class indices (n,), or labels named in column order by `labels`.
        p: class probabilities (n, K).
        j: column of the class acted on, 0 to K - 1.
        c: cost of acting on another class, in [0, 1]; missing class j costs 1 - c.
        labels: the K classes in column order.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none".

    Returns:
        The mean utility in [-1, 0] as a float, or utilities (n,).

    Raises:
        ValueError: bad shapes, labels, probabilities, weights, j or c.
    """
    check_reduction(reduction, sample_weight)
    y, (probability,), weight = multiclass_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    index = class_index(j, probability.shape[1])
    cost = bounded("c", c, high=1.0)
    target = (y == index).astype(np.float64)
    return reduced(0.0 - _decision_losses(target, probability[:, index], cost), weight, reduction)


def top_k_utility(
    y_true: Any,
    score: Any,
    *,
    k: int,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    """Share of positives among the k rows of highest score: U = (1/k) sum of y over the selected rows.

    Rows of equal score are selected in expectation over a random order, so a row's place in the arrays is irrelevant.

    Args:
        y_true: labels (n,), {0, 1} or bool, or others named by `labels`.
        score: any finite real score (n,), larger for rows to be selected first.
        k: number of selected rows, 1 to n.
        labels: (negative, positive) when y_true is not {0, 1}.
        sample_weight: repetitions of each row (n,), not necessarily whole; k is then at most their sum.

    Returns:
        The utility in [0, 1]; 0.0 when there are no positives.

    Raises:
        ValueError: bad shapes, labels, scores, weights or k.
    """
    y, (value,), weight = score_rows(y_true, score, labels=labels, sample_weight=sample_weight)
    return top_mean(tie_blocks(value, y, weight), places(k, len(y), weight))


def selective_utility(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    cost: float,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Utility of predicting where the variance is at most `cost` and abstaining elsewhere.

    u = -(mean - y)^2 1[var <= cost] - cost 1[var > cost], in squared units of y.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,), >= 0.
        cost: cost lambda >= 0 of abstaining, in squared units of y; inf never abstains (minus the squared error).
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none".

    Returns:
        The mean utility (<= 0) as a float, or utilities (n,).

    Raises:
        ValueError: bad shapes, predictions, weights or cost.
    """
    check_reduction(reduction, sample_weight)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    price = bounded("cost", cost)
    return reduced(0.0 - np.where(variance <= price, (mu - y) ** 2, price), weight, reduction)


def multivariate_selective_utility(
    y_true: Any,
    mean: Any,
    cov: Any,
    *,
    cost: float,
    target_variance: Any = None,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Mean over the D coordinates of the selective utility, each coordinate in units of its target variance v_d.

    u = -(1/D) sum_d [ (y_d - mean_d)^2 / v_d 1[cov_dd <= cost v_d] + cost 1[cov_dd > cost v_d] ].

    Args:
        y_true: targets (n, D).
        mean: predictive means (n, D).
        cov: predictive covariances (n, D, D).
        cost: cost of abstaining from a coordinate as a fraction of its target variance, >= 0; inf never abstains.
        target_variance: v_d > 0, a number or (D,); default the (weighted) population variance of y_true.
        sample_weight: weights (n,) of the mean.
        reduction: "mean" or "none".

    Returns:
        The mean utility (<= 0, no unit) as a float, or utilities (n,). NaN with an `UndefinedMetricWarning` when a
        coordinate of y_true is constant and `target_variance` is not given.

    Raises:
        ValueError: bad shapes, predictions, weights, cost or target_variance.
    """
    check_reduction(reduction, sample_weight)
    y, (mu, covariance), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    price = bounded("cost", cost)
    unit = coordinate_variances(y, weight, target_variance)
    if not unit.all():
        undefined = warn_undefined("multivariate_selective_utility", constant_coordinate(unit))
        return np.full(len(y), undefined) if reduction == "none" else undefined
    ratio = np.diagonal(covariance, axis1=1, axis2=2) / unit
    losses = np.where(ratio <= price, (mu - y) ** 2 / unit, price)
    return reduced(0.0 - losses.mean(axis=1), weight, reduction)


def risk_averse_top_k_utility(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    k: int,
    aversion: float,
    payoff: Payoff = "reported",
    sample_weight: Any = None,
) -> float:
    """Mean risk-adjusted payoff of the k rows that rank highest by mean - aversion * var.

    U = (1/k) sum over selected rows of y - aversion * r, with r the reported variance (payoff="reported", as
    published) or the squared residual (y - mean)^2 (payoff="residual"). Only the residual payoff is proper: under the
    reported one a model gains by understating its variance.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,), >= 0.
        k: number of selected rows, 1 to n.
        aversion: aversion to risk >= 0, in 1 / (unit of y).
        payoff: "reported" or "residual".
        sample_weight: repetitions of each row (n,), not necessarily whole; k is then at most their sum.

    Returns:
        The utility in the unit of y.

    Raises:
        ValueError: bad shapes, predictions, weights, k, aversion or payoff.
    """
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    gamma = bounded("aversion", aversion, high=np.finfo(np.float64).max)
    payoffs = y - gamma * charged_variance(y, mu, variance, payoff)
    blocks = tie_blocks(mu - gamma * variance, payoffs, weight)
    return top_mean(blocks, places(k, len(y), weight))
