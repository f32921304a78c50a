"""Many tests at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's (1979) adjusted p-values: no more than alpha chance of any false rejection among all of them.

    The i-th smallest of n is multiplied by n - i + 1, and never falls below the ones before it; at most 1.

    Args:
        p_values: (n,) p-values; NaN for tests that could not be made, which are not counted and stay NaN.

    Raises:
        ValueError: not a list, or a value outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ValueError("p_values must be a list of numbers in [0, 1] (or NaN)")
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * p[order]))
    return adjusted
