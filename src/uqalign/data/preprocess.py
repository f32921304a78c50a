"""Features to numbers, learned from the training rows alone.

Numeric columns: missing values become the training median. Categorical columns: missing values become the
most frequent training level, then one column of zeros and ones per training level; a level that training
never saw is all zeros. Standardisation, where asked for, concerns the numeric columns; the zeros and ones
stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqalign.data.levels import level_names

FloatArray = npt.NDArray[np.float64]


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
        scale: standardise numeric columns to training mean 0 and (population) standard deviation 1; a column
            that is constant in training becomes 0 there.

    Returns:
        (n_train, P) and (n_test, P) float64, without missing values.

    Raises:
        ValueError: a column without a kind, a numeric column that is not numbers, infinite values, no
            training rows.
    """
    fitted = Preprocessor.fit(features.iloc[train], kinds, scale=scale)
    return fitted.transform(features.iloc[train]), fitted.transform(features.iloc[test])


class Preprocessor:
    """What `prepare` learned from its training rows."""

    def __init__(self, numeric: list[str], categorical: list[str], numbers: Any, levels: Any) -> None:
        self._numeric, self._categorical = numeric, categorical
        self._numbers, self._levels = numbers, levels

    @classmethod
    def fit(cls, train: pd.DataFrame, kinds: Mapping[str, str], *, scale: bool) -> Preprocessor:
        """Learn medians, scales, levels and most frequent levels from the frame `train`."""
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        unknown = [column for column in train.columns if kinds.get(column) not in ("numeric", "categorical")]
        if unknown:
            raise ValueError(f"column {unknown[0]!r} is neither numeric nor categorical: give its kind")
        if len(train) == 0:
            raise ValueError("no training rows")
        numeric = [column for column in train.columns if kinds[column] == "numeric"]
        categorical = [column for column in train.columns if kinds[column] == "categorical"]
        # A column that is missing in every training row has no median: it is kept, as zeros.
        steps: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)]
        if scale:
            steps.append(StandardScaler())
        numbers, levels = make_pipeline(*steps), None
        if numeric:
            numbers.fit(_numbers(train, numeric))
        if categorical:
            levels = make_pipeline(
                SimpleImputer(strategy="most_frequent", missing_values=None, keep_empty_features=True),
                OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float64),
            ).fit(_labels(train, categorical))
        return cls(numeric, categorical, numbers, levels)

    def transform(self, frame: pd.DataFrame) -> FloatArray:
        """(n, P) float64 of the rows of `frame`, which has the training columns."""
        if len(frame) == 0:
            raise ValueError("no rows to transform")
        parts = []
        if self._numeric:
            parts.append(self._numbers.transform(_numbers(frame, self._numeric)))
        if self._categorical:
            parts.append(self._levels.transform(_labels(frame, self._categorical)))
        return np.hstack(parts).astype(np.float64)


def _numbers(frame: pd.DataFrame, columns: list[str]) -> FloatArray:
    parts = []
    for column in columns:
        try:
            values = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            raise ValueError(f"column {column!r} is numeric, but holds {frame[column].dtype} values") from None
        if np.isinf(values).any():
            raise ValueError(f"column {column!r}, row {int(np.flatnonzero(np.isinf(values))[0])} is infinite")
        parts.append(values)
    return np.column_stack(parts)


def _labels(frame: pd.DataFrame, columns: list[str]) -> npt.NDArray[np.object_]:
    """Every level as a string and every form of missing (None, NaN, pd.NA, NaT) as None."""
    return np.column_stack([level_names(frame[column]) for column in columns])
