"""Names of categorical levels, the same however a column stores them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


def level_names(values: Any) -> npt.NDArray[np.object_]:
    """Levels as strings and every form of missing (None, NaN, pd.NA, NaT) as None, (n,).

    Whole numbers have one name whether stored as integers or floats, so that a missing value elsewhere in the
    column changes nothing.
    """
    array = np.asarray(values, dtype=object)
    if pd.api.types.infer_dtype(array, skipna=True).startswith("mixed"):
        # True, 1 and 1.0 are one value to a hash table, but not one level.
        return np.array([None if pd.isna(value) else _name(value) for value in array], dtype=object)
    codes, levels = pd.factorize(array, use_na_sentinel=True)
    names = np.array([*map(_name, levels), None], dtype=object)
    return names[codes]


def _name(value: object) -> str:
    whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]
