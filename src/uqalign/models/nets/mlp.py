"""Multi-layer perceptron."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import torch
from torch import Tensor

from uqalign.models.nets.layers import linear, linear_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors
from uqalign.models.nets.products import affine, affine_slopes, product_of_rows


@dataclass(frozen=True)
class MLP:
    """Hidden layers of rectified units.

    Attributes:
        hidden: width of each hidden layer.
        initial: weights and biases uniform within sqrt(6 / (inputs + outputs)), as in scikit-learn ("glorot"), or
            within 1 / sqrt(inputs), as in torch ("fan_in").
    """

    hidden: tuple[int, ...]
    initial: Literal["glorot", "fan_in"]

    pads_columns: ClassVar[bool] = True
    pads_rows: ClassVar[bool] = True
    evaluation_rows: ClassVar[int] = 4096

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        widths = (columns, *self.hidden, outputs)
        drawn: dict[str, Parameter] = {}
        for layer, (inputs, units) in enumerate(pairwise(widths)):
            if self.initial == "fan_in":
                drawn |= linear_parameters(str(layer), inputs, units)
            else:
                bound = math.sqrt(6 / (inputs + units))
                drawn[f"{layer}.weight"] = Parameter((inputs, units), bound)
                drawn[f"{layer}.bias"] = Parameter((units,), bound)
        return drawn

    def buffers(self) -> dict[str, Parameter]:
        return {}

    def activations(self, rows: int, columns: int) -> int:
        return rows * (columns + 4 * sum(self.hidden))

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        for layer in range(len(self.hidden)):
            x = torch.relu(linear(weights, str(layer), x))
        return linear(weights, str(len(self.hidden)), x)

    def differentiate(
        self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass, slope: Callable[[Tensor], Tensor], into: Tensors
    ) -> None:
        last = len(self.hidden)
        inputs = [x]
        for layer in range(last):
            inputs.append(affine(weights, str(layer), inputs[-1]).relu_())
        pull = slope(affine(weights, str(last), inputs[-1]))
        for layer in range(last, -1, -1):
            affine_slopes(into, str(layer), inputs[layer], pull)
            if layer:
                pull = product_of_rows(pull, weights[f"{layer}.weight"])
                pull = torch.ops.aten.threshold_backward(pull, inputs[layer], 0)
