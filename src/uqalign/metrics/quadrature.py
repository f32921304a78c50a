"""Expected Euclidean norm of a Gaussian vector, by a fixed quadrature rule over rows at once."""

from __future__ import annotations

import math

import numpy as np

from uqalign.checks import FloatArray

# ||x|| = (1 / (2 sqrt(pi))) int_0^inf (1 - exp(-t ||x||^2)) t^(-3/2) dt; with t = e^u the expectation under a
# Gaussian is analytic in the strip |Im u| < pi/2, where the trapezoidal rule of step h errs like exp(-pi^2 / h).
_STEP = 0.3
_FIRST, _LAST = -15.0, 37.2
_TIMES = np.exp(np.arange(_FIRST, _LAST, _STEP))
_CHUNK = 2048


def expected_norm(values: FloatArray, squares: FloatArray) -> FloatArray:
    """E||X|| of X ~ N(m, Sigma), per row.

    Args:
        values: eigenvalues (n, D) of Sigma, >= 0.
        squares: squared coordinates (n, D) of m in the eigenbasis.

    Returns:
        Norms (n,), to about 1e-14 of their size.
    """
    norm = np.zeros(len(values))
    size = (values + squares).sum(axis=1)
    for start in range(0, len(values), _CHUNK):
        part = slice(start, start + _CHUNK)
        some = size[part] > 0
        unit = np.where(some, size[part], 1.0)[:, None]
        norm[part] = np.where(some, np.sqrt(unit[:, 0]) * _unit_norm(values[part] / unit, squares[part] / unit), 0.0)
    return norm


def _unit_norm(values: FloatArray, squares: FloatArray) -> FloatArray:
    """E||X|| of rows with E||X||^2 = sum(values + squares) = 1."""
    t = _TIMES
    excess = np.zeros((len(values), len(t)))  # prod_j (1 + 2 t l_j) - 1, accumulated without cancellation
    exponent = np.zeros_like(excess)
    for j in range(values.shape[1]):
        step = 2 * values[:, j, None] * t
        exponent += squares[:, j, None] * t / (1 + step)
        excess += step + excess * step
        np.minimum(excess, 1e150, out=excess)
    root = np.sqrt(1 + excess)
    rise = excess / (1 + excess + root) - np.expm1(-exponent) / root
    body = (rise / np.sqrt(t)).sum(axis=1)
    # Below the first node the rise is c1 t - c2 t^2, above the last it is 1: both tails are geometric series.
    first = 1.0
    second = (values**2 + 2 * values * squares).sum(axis=1) + 0.5
    below = first * math.sqrt(t[0]) / math.expm1(_STEP / 2) - second * t[0] ** 1.5 / math.expm1(1.5 * _STEP)
    above = 1 / math.sqrt(t[-1]) / math.expm1(_STEP / 2)
    total: FloatArray = _STEP * (body + below + above) / (2 * math.sqrt(math.pi))
    return total
