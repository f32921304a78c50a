"""FT-Transformer: a transformer over feature tokens (Gorishniy et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from uqalign.models.nets.attention import encoder_layer, encoder_parameters, token_parameters, tokens
from uqalign.models.nets.layers import linear, linear_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors


@dataclass(frozen=True)
class FTTransformer:
    """Feature tokens and a classification token through post-norm encoder layers; the head reads the latter."""

    width: int = 64
    heads: int = 4
    layers: int = 3
    dropout: float = 0.1

    pads_columns: ClassVar[bool] = False
    pads_rows: ClassVar[bool] = True
    evaluation_rows: ClassVar[int] = 512

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        drawn = token_parameters(columns, self.width)
        for layer in range(self.layers):
            drawn |= encoder_parameters(str(layer), self.width)
        return drawn | linear_parameters("head", self.width, outputs)

    def buffers(self) -> dict[str, Parameter]:
        return {}

    def activations(self, rows: int, columns: int) -> int:
        length = columns + 1
        return rows * length * self.layers * (28 * self.width + 4 * self.heads * length)

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        y = tokens(weights, x)
        for layer in range(self.layers):
            last = layer == self.layers - 1
            y = encoder_layer(weights, str(layer), y, heads=self.heads, dropout=self.dropout, now=now, only_first=last)
        return linear(weights, "head", y[:, :, 0])
