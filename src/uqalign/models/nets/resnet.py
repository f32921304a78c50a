"""Residual network for tables (Gorishniy et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets.layers import batch_norm, batch_norm_buffers, linear, linear_parameters, norm_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors


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
