"""Affine maps of stacked lanes and their slopes, without a graph of operations.

On a CPU products with a narrow matrix, such as a network's first and last, go through NumPy, whose BLAS takes half the
time of torch's there. Which is taken depends on the weights' shape alone, so that a lane's rounding does not depend on
the rows or the number of its neighbours. Overflow warns of nothing: a fit that diverges is noticed by its validation
loss.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import Tensors

NARROW = 32
"""Columns or rows of a weight matrix below which NumPy multiplies with it."""


def _for_numpy(weight: Tensor) -> bool:
    return weight.device.type == "cpu" and min(weight.shape[1:]) < NARROW


@np.errstate(over="ignore", invalid="ignore")
def product(x: Tensor, weight: Tensor, factor: float = 1) -> Tensor:
    """factor x weight, (R, n, m), from (R, n, k) and (R, k, m)."""
    if _for_numpy(weight):
        y = torch.from_numpy(np.matmul(x.numpy(), weight.numpy()))
        return y if factor == 1 else y.mul_(factor)
    return _scaled(x, weight, factor)


@np.errstate(over="ignore", invalid="ignore")
def product_of_columns(x: Tensor, y: Tensor, into: Tensor, factor: float = 1) -> None:
    """factor x' y, (R, k, m), from (R, n, k) and (R, n, m)."""
    if _for_numpy(into):
        np.matmul(x.numpy().transpose(0, 2, 1), y.numpy(), out=into.numpy())
        if factor != 1:
            into.mul_(factor)
    else:
        into.baddbmm_(x.transpose(1, 2), y, beta=0, alpha=factor)


def product_of_rows(y: Tensor, weight: Tensor, factor: float = 1) -> Tensor:
    """factor y weight', (R, n, k), from (R, n, m) and (R, k, m)."""
    turned = weight.transpose(1, 2)
    return y * (turned * factor) if weight.shape[2] == 1 else _scaled(y, turned, factor)


def _scaled(x: Tensor, y: Tensor, factor: float) -> Tensor:
    return torch.bmm(x, y) if factor == 1 else torch.baddbmm(x.new_empty(1), x, y, beta=0, alpha=factor)


def affine(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """(R, n, m) from `x` (R, n, k): the layer `linear`."""
    return product(x, weights[f"{name}.weight"]).add_(weights[f"{name}.bias"].unsqueeze(1))


def affine_slopes(into: Tensors, name: str, x: Tensor, pull: Tensor) -> None:
    """Slopes of weight and bias, given the layer's input and the slope `pull` of its output."""
    product_of_columns(x, pull, into[f"{name}.weight"])
    torch.sum(pull, 1, out=into[f"{name}.bias"])
