"""Scoring rules for multivariate Gaussian predictions: negative log likelihood, squared error, energy score.

Targets and means are (n, D), covariances (n, D, D). Losses: lower is better.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray, Reduction, check_reduction, multivariate_rows, reduced, warn_undefined
from uqalign.metrics.quadrature import expected_norm

_LOG_TWO_PI = math.log(2 * math.pi)


class JitteredCovarianceWarning(UserWarning):
    """Covariances without a Cholesky factor had their diagonal raised; `count` says in how many rows."""

    def __init__(self, count: int, n: int, jitter: float) -> None:
        self.count = count
        super().__init__(
            f"multivariate_gaussian_nll: {count} of {n} covariances are not positive definite; "
            f"{jitter:g} x their mean variance was added to their diagonals"
        )


def _cholesky_nll(residual: FloatArray, cov: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Negative log densities (n,), and which rows have a Cholesky factor (the others' mean nothing)."""
    n, d = residual.shape
    left, remainder = residual.copy(), cov.copy()
    factored = np.ones(n, dtype=bool)
    loss = np.full(n, 0.5 * d * _LOG_TWO_PI)
    smallest = d * np.finfo(np.float64).eps * np.diagonal(cov, axis1=1, axis2=2)
    for j in range(d):
        pivot = remainder[:, j, j]
        factored &= pivot > smallest[:, j]
        root = np.sqrt(np.where(factored, pivot, 1.0))
        column = remainder[:, j + 1 :, j] / root[:, None]
        z = left[:, j] / root
        loss += 0.5 * z**2 + np.log(root)
        left[:, j + 1 :] -= column * z[:, None]
        remainder[:, j + 1 :, j + 1 :] -= column[:, :, None] * column[:, None, :]
    return loss, factored


def multivariate_gaussian_nll(
    y_true: Any,
    mean: Any,
    cov: Any,
    *,
    jitter: float = 1e-6,
    sample_weight: Any = None,
    reduction: Reduction = "mean",
) -> Any:
    """Multivariate Gaussian negative log likelihood in nats, by Cholesky factors. Strictly proper.

    A covariance that is singular to working precision has no density. Its diagonal, and only its, is raised
    by `jitter` times its mean variance, and a `JitteredCovarianceWarning` counts such rows. An all-zero
    covariance scores -infinity where y equals the mean and +infinity elsewhere.

    Args:
        y_true: targets (n, D).
        mean: predictive means (n, D).
        cov: predictive covariances (n, D, D), symmetric.
        jitter: relative addition to the diagonal of covariances without a Cholesky factor; 0 refuses them.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the loss of every row.

    Raises:
        ValueError: a covariance that is not positive semidefinite even with jitter, invalid shapes or values.
    """
    check_reduction(reduction, sample_weight)
    if not 0 <= jitter < math.inf:
        raise ValueError(f"jitter = {jitter!r}: jitter must be finite and >= 0")
    y, (mu, sigma), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    residual = y - mu
    loss, factored = _cholesky_nll(residual, sigma)
    point = ~sigma.any(axis=(1, 2))
    loss[point] = np.where(residual[point].any(axis=1), np.inf, -np.inf)
    failed = np.flatnonzero(~factored & ~point)
    if len(failed):
        d = residual.shape[1]
        raised = sigma[failed] + jitter * np.trace(sigma[failed], axis1=1, axis2=2)[:, None, None] / d * np.eye(d)
        loss[failed], mended = _cholesky_nll(residual[failed], raised)
        if not mended.all():
            row = int(failed[np.flatnonzero(~mended)[0]])
            raise ValueError(
                f"cov[{row}] is not positive semidefinite: no Cholesky factor even with jitter={jitter:g} "
                "(rows counted after dropping weights of zero)"
            )
        warnings.warn(JitteredCovarianceWarning(len(failed), len(loss), jitter), stacklevel=2)
    if reduction == "mean" and (loss == np.inf).any() and (loss == -np.inf).any():
        return warn_undefined(
            "multivariate_gaussian_nll",
            "zero covariances score -infinity in one row and +infinity in another",
        )
    return reduced(loss, weight, reduction)


def multivariate_mean_squared_error(
    y_true: Any, mean: Any, cov: Any = None, *, sample_weight: Any = None, reduction: Reduction = "mean"
) -> Any:
    """Mean over rows and coordinates of (y_d - mean_d)^2. Proper, and blind to the covariance.

    Args:
        y_true: targets (n, D).
        mean: predictive means (n, D).
        cov: validated and otherwise ignored, so that all multivariate metrics take the same prediction.
        sample_weight: non-negative weights (n,).
        reduction: "mean" for a float, "none" for the loss of every row.

    Raises:
        ValueError: NaN, shapes that disagree, invalid weights.
    """
    check_reduction(reduction, sample_weight)
    if cov is None:
        shape = np.shape(mean)
        cov = np.zeros((*shape, shape[-1]))
    y, (mu, _), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    return reduced(((y - mu) ** 2).mean(axis=1), weight, reduction)


def energy_score_gaussian(
    y_true: Any, mean: Any, cov: Any, *, sample_weight: Any = None, reduction: Reduction = "mean"
) -> Any:
    """Energy score of a multivariate Gaussian, E||X - y|| - E||X - X'|| / 2. Strictly proper.

    No sampling: both expectations are norms of Gaussian vectors, computed by one-dimensional quadrature in
    the eigenbasis of the covariance to about 1e-13 of their size. For D = 1 this is the CRPS. Singular
    covariances are fine; a zero covariance scores the distance ||mean - y||. In the unit of the targets.

    Raises:
        ValueError: a covariance with a negative eigenvalue, invalid shapes, values or weights.
    """
    check_reduction(reduction, sample_weight)
    y, (mu, sigma), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    residual = y - mu
    scale = np.maximum(np.abs(residual).max(axis=1), np.sqrt(np.diagonal(sigma, axis1=1, axis2=2).max(axis=1)))
    unit = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(sigma / unit[:, None, None] / unit[:, None, None])
    largest = np.abs(values).max(axis=1)
    lowest = values.min(axis=1)
    indefinite = lowest < -1e-8 * largest
    if indefinite.any():
        row = int(np.flatnonzero(indefinite)[0])
        raise ValueError(
            f"cov[{row}] is not positive semidefinite: its eigenvalues range from {lowest[row]:.3g} to "
            f"{values[row].max():.3g} x its scale (rows counted after dropping weights of zero)"
        )
    values = np.maximum(values, 0.0)
    squares = ((residual / unit[:, None])[:, None, :] @ vectors)[:, 0, :] ** 2
    loss = unit * (expected_norm(values, squares) - math.sqrt(0.5) * expected_norm(values, np.zeros_like(values)))
    return reduced(loss, weight, reduction)
