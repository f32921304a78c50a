"""Passes over the rows and weights of a block: compiled for single precision on a CPU, torch's operations elsewhere.

Rows are (R, n, w) with padding of zeros; what belongs to a lane is (R, 1, w).
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets import compiled
from uqalign.models.nets.network import Mask, Sizes


def _compiles(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32


def _per_lane(like: Tensor) -> Tensor:
    return like.new_empty(len(like), 1, like.shape[2])


def _matrices(x: Tensor) -> tuple[np.ndarray, int]:
    """The numbers from the first lane's to the last one's, and how far those of two lanes are apart."""
    apart = x.stride(0)
    return x.as_strided(((len(x) - 1) * apart + x[0].numel(),), (1,)).numpy(), apart


def centre(x: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor, Tensor]:
    """Rows minus their mean, the mean and the variance."""
    if _compiles(x):
        x = x.contiguous()
        centred, mean, var = torch.empty_like(x), _per_lane(x), _per_lane(x)
        compiled.centre(x.numpy(), sizes.lengths, centred.numpy(), mean.numpy(), var.numpy())
        return centred, mean, var
    mean = x.sum(1, keepdim=True).div_(sizes.rows)
    centred = sizes.clear(x - mean)
    return centred, mean, centred.square().sum(1, keepdim=True).div_(sizes.rows)


def gelu(z: Tensor, constant: Tensor, mask: Mask | None, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """GELU of z + constant and its slope there, both zero outside `mask`; overwrites `z`."""
    if mask is not None and _compiles(z):
        y = torch.empty_like(z)
        compiled.gelu(z.numpy(), constant.numpy(), mask.bits.numpy(), np.int16(mask.least), sizes.lengths, y.numpy())
        return y, z
    z.add_(constant)
    ones = torch.ones_like(z) if mask is None else mask.ones(z)
    return F.gelu(z).mul_(ones), torch.ops.aten.gelu_backward(ones, z)


def times(x: Tensor, y: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """x y, in place of `x`, and its sum over the rows."""
    if _compiles(x):
        total = _per_lane(x)
        compiled.times(x.numpy(), y.numpy(), sizes.lengths, total.numpy())
        return x, total
    x.mul_(y)
    return x, x.sum(1, keepdim=True)


def skip(y: Tensor, bias: Tensor, mask: Mask | None, x: Tensor, sizes: Sizes) -> Tensor:
    """x + y + bias, without the latter two outside `mask`; overwrites `y`."""
    if mask is not None and _compiles(y):
        compiled.skip(y.numpy(), bias.numpy(), mask.bits.numpy(), np.int16(mask.least), x.numpy(), sizes.lengths)
        return y
    y.add_(bias)
    return sizes.clear(y if mask is None else y.mul_(mask.ones(y))).add_(x)


def drop(pull: Tensor, mask: Mask | None, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """Rows with zeros outside `mask`, and their sum."""
    if mask is not None and _compiles(pull):
        kept, total = torch.empty_like(pull), _per_lane(pull)
        compiled.drop(pull.numpy(), mask.bits.numpy(), np.int16(mask.least), sizes.lengths, kept.numpy(), total.numpy())
        return kept, total
    kept = pull if mask is None else pull * mask.ones(pull)
    return kept, kept.sum(1, keepdim=True)


def fold(weight: Tensor, scale: Tensor, gain: Tensor, shift: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """A layer y = (x scale gain + shift) weight + bias, for x (R, n, k), as y = x folded + constant."""
    if _compiles(weight):
        folded, constant = torch.empty_like(weight), weight.new_empty(len(weight), 1, weight.shape[2])
        compiled.fold(
            *_matrices(weight),
            scale.numpy(),
            gain.numpy(),
            shift.numpy(),
            bias.numpy(),
            folded.numpy(),
            constant.numpy(),
        )
        return folded, constant
    return weight * (scale * gain).transpose(1, 2), torch.baddbmm(bias, shift, weight)


def unfold(
    pull: Tensor,
    total: Tensor,
    layer: tuple[Tensor, Tensor, Tensor, Tensor],
    into: tuple[Tensor, Tensor, Tensor],
    sizes: Sizes,
) -> tuple[Tensor, Tensor]:
    """Slopes in such a layer's weight, gain and shift, for rows x that were centred.

    Args:
        pull, total: (R, k, m) and (R, 1, m) slopes in `folded` and `constant`.
        layer: weight, scale, gain and shift.
        into: where to write the slopes of weight (R, k, m), gain and shift (R, 1, k).

    Returns:
        A constant and a factor (R, 1, k): the slope in a row of x through the batch's mean and variance is the constant
        and the factor times the row.
    """
    weight, scale, gain, shift = layer
    if _compiles(weight):
        constant, factor = torch.empty_like(scale), torch.empty_like(scale)
        compiled.unfold(
            pull.numpy(),
            total.numpy(),
            *_matrices(weight),
            scale.numpy(),
            gain.numpy(),
            shift.numpy(),
            sizes.slope.numpy(),
            *_matrices(into[0]),
            into[1].numpy(),
            into[2].numpy(),
            constant.numpy(),
            factor.numpy(),
        )
        return constant, factor
    both = scale * gain
    of_gain = (pull * weight).sum(2).unsqueeze(1).mul_(scale)
    of_shift = torch.bmm(total, weight.transpose(1, 2))
    torch.mul(pull, both.transpose(1, 2), out=into[0]).addcmul_(shift.transpose(1, 2), total)
    into[1].copy_(of_gain)
    into[2].copy_(of_shift)
    share = both * -sizes.slope
    return of_shift * share, of_gain * scale * share


def norm_slope(
    x: Tensor, constant: Tensor, centred: Tensor, factor: Tensor, beside: Tensor | None, sizes: Sizes
) -> Tensor:
    """x + constant + centred factor + beside, in place of `x`."""
    if beside is not None and _compiles(x):
        compiled.norm_slope(x.numpy(), constant.numpy(), centred.numpy(), factor.numpy(), beside.numpy(), sizes.lengths)
        return x
    x = sizes.clear(x.add_(constant).addcmul_(centred, factor))
    return x if beside is None else x.add_(beside)
