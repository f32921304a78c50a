"""Affine maps of stacked lanes and their slopes, without a graph of operations.

On a CPU the products go through NumPy: its BLAS multiplies matrices of a few dozen rows a quarter faster than torch's
batched product, and those with one or two columns ten times as fast. Each lane is a product of its own, whose rounding
does not depend on how many there are. Overflow warns of nothing: a fit that diverges is noticed by its validation loss.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import Tensors


@np.errstate(over="ignore", invalid="ignore")
def product(x: Tensor, weight: Tensor) -> Tensor:
    """(R, n, m) from (R, n, k) and (R, k, m)."""
    if x.device.type == "cpu":
        return torch.from_numpy(np.matmul(x.numpy(), weight.numpy()))
    return torch.bmm(x, weight)


@np.errstate(over="ignore", invalid="ignore")
def product_of_columns(x: Tensor, y: Tensor, into: Tensor) -> None:
    """x' y, (R, k, m), from (R, n, k) and (R, n, m)."""
    if x.device.type == "cpu":
        np.matmul(x.numpy().transpose(0, 2, 1), y.numpy(), out=into.numpy())
    else:
        into.copy_(torch.bmm(x.transpose(1, 2), y))


def product_of_rows(y: Tensor, weight: Tensor) -> Tensor:
    """y weight', (R, n, k), from (R, n, m) and (R, k, m)."""
    turned = weight.transpose(1, 2)
    return y * turned if weight.shape[2] == 1 else torch.bmm(y, turned)


def affine(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """(R, n, m) from `x` (R, n, k): the layer `linear`."""
    return product(x, weights[f"{name}.weight"]).add_(weights[f"{name}.bias"].unsqueeze(1))


def affine_slopes(into: Tensors, name: str, x: Tensor, pull: Tensor) -> None:
    """Slopes of weight and bias, given the layer's input and the slope `pull` of its output."""
    product_of_columns(x, pull, into[f"{name}.weight"])
    torch.sum(pull, 1, out=into[f"{name}.bias"])
