"""Features to numbers, learned from the training rows alone.

Numeric columns: missing values become the training median. Categorical columns: missing values become the most frequent
training level (of several the first by name), then one column of zeros and ones per training level; a level that
training never saw is all zeros. Standardisation, where asked for, concerns the numeric columns; the zeros and ones stay
as they are. Numeric columns come first.

A data set is split hundreds of times, so what does not depend on the split is done once: `encode` turns a frame into
arrays, `prepare_rows` learns from some rows of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.data.levels import level_names

FloatArray = npt.NDArray[np.float64]

MISSING = -1


@dataclass(frozen=True, eq=False)
class Encoded:
    """A frame as arrays: nothing in them depends on which rows are training rows.

    Attributes:
        numbers: (n, A) numeric columns, NaN where missing.
        codes: (n, B) categorical columns: places of the levels among the column's sorted names, -1 where missing.
    """

    numbers: FloatArray
    codes: npt.NDArray[np.intp]


def encode(features: pd.DataFrame, kinds: Mapping[str, str]) -> Encoded:
    """The columns of `features` as arrays, by their kinds.

    Args:
        features: (n, F).
        kinds: `numeric` or `categorical` for every column.

    Raises:
        ValueError: a column without a kind, a numeric column that is not numbers, infinite values.
    """
    numbers, codes = [], []
    for column in features.columns:
        kind = kinds.get(column)
        if kind == "numeric":
            numbers.append(_numbers(features[column]))
        elif kind == "categorical":
            codes.append(_codes(features[column]))
        else:
            raise ValueError(f"column {column!r} is neither numeric nor categorical: give its kind")
    n = len(features)
    return Encoded(
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
        np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.intp),
    )


def _numbers(column: pd.Series[Any]) -> FloatArray:
    try:
        values: FloatArray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"column {column.name!r} is numeric, but holds {column.dtype} values") from None
    if np.isinf(values).any():
        raise ValueError(f"column {column.name!r}, row {int(np.flatnonzero(np.isinf(values))[0])} is infinite")
    return values


def _codes(column: pd.Series[Any]) -> npt.NDArray[np.intp]:
    codes, _ = pd.factorize(level_names(column), sort=True, use_na_sentinel=True)
    return codes.astype(np.intp)


def prepare(
    features: pd.DataFrame,
    kinds: Mapping[str, str],
    train: npt.NDArray[Any],
    test: npt.NDArray[Any],
    *,
    scale: bool,
) -> tuple[FloatArray, FloatArray]:
    """Fit on the rows `train`, apply to `train` and `test`.

    Args:
        features: (n, F).
        kinds: `numeric` or `categorical` for every column.
        train, test: row positions (or boolean masks).
        scale: standardise numeric columns to training mean 0 and (population) standard deviation 1; a column that is
            constant in training becomes 0 there.

    Returns:
        (n_train, P) and (n_test, P) float64, without missing values.

    Raises:
        ValueError: a column without a kind, a numeric column that is not numbers, infinite values, no training rows.
    """
    return prepare_rows(encode(features, kinds), train, test, scale=scale)


def prepare_rows(
    encoded: Encoded, train: npt.NDArray[Any], test: npt.NDArray[Any], *, scale: bool
) -> tuple[FloatArray, FloatArray]:
    """`prepare` on a frame that is encoded already.

    Raises:
        ValueError: no training rows.
    """
    numbers = _filled(encoded.numbers[train], encoded.numbers[test])
    if scale:
        numbers = _standardised(*numbers)
    levels = [_one_hot(column[train], column[test]) for column in encoded.codes.T]
    x_train, x_test = (np.hstack([part, *more]) for part, *more in zip(numbers, *levels, strict=True))
    return x_train, x_test


def _filled(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    if len(train) == 0:
        raise ValueError("no training rows")
    gaps = np.isnan(train)
    # A column that is missing in every training row has no median: it is kept, as zeros.
    median = np.nanmedian(np.where(gaps.all(axis=0), 0.0, train), axis=0)
    return np.where(gaps, median, train), np.where(np.isnan(test), median, test)


def _standardised(train: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean, variance = train.mean(axis=0), train.var(axis=0)
    # The computed variance of a constant column is rounding residue, not always zero (scikit-learn's bound).
    residue = len(train) * np.finfo(np.float64).eps
    constant = variance <= residue * variance + (residue * mean) ** 2
    std = np.where(constant, 1.0, np.sqrt(variance))
    return (train - mean) / std, (test - mean) / std


def _one_hot(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    levels, counts = np.unique(train[train != MISSING], return_counts=True)
    # Without a level in training, missing is the only one there is.
    frequent = levels[np.argmax(counts)] if len(levels) else MISSING
    levels = levels if len(levels) else np.array([MISSING])
    parts = (np.where(codes == MISSING, frequent, codes)[:, None] == levels for codes in (train, test))
    x_train, x_test = (part.astype(np.float64) for part in parts)
    return x_train, x_test
