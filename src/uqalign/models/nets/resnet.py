"""Residual network for tables (Gorishniy et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets import passes
from uqalign.models.nets.layers import batch_norm, batch_norm_buffers, linear, linear_parameters, norm_parameters
from uqalign.models.nets.network import Mask, Parameter, Pass, Tensors
from uqalign.models.nets.norm_linear import NormLinear
from uqalign.models.nets.products import affine, affine_slopes, product, product_of_columns, product_of_rows


@dataclass(frozen=True)
class ResNet:
    """Projection, blocks of [BatchNorm, Linear, GELU, Dropout, Linear, Dropout] with skips, BatchNorm, head."""

    width: int = 128
    blocks: int = 3
    dropout: float = 0.1

    pads_columns: ClassVar[bool] = True
    pads_rows: ClassVar[bool] = True
    evaluation_rows: ClassVar[int] = 512

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        drawn = linear_parameters("project", columns, self.width)
        for block in range(self.blocks):
            drawn |= norm_parameters(f"{block}.norm", self.width)
            drawn |= linear_parameters(f"{block}.first", self.width, self.width)
            drawn |= linear_parameters(f"{block}.second", self.width, self.width)
        return drawn | norm_parameters("norm", self.width) | linear_parameters("head", self.width, outputs)

    def buffers(self) -> dict[str, Parameter]:
        names = [f"{block}.norm" for block in range(self.blocks)] + ["norm"]
        return {key: item for name in names for key, item in batch_norm_buffers(name, self.width).items()}

    def activations(self, rows: int, columns: int) -> int:
        return rows * (columns + self.width * 10 * (self.blocks + 1))

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        x = linear(weights, "project", x)
        for block in range(self.blocks):
            y = batch_norm(weights, buffers, f"{block}.norm", x, now)
            y = now.dropout(F.gelu(linear(weights, f"{block}.first", y)), self.dropout)
            x = x + now.dropout(linear(weights, f"{block}.second", y), self.dropout)
        return linear(weights, "head", batch_norm(weights, buffers, "norm", x, now))

    def differentiate(
        self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass, slope: Callable[[Tensor], Tensor], into: Tensors
    ) -> None:
        rows = x
        x = now.sizes.clear(affine(weights, "project", rows))
        blocks = []
        for number in range(self.blocks):
            block = _Block(weights, buffers, str(number), self.dropout, now)
            x = block.forward(x)
            blocks.append(block)
        head = NormLinear(weights, buffers, "norm", "head", now.sizes)
        output, constant = head.forward(x)
        pull = slope(output.add_(constant))
        pull = head.backward(pull, pull.sum(1, keepdim=True), into)
        for block in reversed(blocks):
            pull = block.backward(pull, into)
        affine_slopes(into, "project", rows, pull)


class _Block:
    """One residual block in training; dropout's scale is in the products with the matrix between its two masks."""

    def __init__(self, weights: Tensors, buffers: Tensors, name: str, dropout: float, now: Pass) -> None:
        self._first = NormLinear(weights, buffers, f"{name}.norm", f"{name}.first", now.sizes)
        self._name, self._dropout, self._now = name, dropout, now
        self._drops = now.noise is not None and dropout > 0
        self._scale = 1 / (1 - dropout) if self._drops else 1.0
        self._weight = weights[f"{name}.second.weight"]
        self._bias = weights[f"{name}.second.bias"].unsqueeze(1) * self._scale

    def forward(self, x: Tensor) -> Tensor:
        sizes = self._now.sizes
        inner, constant = self._first.forward(x)
        self._hidden, self._steep = passes.gelu(inner, constant, self._mask(x), sizes)
        y = product(self._hidden, self._weight, self._scale**2)
        self._outer = self._mask(x)
        return passes.skip(y, self._bias, self._outer, x, sizes)

    def _mask(self, like: Tensor) -> Mask | None:
        noise = self._now.noise
        return noise.mask(like, self._dropout, self._now.sizes.counts) if noise is not None and self._drops else None

    def backward(self, pull: Tensor, into: Tensors) -> Tensor:
        """Slope of the loss in the block's input, from that in its output."""
        sizes = self._now.sizes
        kept, total = passes.drop(pull, self._outer, sizes)
        weight = into[f"{self._name}.second.weight"]
        product_of_columns(self._hidden, kept, weight, self._scale**2)
        torch.mul(total[:, 0], self._scale, out=into[f"{self._name}.second.bias"])
        slope, total = passes.times(product_of_rows(kept, self._weight, self._scale**2), self._steep, sizes)
        return self._first.backward(slope, total, into, beside=pull)
