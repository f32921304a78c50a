"""Metrics that are means over rows as `torchmetrics.Metric` modules, exact under batches and replicas.

    metric = BinaryDecisionPWU(prior="beta:2,10")
    for p, y in loader:
        metric.update(p, y)
    metric.compute()

States are two float64 sums (loss and weight), so that any split into batches or processes gives the same mean
up to rounding. Metrics that depend on the rows jointly (calibration error, R-AUC, top-k utilities) have no
such state and are not
offered: gather the predictions and call the function. Needs the extra `uqalign[torchmetrics]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

try:
    import torch
    import torchmetrics
except ImportError as missing:
    raise ImportError(
        "uqalign.torchmetrics needs torch and torchmetrics: pip install 'uqalign[torchmetrics]'"
    ) from missing

from uqalign.checks import exact_sum, sample_weights
from uqalign.metrics import brier_score, crps_gaussian, error_rate, gaussian_nll, log_score
from uqalign.priors import PRIOR_C, PRIOR_LAMBDA
from uqalign.pwu import binary_decision_pwu, one_vs_rest_pwu, selective_pwu

__all__ = [
    "BinaryDecisionPWU",
    "BrierScore",
    "ErrorRate",
    "GaussianCRPS",
    "GaussianNLL",
    "LogScore",
    "OneVsRestPWU",
    "SelectivePWU",
]


def _array(values: Any) -> Any:
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


class _RowMean(torchmetrics.Metric):
    """Weighted mean of a loss over all rows seen."""

    is_differentiable = False
    higher_is_better = False
    full_state_update = False
    loss: ClassVar[Callable[..., Any]]
    total: torch.Tensor
    weight: torch.Tensor

    def __init__(self, *, options: dict[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.options = options or {}
        for state in ("total", "weight"):
            self.add_state(state, default=torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")

    def _add(self, target: Any, prediction: tuple[Any, ...], sample_weight: Any) -> None:
        """Add rows; those of weight 0 are not looked at."""
        target, weight = _array(target), sample_weights(_optional(sample_weight), len(target))
        arrays = [_array(array) for array in prediction]
        if weight is not None:
            keep = weight > 0
            target, arrays, weight = target[keep], [array[keep] for array in arrays], weight[keep]
        losses = type(self).loss(target, *arrays, reduction="none", **self.options)
        self.total += exact_sum(losses if weight is None else losses * weight)
        self.weight += len(losses) if weight is None else exact_sum(weight)

    def compute(self) -> torch.Tensor:
        """The mean as a float64 scalar; NaN before any row was seen."""
        return self.total / self.weight


def _optional(sample_weight: Any) -> Any:
    return None if sample_weight is None else _array(sample_weight)


class _Classification(_RowMean):
    def update(self, preds: Any, target: Any, sample_weight: Any = None) -> None:
        """Add probabilities (n,), (n, 2) or (n, K), their classes (n,), and optional weights (n,)."""
        self._add(target, (preds,), sample_weight)


class _Gaussian(_RowMean):
    def update(self, mean: Any, var: Any, target: Any, sample_weight: Any = None) -> None:
        """Add means (n,), variances (n,), their targets (n,), and optional weights (n,)."""
        self._add(target, (mean, var), sample_weight)


class LogScore(_Classification):
    """`uqalign.metrics.log_score` over batches."""

    loss = staticmethod(log_score)


class BrierScore(_Classification):
    """`uqalign.metrics.brier_score` over batches."""

    loss = staticmethod(brier_score)


class ErrorRate(_Classification):
    """`uqalign.metrics.error_rate` over batches."""

    loss = staticmethod(error_rate)


class BinaryDecisionPWU(_Classification):
    """`uqalign.pwu.binary_decision_pwu` over batches, under a prior of the cost c."""

    loss = staticmethod(binary_decision_pwu)

    def __init__(self, *, prior: Any = PRIOR_C, **kwargs: Any) -> None:
        super().__init__(options={"prior": prior}, **kwargs)


class OneVsRestPWU(_Classification):
    """`uqalign.pwu.one_vs_rest_pwu` over batches, under a prior of the cost c."""

    loss = staticmethod(one_vs_rest_pwu)

    def __init__(self, *, prior: Any = PRIOR_C, **kwargs: Any) -> None:
        super().__init__(options={"prior": prior}, **kwargs)


class GaussianNLL(_Gaussian):
    """`uqalign.metrics.gaussian_nll` over batches."""

    loss = staticmethod(gaussian_nll)


class GaussianCRPS(_Gaussian):
    """`uqalign.metrics.crps_gaussian` over batches."""

    loss = staticmethod(crps_gaussian)


class SelectivePWU(_Gaussian):
    """`uqalign.pwu.selective_pwu` over batches, under a prior of the abstention cost.

    Args:
        target_variance: variance of the targets, the unit of the cost. Required, since a batch's own would
            differ from batch to batch: take it from the training data.
        prior: prior of the cost in that unit.
    """

    loss = staticmethod(selective_pwu)

    def __init__(self, *, target_variance: float, prior: Any = PRIOR_LAMBDA, **kwargs: Any) -> None:
        super().__init__(options={"target_variance": target_variance, "prior": prior}, **kwargs)
