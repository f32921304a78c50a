"""The passes of `passes`, each compiled into one walk through memory, and random bits: single precision on a CPU.

`Rows` are (R, n, w) arrays of R lanes, of which the first `counts[r]` rows of lane r are in use and the others zero;
what belongs to a lane is (R, 1, w). `bits` (R, at least n w) decide over dropout: an entry stays where its number is
`least` or more.

Several short loops over a row are vectorised where a single one with everything in it is not. Tests hold each function
against torch's operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int64]
Bits = npt.NDArray[np.int16]
Words = npt.NDArray[np.uint32]

ROWS, COUNTS, BITS, WORDS = "float32[:, :, ::1]", "int64[::1]", "int16[:, ::1]", "uint32[:, ::1]"
ANYWHERE, MATRICES = "float32[:, :, :]", "float32[::1], int64"
"""Arrays whose lanes are apart: vectors; matrices, as all numbers from the first on and how far two lanes are apart."""

F = np.float32
ZERO, HALF, ONE = F(0), F(0.5), F(1)

Function = TypeVar("Function", bound=Callable[..., Any])


def _compiled(*arguments: str, any_order: bool = False) -> Callable[[Function], Function]:
    """Compile for these types of arguments, and keep the result on disk where that can be written to.

    A product and a sum may round once together; with `any_order` sums along a row may be taken in any order.
    """
    signature = f"void({', '.join(arguments)})"
    options: dict[str, Any] = {
        "fastmath": {"contract", "reassoc"} if any_order else {"contract"},
        "error_model": "numpy",
        "nogil": True,
    }

    def compile_function(function: Function) -> Function:
        try:
            return cast(Function, nb.njit(signature, cache=True, **options)(function))
        except RuntimeError:  # Nowhere to keep it.
            return cast(Function, nb.njit(signature, **options)(function))

    return compile_function


def _inlined(function: Function) -> Function:
    return cast(Function, nb.njit(inline="always")(function))


@_inlined
def _exp(x: F) -> F:
    """Of numbers from -87 to 0: 2^k times a polynomial on [-log(2)/2, log(2)/2] (Cephes), to 2e-7 of the value."""
    k = np.floor(x * F(1.44269504) + HALF)
    r = (x - k * F(0.693359375)) + k * F(2.12194440e-4)
    p = F(1.9875691500e-4)
    p = p * r + F(1.3981999507e-3)
    p = p * r + F(8.3334519073e-3)
    p = p * r + F(4.1665795894e-2)
    p = p * r + F(1.6666665459e-1)
    p = p * r + F(5.0000001201e-1)
    p = p * r * r + r + ONE
    return F(p * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32))


@_inlined
def _normal(x: F) -> tuple[F, F]:
    """Distribution function and density of the standard normal, to 2e-7 (Abramowitz & Stegun 7.1.26)."""
    e = _exp(max(x * x * F(-0.5), F(-87))) if x * x < F(174) else ZERO
    t = ONE / (ONE + F(0.3275911 / np.sqrt(2)) * abs(x))
    q = F(1.061405429)
    q = q * t - F(1.453152027)
    q = q * t + F(1.421413741)
    q = q * t - F(0.284496736)
    q = q * t + F(0.254829592)
    q = HALF * e * t * q
    return (q if x < ZERO else ONE - q), e * F(1 / np.sqrt(2 * np.pi))


@_compiled(ROWS, COUNTS, ROWS, ROWS, ROWS)
def centre(x: Rows, counts: Counts, centred: Rows, mean: Rows, var: Rows) -> None:
    """Rows minus their mean; the mean and the variance. Lanes without rows get zeros."""
    for r in range(len(x)):
        mean[r] = ZERO
        var[r] = ZERO
        share = F(1 / max(counts[r], 1))
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                mean[r, 0, j] += x[r, i, j]
        for j in range(x.shape[2]):
            mean[r, 0, j] *= share
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                centred[r, i, j] = x[r, i, j] - mean[r, 0, j]
            for j in range(x.shape[2]):
                var[r, 0, j] += centred[r, i, j] * centred[r, i, j]
        for j in range(x.shape[2]):
            var[r, 0, j] *= share
        centred[r, counts[r] :] = ZERO


@_compiled(ROWS, ROWS, BITS, "int16", COUNTS, ROWS)
def gelu(z: Rows, constant: Rows, bits: Bits, least: np.int16, counts: Counts, y: Rows) -> None:
    """y = dropout of the GELU of z + constant; its slope in `z` replaces `z`."""
    for r in range(len(z)):
        for i in range(counts[r]):
            chance = bits[r, i * z.shape[2] : (i + 1) * z.shape[2]]
            for j in range(z.shape[2]):
                z[r, i, j] += constant[r, 0, j]
            for j in range(z.shape[2]):
                below, density = _normal(z[r, i, j])
                y[r, i, j] = z[r, i, j] * below if chance[j] >= least else ZERO
                z[r, i, j] = below + z[r, i, j] * density if chance[j] >= least else ZERO
        y[r, counts[r] :] = ZERO


@_compiled(ROWS, ROWS, COUNTS, ROWS)
def times(x: Rows, y: Rows, counts: Counts, total: Rows) -> None:
    """x *= y, and its sum over the rows."""
    for r in range(len(x)):
        total[r] = ZERO
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                x[r, i, j] *= y[r, i, j]
            for j in range(x.shape[2]):
                total[r, 0, j] += x[r, i, j]


@_compiled(ROWS, ROWS, BITS, "int16", ROWS, COUNTS)
def skip(y: Rows, bias: Rows, bits: Bits, least: np.int16, x: Rows, counts: Counts) -> None:
    """y = x + dropout of y + bias."""
    for r in range(len(y)):
        for i in range(counts[r]):
            chance = bits[r, i * y.shape[2] : (i + 1) * y.shape[2]]
            for j in range(y.shape[2]):
                kept = y[r, i, j] + bias[r, 0, j] if chance[j] >= least else ZERO
                y[r, i, j] = x[r, i, j] + kept


@_compiled(ROWS, BITS, "int16", COUNTS, ROWS, ROWS)
def drop(pull: Rows, bits: Bits, least: np.int16, counts: Counts, kept: Rows, total: Rows) -> None:
    """kept = dropout of `pull`, and its sum over the rows."""
    for r in range(len(pull)):
        total[r] = ZERO
        for i in range(counts[r]):
            chance = bits[r, i * pull.shape[2] : (i + 1) * pull.shape[2]]
            for j in range(pull.shape[2]):
                kept[r, i, j] = pull[r, i, j] if chance[j] >= least else ZERO
            for j in range(pull.shape[2]):
                total[r, 0, j] += kept[r, i, j]
        kept[r, counts[r] :] = ZERO


@_compiled(ROWS, ROWS, ROWS, ROWS, ROWS, COUNTS)
def norm_slope(x: Rows, constant: Rows, centred: Rows, factor: Rows, beside: Rows, counts: Counts) -> None:
    """x += constant + centred factor + beside."""
    for r in range(len(x)):
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                x[r, i, j] += constant[r, 0, j] + centred[r, i, j] * factor[r, 0, j]
            for j in range(x.shape[2]):
                x[r, i, j] += beside[r, i, j]


@_compiled(MATRICES, ROWS, ANYWHERE, ANYWHERE, ANYWHERE, ROWS, ROWS)
def fold(
    weight: Rows, apart: int, scale: Rows, gain: Rows, shift: Rows, bias: Rows, folded: Rows, constant: Rows
) -> None:
    """(x scale gain + shift) weight + bias = x folded + constant."""
    for r in range(len(folded)):
        for j in range(folded.shape[2]):
            constant[r, 0, j] = bias[r, 0, j]
        for i in range(folded.shape[1]):
            start = r * apart + i * folded.shape[2]
            row = weight[start : start + folded.shape[2]]
            both, part = scale[r, 0, i] * gain[r, 0, i], shift[r, 0, i]
            for j in range(folded.shape[2]):
                folded[r, i, j] = row[j] * both
            for j in range(folded.shape[2]):
                constant[r, 0, j] += row[j] * part


@_compiled(
    *(ROWS, ROWS, MATRICES, ROWS, ANYWHERE, ANYWHERE, ROWS),
    *(MATRICES, ANYWHERE, ANYWHERE, ROWS, ROWS),
    any_order=True,
)
def unfold(
    pull: Rows,
    total: Rows,
    weight: Rows,
    apart: int,
    scale: Rows,
    gain: Rows,
    shift: Rows,
    share: Rows,
    into: Rows,
    into_apart: int,
    gain_slope: Rows,
    shift_slope: Rows,
    constant: Rows,
    factor: Rows,
) -> None:
    """Slopes of weight, gain and shift from those of `folded` and `constant`, and what the batch adds to each row's."""
    for r in range(len(pull)):
        for i in range(pull.shape[1]):
            start, into_start = r * apart + i * pull.shape[2], r * into_apart + i * pull.shape[2]
            row, out = weight[start : start + pull.shape[2]], into[into_start : into_start + pull.shape[2]]
            of_gain, of_shift = ZERO, ZERO
            for j in range(pull.shape[2]):
                of_gain += pull[r, i, j] * row[j]
                of_shift += total[r, 0, j] * row[j]
            both, part = scale[r, 0, i] * gain[r, 0, i], shift[r, 0, i]
            for j in range(pull.shape[2]):
                out[j] = pull[r, i, j] * both + total[r, 0, j] * part
            of_gain *= scale[r, 0, i]
            gain_slope[r, 0, i], shift_slope[r, 0, i] = of_gain, of_shift
            constant[r, 0, i] = -share[r, 0, 0] * both * of_shift
            factor[r, 0, i] = -share[r, 0, 0] * both * of_gain * scale[r, 0, i]


SIDE_BY_SIDE = 16
"""Generators whose steps are taken together, as vectors."""


@_compiled(WORDS, WORDS)
def random_bits(state: Words, numbers: Words) -> None:
    """Fill `numbers` (n, SIDE_BY_SIDE) with the next of generators of the kind SFC32 (Doty-Humphrey, PractRand).

    `state` (4, SIDE_BY_SIDE) holds the three words and the counter of each.
    """
    a, b, c, counter = state[0], state[1], state[2], state[3]
    for i in range(len(numbers)):
        row = numbers[i]
        for k in range(SIDE_BY_SIDE):
            number = a[k] + b[k] + counter[k]
            counter[k] += np.uint32(1)
            a[k] = b[k] ^ (b[k] >> np.uint32(9))
            b[k] = c[k] + (c[k] << np.uint32(3))
            c[k] = ((c[k] << np.uint32(21)) | (c[k] >> np.uint32(11))) + number
            row[k] = number
