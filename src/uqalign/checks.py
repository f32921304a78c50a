"""Strict input checks and the order-free sums behind every metric.

Every public metric and utility passes its arguments through these functions, so that shapes, ranges, labels and
weights mean the same thing everywhere. Nothing is clipped, renormalised or guessed: what does not fit is refused with
the argument, the row and the value named.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Reduction = Literal["mean", "none"]

SIMPLEX_TOLERANCE = 1e-6
"""Largest accepted distance of a probability row's sum from one (float32 softmax outputs stay within it)."""


class UndefinedMetricWarning(UserWarning):
    """A metric has no value on this input; NaN was returned and the reason is in the message."""


def warn_undefined(metric: str, reason: str) -> float:
    """Warn that `metric` is undefined because of `reason` and return NaN."""
    warnings.warn(f"{metric} is undefined: {reason}", UndefinedMetricWarning, stacklevel=3)
    return math.nan


def noted(evaluate: Callable[..., float], *arguments: Any, **options: Any) -> tuple[float, str]:
    """The value of a call, and what it warned of as text: why it is undefined, or what was clipped."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = evaluate(*arguments, **options)
    return value, "; ".join(dict.fromkeys(str(warning.message) for warning in caught))


class Rows(NamedTuple):
    """Validated rows with positive weight: labels or targets, prediction arrays, and weights (None: all one)."""

    y: FloatArray
    prediction: tuple[FloatArray, ...]
    weight: FloatArray | None


def _numbers(array: npt.NDArray[Any], otherwise: str) -> FloatArray:
    """An array of Python numbers as float64; text, dates and complex numbers are not read as numbers."""
    if array.dtype.kind != "O" or any(isinstance(value, str) for value in array.flat):
        raise ValueError(otherwise)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(otherwise) from None


def float_array(values: Any, name: str, *, ndim: int) -> FloatArray:
    """`values` as a float64 array with exactly `ndim` dimensions.

    Raises:
        ValueError: not numeric, wrong number of dimensions, or no rows.
    """
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: drop these rows or fill them")
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        array = _numbers(array, f"{name} must be numeric, got dtype {array.dtype}")
    if array.ndim != ndim:
        shape = {1: "(n,)", 2: "(n, m)", 3: "(n, d, d)"}[ndim]
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if array.shape[0] == 0:
        raise ValueError(f"{name} has no rows")
    return array.astype(np.float64)


def refuse(name: str, array: FloatArray, bad: npt.NDArray[np.bool_], must: str) -> None:
    """Raise a ValueError that names the first `bad` entry of `array` and what it `must` be."""
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        index = ", ".join(map(str, place))
        raise ValueError(f"{name}[{index}] = {array[place]!r}: {name} must be {must}")


def check_finite(name: str, array: FloatArray) -> FloatArray:
    refuse(name, array, ~np.isfinite(array), "finite")
    return array


def sample_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Weights of `n` rows, or None when all rows count alike.

    Raises:
        ValueError: wrong length, negative, NaN or infinite weights, or none positive.
    """
    if sample_weight is None:
        return None
    weight = float_array(sample_weight, "sample_weight", ndim=1)
    if len(weight) != n:
        raise ValueError(f"sample_weight has {len(weight)} rows, y_true has {n}")
    refuse("sample_weight", weight, ~(np.isfinite(weight) & (weight >= 0)), "finite and >= 0")
    if not weight.any():
        raise ValueError("sample_weight is zero everywhere: no row is left to score")
    return weight


def check_reduction(reduction: str, sample_weight: Any) -> None:
    """Refuse unknown reductions, and weights where no mean is taken."""
    if reduction not in ("mean", "none"):
        raise ValueError(f"reduction must be 'mean' or 'none', got {reduction!r}")
    if reduction == "none" and sample_weight is not None:
        raise ValueError("sample_weight has no effect with reduction='none': weigh the returned rows yourself")


def _positive_rows(
    arrays: Sequence[FloatArray], names: Sequence[str], sample_weight: Any
) -> tuple[list[FloatArray], FloatArray | None]:
    n = len(arrays[0])
    for array, name in zip(arrays, names, strict=True):
        if len(array) != n:
            raise ValueError(f"{name} has {len(array)} rows, {names[0]} has {n}")
    weight = sample_weights(sample_weight, n)
    if weight is None or weight.all():
        return list(arrays), weight
    keep = weight > 0
    return [array[keep] for array in arrays], weight[keep]


def encode_labels(y_true: Any, labels: Sequence[Any] | None, n_classes: int) -> FloatArray:
    """Class indices 0..n_classes-1 of `y_true`; `labels` lists the classes in column order (default 0, 1, ...).

    Raises:
        ValueError: a label that is not among the classes, or `labels` of another length or with repeats.
    """
    array = np.asarray(y_true)
    if array.ndim != 1:
        raise ValueError(f"y_true must have shape (n,), got {array.shape}")
    if labels is None:
        classes = np.arange(n_classes)
        if array.dtype.kind not in "fiub":
            array = _numbers(
                array, f"y_true holds {array.dtype} labels: name the classes in column order with labels=[...]"
            )
        array = array.astype(np.float64)
        codes = array.copy()
        bad = ~np.isin(array, classes)
    else:
        listed = list(labels)
        if len(listed) != n_classes or len(set(listed)) != n_classes:
            raise ValueError(f"labels must name {n_classes} distinct classes, got {listed}")
        index = {label: code for code, label in enumerate(listed)}
        codes = np.array([index.get(value, -1) for value in array.tolist()], dtype=np.float64)
        bad = codes < 0
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        known = list(range(n_classes)) if labels is None else list(labels)
        raise ValueError(f"y_true[{row}] = {array[row]!r}: not one of the classes {known}")
    return codes


def _drop_unweighted(y_true: Any, sample_weight: Any) -> Any:
    """Labels as an array with zero-weight rows blanked to the first positive row's label (they are dropped later)."""
    if sample_weight is None:
        return y_true
    array = np.asarray(y_true)
    weight = np.asarray(sample_weight)
    if weight.shape != array.shape[:1] or not (weight > 0).any():
        return y_true
    array = array.copy()
    array[weight == 0] = array[np.flatnonzero(weight > 0)[0]]
    return array


def binary_rows(
    y_true: Any,
    p: Any,
    *,
    labels: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> Rows:
    """Rows of a binary problem: y in {0, 1} (n,) and p = P(y = 1) (n,); p of shape (n, 2) is read by its column 1.

    Raises:
        ValueError: shapes that disagree, a label outside the two classes, p outside [0, 1] or NaN, bad weights.
    """
    codes = encode_labels(_drop_unweighted(y_true, sample_weight), labels, 2)
    raw = np.asarray(p)
    probability = float_array(raw, "p", ndim=raw.ndim if raw.ndim in (1, 2) else 1)
    if probability.ndim == 2:
        if probability.shape[1] != 2:
            raise ValueError(f"p must have shape (n,) or (n, 2) for a binary problem, got {probability.shape}")
        (codes, probability), weight = _positive_rows([codes, probability], ["y_true", "p"], sample_weight)
        check_simplex(probability)
        probability = probability[:, 1]
    else:
        (codes, probability), weight = _positive_rows([codes, probability], ["y_true", "p"], sample_weight)
        refuse("p", probability, ~((probability >= 0) & (probability <= 1)), "a probability in [0, 1]")
    if len(codes) == 0:
        raise ValueError("y_true has no rows")
    return Rows(codes, (probability,), weight)


def score_rows(y_true: Any, score: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None) -> Rows:
    """Rows of a ranking problem: y in {0, 1} (n,) and any finite real score (n,), larger means more likely 1."""
    codes = encode_labels(_drop_unweighted(y_true, sample_weight), labels, 2)
    values = float_array(score, "score", ndim=1)
    (codes, values), weight = _positive_rows([codes, values], ["y_true", "score"], sample_weight)
    check_finite("score", values)
    return Rows(codes, (values,), weight)


def check_simplex(p: FloatArray) -> None:
    """Refuse rows of `p` (n, K) that are not probability vectors (entries in [0, 1], sums within 1e-6 of one)."""
    refuse("p", p, ~((p >= 0) & (p <= 1)), "a probability in [0, 1]")
    total = p.sum(axis=1)
    off = np.abs(total - 1) > SIMPLEX_TOLERANCE
    if off.any():
        row = int(np.flatnonzero(off)[0])
        raise ValueError(f"p[{row}] sums to {total[row]!r}: rows of p must sum to one (nothing is renormalised)")


def multiclass_rows(y_true: Any, p: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None) -> Rows:
    """Rows of a multiclass problem: class indices (n,) as floats and p (n, K) in column order of `labels`.

    Classes come from the columns of `p`; a class absent from `y_true` is no error.
    """
    probability = float_array(p, "p", ndim=2)
    if probability.shape[1] < 2:
        raise ValueError(f"p must have one column per class (at least 2), got shape {probability.shape}")
    codes = encode_labels(_drop_unweighted(y_true, sample_weight), labels, probability.shape[1])
    (codes, probability), weight = _positive_rows([codes, probability], ["y_true", "p"], sample_weight)
    check_simplex(probability)
    return Rows(codes, (probability,), weight)


def gaussian_rows(y_true: Any, mean: Any, var: Any, *, sample_weight: Any = None) -> Rows:
    """Rows of a regression problem: targets, predictive means and variances, each (n,); var >= 0 and finite."""
    arrays = [float_array(v, name, ndim=1) for v, name in ((y_true, "y_true"), (mean, "mean"), (var, "var"))]
    (y, mu, variance), weight = _positive_rows(arrays, ["y_true", "mean", "var"], sample_weight)
    check_finite("y_true", y)
    check_finite("mean", mu)
    refuse("var", variance, ~(np.isfinite(variance) & (variance >= 0)), "finite and >= 0 (a variance)")
    return Rows(y, (mu, variance), weight)


def multivariate_rows(y_true: Any, mean: Any, cov: Any, *, sample_weight: Any = None) -> Rows:
    """Rows of a multivariate problem: targets and means (n, D), covariances (n, D, D), symmetric, variances >= 0.

    Positive definiteness is left to the metrics that need it.
    """
    y, mu = (float_array(v, name, ndim=2) for v, name in ((y_true, "y_true"), (mean, "mean")))
    covariance = float_array(cov, "cov", ndim=3)
    if mu.shape[1:] != y.shape[1:] or covariance.shape[1:] != (y.shape[1], y.shape[1]):
        raise ValueError(
            f"y_true {y.shape}, mean {mu.shape} and cov {covariance.shape} must be (n, D), (n, D) and (n, D, D)"
        )
    (y, mu, covariance), weight = _positive_rows([y, mu, covariance], ["y_true", "mean", "cov"], sample_weight)
    for name, array in (("y_true", y), ("mean", mu), ("cov", covariance)):
        check_finite(name, array)
    variances = np.diagonal(covariance, axis1=1, axis2=2)
    refuse("cov diagonal", variances.astype(np.float64), variances < 0, ">= 0 (variances)")
    size = np.abs(covariance).max(axis=(1, 2), keepdims=True)
    asymmetric = np.abs(covariance - covariance.transpose(0, 2, 1)) > 1e-8 * size
    refuse("cov", covariance, asymmetric, "symmetric")
    return Rows(y, (mu, covariance), weight)


def exact_sum(values: FloatArray) -> float:
    """Correctly rounded sum of a vector: the same bits in every row order (NaN and infinities propagate)."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(flat).all():
        with np.errstate(invalid="ignore"):
            return float(np.sum(flat))
    try:
        return math.fsum(flat.tolist())
    except OverflowError:
        # Some partial sum exceeds the largest float; the sum itself may or may not.
        return math.fsum(np.ldexp(flat, -_HEADROOM).tolist()) * 2.0**_HEADROOM


SMALLEST = 5e-324
_HEADROOM = 64
"""log2 of the number of values whose sum cannot overflow once each is divided by it."""


def relative_weight(weight: FloatArray | None) -> FloatArray | None:
    """Weights of which only ratios matter, scaled by a power of two (which keeps their digits) to at most one."""
    if weight is None:
        return None
    _, exponent = np.frexp(weight.max())
    # What is left of a weight of 1e-300 beside one of 1e300 is the smallest number, so that its row still counts.
    scaled: FloatArray = np.maximum(np.ldexp(weight, -exponent), np.where(weight > 0, SMALLEST, 0.0))
    return scaled


def weighted_mean(values: FloatArray, weight: FloatArray | None) -> float:
    """Mean of a vector (n,) under `weight`, independent of row order bit for bit; an infinite value gives infinity."""
    weight = relative_weight(weight)
    total = exact_sum(values if weight is None else values * weight)
    count = len(values) if weight is None else exact_sum(weight)
    if math.isinf(total) and np.isfinite(values).all():
        return weighted_mean(np.ldexp(values, -_HEADROOM), weight) * 2.0**_HEADROOM
    return total / count


def weighted_variance(values: FloatArray, weight: FloatArray | None) -> float:
    """Population variance of a vector (n,) under `weight`, independent of row order bit for bit."""
    centre = weighted_mean(values, weight)
    return weighted_mean((values - centre) ** 2, weight)


def reduced(values: FloatArray, weight: FloatArray | None, reduction: Reduction) -> Any:
    """The mean of per-row `values` as a float, or the values themselves for reduction='none'."""
    return values if reduction == "none" else weighted_mean(values, weight)
