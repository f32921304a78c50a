"""The row passes of `passes`, each compiled into one loop over memory: single precision on a CPU.

Arguments: (R, n, w) arrays of R lanes, of which the first `counts[r]` rows of lane r are in use, and (R, w) arrays with
a row for each lane. `bits` (R, at least n w) decide over dropout: an entry stays where its number is `least` or more.

Several short loops over a row are vectorised where a single one with everything in it is not.
"""

from __future__ import annotations

import numba as nb
import numpy as np

ROWS, BITS, COUNTS = "float32[:, :, ::1]", "int16[:, ::1]", "int64[::1]"
ROW, APART, MATRICES = ROWS, "float32[:, :, :]", ("float32[::1]", "int64")
F = np.float32
ZERO, HALF, ONE = F(0), F(0.5), F(1)


def _compiled(*arguments: str, any_order: bool = False):
    """One function for these types of arguments, kept on disk.

    A product and a sum may round once together; with `any_order` sums over a row may be taken in any order.
    """
    fastmath = {"contract", "reassoc"} if any_order else {"contract"}
    return nb.njit(f"void({', '.join(arguments)})", cache=True, fastmath=fastmath, error_model="numpy")


@nb.njit(inline="always")
def _exp(x):
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
    return p * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)


@nb.njit(inline="always")
def _normal(x):
    """Distribution function and density of the standard normal, to 1.5e-7 (Abramowitz & Stegun 7.1.26)."""
    e = _exp(max(x * x * F(-0.5), F(-87)))
    t = ONE / (ONE + F(0.3275911 / np.sqrt(2)) * abs(x))
    q = F(1.061405429)
    q = q * t - F(1.453152027)
    q = q * t + F(1.421413741)
    q = q * t - F(0.284496736)
    q = q * t + F(0.254829592)
    q = HALF * e * t * q
    return (q if x < ZERO else ONE - q), e * F(1 / np.sqrt(2 * np.pi))


@_compiled(ROWS, COUNTS, ROWS, ROW, ROW)
def centre(x, counts, centred, mean, var):
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


@_compiled(ROWS, ROW, BITS, "int16", COUNTS, ROWS)
def gelu(z, constant, bits, least, counts, hidden):
    """Dropout of the GELU of z + constant; its slope in `z` replaces `z`."""
    for r in range(len(z)):
        for i in range(counts[r]):
            chance = bits[r, i * z.shape[2] : (i + 1) * z.shape[2]]
            for j in range(z.shape[2]):
                z[r, i, j] += constant[r, 0, j]
            for j in range(z.shape[2]):
                below, density = _normal(z[r, i, j])
                hidden[r, i, j] = z[r, i, j] * below if chance[j] >= least else ZERO
                z[r, i, j] = below + z[r, i, j] * density if chance[j] >= least else ZERO
        hidden[r, counts[r] :] = ZERO


@_compiled(ROWS, ROWS, COUNTS, ROW)
def times(x, y, counts, total):
    """x *= y, and its sum over the rows."""
    for r in range(len(x)):
        total[r] = ZERO
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                x[r, i, j] *= y[r, i, j]
            for j in range(x.shape[2]):
                total[r, 0, j] += x[r, i, j]
        x[r, counts[r] :] = ZERO


@_compiled(ROWS, ROW, BITS, "int16", ROWS, COUNTS)
def skip(y, bias, bits, least, x, counts):
    """y = x + dropout of y + bias."""
    for r in range(len(y)):
        for i in range(counts[r]):
            chance = bits[r, i * y.shape[2] : (i + 1) * y.shape[2]]
            for j in range(y.shape[2]):
                kept = y[r, i, j] + bias[r, 0, j] if chance[j] >= least else ZERO
                y[r, i, j] = x[r, i, j] + kept
        y[r, counts[r] :] = ZERO


@_compiled(ROWS, BITS, "int16", COUNTS, ROWS, ROW)
def drop(pull, bits, least, counts, kept, total):
    """Dropout, and its sum over the rows."""
    for r in range(len(pull)):
        total[r] = ZERO
        for i in range(counts[r]):
            chance = bits[r, i * pull.shape[2] : (i + 1) * pull.shape[2]]
            for j in range(pull.shape[2]):
                kept[r, i, j] = pull[r, i, j] if chance[j] >= least else ZERO
            for j in range(pull.shape[2]):
                total[r, 0, j] += kept[r, i, j]
        kept[r, counts[r] :] = ZERO


@_compiled(ROWS, ROW, ROWS, ROW, ROWS, COUNTS)
def norm_slope(x, constant, centred, factor, pull, counts):
    """x += constant + centred factor + pull."""
    for r in range(len(x)):
        for i in range(counts[r]):
            for j in range(x.shape[2]):
                x[r, i, j] += constant[r, 0, j] + centred[r, i, j] * factor[r, 0, j]
            for j in range(x.shape[2]):
                x[r, i, j] += pull[r, i, j]
        x[r, counts[r] :] = ZERO


@_compiled(*MATRICES, ROW, APART, APART, APART, ROWS, ROW)
def fold(weight, apart, scale, gain, shift, bias, folded, constant):
    """V = s g W and d = b W + c of `norm_linear`; the matrices W of neighbouring lanes lie `apart` numbers apart."""
    for r in range(len(folded)):
        for j in range(folded.shape[2]):
            constant[r, 0, j] = bias[r, 0, j]
        for i in range(folded.shape[1]):
            start = r * apart + i * folded.shape[2]
            row = weight[start : start + folded.shape[2]]
            factor, part = scale[r, 0, i] * gain[r, 0, i], shift[r, 0, i]
            for j in range(folded.shape[2]):
                folded[r, i, j] = row[j] * factor
            for j in range(folded.shape[2]):
                constant[r, 0, j] += row[j] * part


@_compiled(ROWS, ROW, *MATRICES, ROW, APART, APART, APART, *MATRICES, APART, APART, ROW, ROW, any_order=True)
def unfold(
    pull, total, weight, apart, scale, gain, shift, share, into, into_apart, gain_slope, shift_slope, constant, factor
):
    """Slopes of W, g and b from those of V and d, and what the batch statistics add to the slope of each row."""
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


@_compiled("uint32[:, ::1]", "uint32[:, ::1]")
def random_bits(state, numbers):
    """Fill `numbers` (n, SIDE_BY_SIDE) with the next of generators of Doty-Humphrey's SFC32 (PractRand).

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
