"""Area under the retention curve: how far errors fall as the most uncertain rows are set aside.

Rows are kept from the least uncertain on. Rows of equal uncertainty are kept in random order and the value is
the expectation over it, so it never depends on row order. Lower is better; none is proper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from uqalign.checks import FloatArray, exact_sum, gaussian_rows, multivariate_rows, relative_weight
from uqalign.metrics.classification import class_rows
from uqalign.ranking import group_ties

Kind = Literal["retained", "residual"]


class Retention(NamedTuple):
    """State after keeping 1, 2, ... n rows, each array (n,).

    Attributes:
        width: weight that each step adds.
        retained: mean error of the rows kept.
        residual: summed error of the rows kept over the weight of all rows (errors among those set aside are
            repaired).
        uncertainty: largest uncertainty kept.
    """

    width: FloatArray
    retained: FloatArray
    residual: FloatArray
    uncertainty: FloatArray


def retention_steps(uncertainty: FloatArray, error: FloatArray, weight: FloatArray | None) -> Retention:
    """Expected errors as rows are kept one by one.

    A row in a tie carries its block's mean error and mean weight.
    """
    blocks = group_ties(uncertainty, error, relative_weight(weight))
    block = np.repeat(np.arange(len(blocks.key)), blocks.size)
    first = np.cumsum(blocks.size) - blocks.size
    within = (np.arange(len(block)) - first[block] + 1) / blocks.size[block]
    kept = _before(blocks.weight)[block] + within * blocks.weight[block]
    errors = _before(blocks.total)[block] + within * blocks.total[block]
    everything = exact_sum(blocks.weight)
    return Retention(
        width=(blocks.weight / blocks.size)[block],
        retained=errors / kept,
        residual=errors / everything,
        uncertainty=blocks.key[block],
    )


def _before(sums: FloatArray) -> FloatArray:
    """Sum of all earlier entries."""
    earlier: FloatArray = np.concatenate([[0.0], np.cumsum(sums[:-1])])
    return earlier


def _area(uncertainty: FloatArray, error: FloatArray, weight: FloatArray | None, kind: Kind) -> float:
    steps = retention_steps(uncertainty, error, weight)
    heights = steps.retained if kind == "retained" else steps.residual
    return exact_sum(steps.width * heights) / exact_sum(steps.width)


def _check_kind(kind: str) -> None:
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")


def retention_auc(
    y_true: Any,
    p: Any,
    *,
    kind: Kind = "retained",
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> float:
    """Area under the retention curve of a classifier: uncertainty is predictive entropy, errors are 0/1.

    retained: mean over k of the error rate of the k least uncertain rows, (1/n) sum_i e_i (H_n - H_(i-1)) with
    harmonic numbers H (AURC; Geifman et al. 2019). residual: mean over k of the errors left among all n rows when
    all but those k are repaired, (1/n^2) sum_i e_i (n - i + 1) (AUGRC; Traub et al. 2024).

    Args:
        y_true: classes (n,).
        p: probabilities (n,), (n, 2) or (n, K).
        kind: "retained" or "residual".
        labels: classes in column order.
        sample_weight: non-negative weights (n,); a step's width is its row's share of the weight.

    Returns:
        Area in [0, 1].

    Raises:
        ValueError: invalid labels, probabilities, weights or kind.
    """
    _check_kind(kind)
    rows = class_rows(y_true, p, labels=labels, sample_weight=sample_weight)
    return _area(rows.uncertainty(), rows.wrong().astype(np.float64), rows.weight, kind)


def regression_retention_auc(
    y_true: Any, mean: Any, var: Any, *, kind: Kind = "retained", sample_weight: Any = None
) -> float:
    """`retention_auc` of a regression: uncertainty is the variance, the error is (y - mean)^2.

    Raises:
        ValueError: invalid predictions, weights or kind.
    """
    _check_kind(kind)
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    return _area(variance, (y - mu) ** 2, weight, kind)


def multivariate_retention_auc(
    y_true: Any, mean: Any, cov: Any, *, kind: Kind = "retained", sample_weight: Any = None
) -> float:
    """Mean over coordinates of `regression_retention_auc` of the marginals (y_d, mean_d, cov_dd).

    Raises:
        ValueError: invalid predictions, weights or kind.
    """
    _check_kind(kind)
    y, (mu, sigma), weight = multivariate_rows(y_true, mean, cov, sample_weight=sample_weight)
    areas = [_area(sigma[:, d, d], (y[:, d] - mu[:, d]) ** 2, weight, kind) for d in range(y.shape[1])]
    return exact_sum(np.array(areas)) / len(areas)
