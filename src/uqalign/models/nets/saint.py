"""SAINT: attention between features and between samples (Somepalli et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from uqalign.models.nets.attention import (
    attention,
    attention_parameters,
    encoder_layer,
    encoder_parameters,
    token_parameters,
    tokens,
)
from uqalign.models.nets.layers import layer_norm, linear, linear_parameters, norm_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors


@dataclass(frozen=True)
class SAINT:
    """Encoder layers over the feature tokens, each followed by attention of every token to the same token of the
    other rows of the batch; a final layer norm, and a head on the classification token.

    Evaluation takes 512 rows at a time in row order, since rows evaluated together see each other.
    """

    width: int = 64
    heads: int = 4
    layers: int = 3
    dropout: float = 0.1

    pads_columns: ClassVar[bool] = False
    pads_rows: ClassVar[bool] = False
    evaluation_rows: ClassVar[int] = 512

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        drawn = token_parameters(columns, self.width)
        for layer in range(self.layers):
            drawn |= encoder_parameters(str(layer), self.width)
            drawn |= norm_parameters(f"{layer}.samples.norm", self.width)
            drawn |= attention_parameters(f"{layer}.samples", self.width)
        return drawn | norm_parameters("norm", self.width) | linear_parameters("head", self.width, outputs)

    def buffers(self) -> dict[str, Parameter]:
        return {}

    def activations(self, rows: int, columns: int) -> int:
        length = columns + 1
        return rows * length * self.layers * (36 * self.width + 4 * self.heads * (length + rows))

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        y = tokens(weights, x)
        for layer in range(self.layers):
            last = layer == self.layers - 1
            y = encoder_layer(weights, str(layer), y, heads=self.heads, dropout=self.dropout, now=now, only_first=last)
            y = y + self._between_samples(weights, f"{layer}.samples", y, now)
        return linear(weights, "head", layer_norm(weights, "norm", y[:, :, 0]))

    def _between_samples(self, weights: Tensors, name: str, x: Tensor, now: Pass) -> Tensor:
        columns = layer_norm(weights, f"{name}.norm", x).transpose(1, 2)
        mixed = attention(
            weights,
            name,
            columns,
            columns,
            heads=self.heads,
            dropout=self.dropout,
            now=now,
            sets_are_rows=False,
        )
        return mixed.transpose(1, 2)
