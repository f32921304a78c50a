"""Two convolutional networks, of sufficient and of deliberately insufficient capacity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets.layers import linear, linear_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors

KERNEL = 3


@dataclass(frozen=True)
class CNN:
    """Convolutions of 3 x 3 with stride 2 and rectified units, a hidden layer, and one output per class.

    Pictures come as rows of channels x height x width numbers.

    Attributes:
        shape: (channels, height, width) of a picture.
        channels: of each convolution.
        hidden: units of the layer before the output; 0: none.
    """

    shape: tuple[int, int, int]
    channels: tuple[int, ...]
    hidden: int

    pads_columns: ClassVar[bool] = False
    pads_rows: ClassVar[bool] = True
    evaluation_rows: ClassVar[int] = 1000

    @property
    def _flat(self) -> int:
        _, height, width = self.shape
        for _ in self.channels:
            height, width = -(-height // 2), -(-width // 2)
        return height * width * (self.channels or self.shape[:1])[-1]

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        drawn: dict[str, Parameter] = {}
        inputs = self.shape[0]
        for layer, units in enumerate(self.channels):
            bound = 1 / math.sqrt(inputs * KERNEL**2)
            drawn[f"{layer}.weight"] = Parameter((units, inputs, KERNEL, KERNEL), bound)
            drawn[f"{layer}.bias"] = Parameter((units,), bound)
            inputs = units
        width = self._flat
        if self.hidden:
            drawn |= linear_parameters("hidden", width, self.hidden)
            width = self.hidden
        return drawn | linear_parameters("head", width, outputs)

    def buffers(self) -> dict[str, Parameter]:
        return {}

    def activations(self, rows: int, columns: int) -> int:
        _, height, width = self.shape
        total = columns
        for units in self.channels:
            height, width = -(-height // 2), -(-width // 2)
            total += 3 * units * height * width
        return rows * (total + 2 * self.hidden)

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        lanes, rows = x.shape[:2]
        x = x.view(lanes, rows, *self.shape)
        for layer in range(len(self.channels)):
            x = torch.relu(convolve(x, weights[f"{layer}.weight"], weights[f"{layer}.bias"]))
        x = x.reshape(lanes, rows, -1)
        if self.hidden:
            x = torch.relu(linear(weights, "hidden", x))
        return linear(weights, "head", x)


def convolve(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(R, rows, inputs, height, width) to (R, rows, outputs, height / 2, width / 2), rounded up."""
    if x.device.type != "cpu":
        return convolve_together(x, weight, bias)
    # A call per lane is the faster on a CPU, and its numbers do not depend on the other lanes.
    lanes = zip(x.unbind(), weight.unbind(), bias.unbind(), strict=True)
    return torch.stack([F.conv2d(*lane, stride=2, padding=1) for lane in lanes])


def convolve_together(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The same as one grouped convolution."""
    lanes, rows, inputs, height, width = x.shape
    stacked = x.transpose(0, 1).reshape(rows, lanes * inputs, height, width)
    kernels = weight.reshape(-1, *weight.shape[2:])
    out = F.conv2d(stacked, kernels, bias.reshape(-1), stride=2, padding=1, groups=lanes)
    return out.view(rows, lanes, -1, *out.shape[2:]).transpose(0, 1)


def network(shape: tuple[int, int, int], *, small: bool) -> CNN:
    """The study's network for pictures of this shape; `small`: the under-capacity one."""
    return CNN(shape, (4,), 0) if small else CNN(shape, (16, 32), 64)
