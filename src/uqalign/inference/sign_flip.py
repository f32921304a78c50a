"""The exact paired test over data sets: if two metrics align equally well, each difference may as well be negated."""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray

EXACT_UP_TO = 14
"""Units up to which all 2^n sign patterns are enumerated; beyond, `PATTERNS` random ones stand for them."""

PATTERNS = 2**EXACT_UP_TO


def sign_flip_p_values(differences: FloatArray, *, rng: np.random.Generator | None = None) -> FloatArray:
    """Two-sided p-values of mean differences of 0: the share of sign patterns with a mean at least as far from 0.

    With n units no p-value is below 2 / 2^n: 0.25 for three data sets, 0.0625 for five, 0.002 for ten.

    Args:
        differences: (units, m), a column per comparison; NaN where undefined, which leaves the unit out.
        rng: source of the random patterns beyond 14 units (default: seed 0).

    Returns:
        (m,) p-values; NaN in columns without a value.
    """
    units = len(differences)
    present = ~np.isnan(differences)
    values = np.where(present, differences, 0)
    if units <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**units)[:, None] >> np.arange(units)) & 1)
    else:
        generator = np.random.default_rng(0) if rng is None else rng
        signs = generator.choice([-1.0, 1.0], size=(PATTERNS, units))
        signs[0] = 1
    observed = np.abs(values.sum(axis=0))
    # Sums of the same numbers in another order must count as equal.
    slack = 1e-12 * np.abs(values).sum(axis=0)
    extreme = np.abs(signs @ values) >= observed - slack
    return np.where(present.any(axis=0), extreme.mean(axis=0), np.nan)
