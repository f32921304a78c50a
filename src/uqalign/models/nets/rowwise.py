"""Passes over the rows of a block, fused where the device allows: compiled on a CPU, torch's operations elsewhere.

The compiled ones take single precision. Rows are (R, n, w) with padding of zeros; what belongs to a lane is (R, 1, w).
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


def _row(x: Tensor) -> np.ndarray:
    return x[:, 0].numpy()


def centre(x: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor, Tensor]:
    """Rows minus their mean, the mean and the variance."""
    if _compiles(x):
        centred, mean, var = torch.empty_like(x), _per_lane(x), _per_lane(x)
        compiled.centre(x.numpy(), sizes.lengths, centred.numpy(), _row(mean), _row(var))
        return centred, mean, var
    mean = x.sum(1, keepdim=True).div_(sizes.rows)
    centred = sizes.clear(x - mean)
    return centred, mean, centred.square().sum(1, keepdim=True).div_(sizes.rows)


def gelu(z: Tensor, constant: Tensor, mask: Mask | None, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """GELU of z + constant and its slope there, both zero outside `mask`; overwrites `z`."""
    if mask is not None and _compiles(z):
        y = torch.empty_like(z)
        compiled.gelu(z.numpy(), _row(constant), mask.bits.numpy(), np.int16(mask.least), sizes.lengths, y.numpy())
        return y, z
    z.add_(constant)
    ones = torch.ones_like(z) if mask is None else mask.ones(z)
    return F.gelu(z).mul_(ones), torch.ops.aten.gelu_backward(ones, z)


def times(x: Tensor, y: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """x y, in place of `x`, and its sum over the rows."""
    if _compiles(x):
        total = _per_lane(x)
        compiled.times(x.numpy(), y.numpy(), sizes.lengths, _row(total))
        return x, total
    x.mul_(y)
    return x, x.sum(1, keepdim=True)


def skip(y: Tensor, bias: Tensor, mask: Mask | None, x: Tensor, sizes: Sizes) -> Tensor:
    """x + y + bias, without the latter two outside `mask`; overwrites `y`."""
    if mask is not None and _compiles(y):
        compiled.skip(y.numpy(), _row(bias), mask.bits.numpy(), np.int16(mask.least), x.numpy(), sizes.lengths)
        return y
    y.add_(bias)
    return sizes.clear(y if mask is None else y.mul_(mask.ones(y))).add_(x)


def drop(pull: Tensor, mask: Mask | None, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """Rows with zeros outside `mask`, and their sum."""
    if mask is not None and _compiles(pull):
        kept, total = torch.empty_like(pull), _per_lane(pull)
        compiled.drop(pull.numpy(), mask.bits.numpy(), np.int16(mask.least), sizes.lengths, kept.numpy(), _row(total))
        return kept, total
    kept = pull if mask is None else pull * mask.ones(pull)
    return kept, kept.sum(1, keepdim=True)


def norm_slope(x: Tensor, constant: Tensor, centred: Tensor, factor: Tensor, pull: Tensor | None, sizes: Sizes) -> Tensor:
    """x + constant + centred factor + pull, in place of `x`."""
    if pull is not None and _compiles(x):
        compiled.norm_slope(x.numpy(), _row(constant), centred.numpy(), _row(factor), pull.numpy(), sizes.lengths)
        return x
    x = sizes.clear(x.add_(constant).addcmul_(centred, factor))
    return x if pull is None else x.add_(pull)
