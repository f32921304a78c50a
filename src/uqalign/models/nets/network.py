"""What a network is to the training engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import torch
from torch import Tensor

from uqalign.checks import FloatArray

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True)
class Parameter:
    """Shape and initial distribution of one weight: uniform on [-bound, bound], or constant where bound is 0."""

    shape: tuple[int, ...]
    bound: float = 0.0
    value: float = 0.0

    def draw(self, rng: np.random.RandomState) -> FloatArray:
        if self.bound:
            return rng.uniform(-self.bound, self.bound, self.shape)
        return np.full(self.shape, self.value)


class Bits:
    """A stream of random bits with a seed of its own.

    On a CPU it is NumPy's SFC64, three times as fast as torch's generator, which serves the other devices.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self._numpy = np.random.SFC64(seed) if device.type == "cpu" else None
        self._torch = None if self._numpy else torch.Generator(device).manual_seed(seed)

    def fill(self, words: Tensor) -> None:
        """Overwrite `words` (n,) int64 with the next 64 n bits."""
        if self._numpy:
            words.copy_(torch.from_numpy(self._numpy.random_raw(len(words)).view(np.int64)))
        else:
            words.random_(-(2**63), None, generator=self._torch)


class Noise:
    """Random masks from one stream of bits per lane: a lane's masks depend on its own seed and history only."""

    def __init__(self, streams: Sequence[Bits]) -> None:
        self._streams = streams

    def dropout(self, x: Tensor, probability: float, counts: Sequence[int]) -> Tensor:
        """`x` (R, rows, ...) with entries zeroed at random and the rest scaled to keep the mean.

        Args:
            counts: rows in use per lane; later rows are padding, for which nothing is drawn.
        """
        if probability == 0:
            return x
        per_row = x[0, 0].numel()
        lane = x.shape[1] * per_row
        # Sixteen bits decide over an entry: a probability is met within 2^-17.
        words = torch.empty((x.shape[0], -(-lane // 4)), dtype=torch.int64, device=x.device)
        for row, count, stream in zip(words, counts, self._streams, strict=True):
            stream.fill(row[: -(-count * per_row // 4)])
        bits = words.view(torch.int16)[:, :lane].view(x.shape)
        least = round(probability * 2**16) - 2**15
        # The same as (bits >= least), in operations that have vector instructions: four times as fast.
        kept = bits.clamp_(least - 1, least).to(x.dtype).sub_(least - 1)
        return x * kept.mul_(1 / (1 - probability))


@dataclass(frozen=True)
class Pass:
    """Circumstances of one pass through a network.

    Attributes:
        counts: rows in use per lane.
        sizes: (R, 1, 1) the same as numbers, at least one.
        noise: source of dropout masks; None in evaluation, where running statistics replace batch statistics.
        used: (R, rows, 1) ones and zeros, or None if every row of every lane is in use.
    """

    counts: Sequence[int]
    sizes: Tensor
    noise: Noise | None = None
    used: Tensor | None = None

    @property
    def training(self) -> bool:
        return self.noise is not None

    def dropout(self, x: Tensor, probability: float) -> Tensor:
        return x if self.noise is None else self.noise.dropout(x, probability, self.counts)


class Network(Protocol):
    """An architecture; its weights live in the engine.

    Attributes:
        pads_columns: feature columns of zeros, with weights of zero, leave the output as it is.
        pads_rows: rows beyond a lane's own leave the output of its rows as it is.
        evaluation_rows: rows evaluated together; matters to the result only where rows attend to each other.
    """

    pads_columns: ClassVar[bool]
    pads_rows: ClassVar[bool]
    evaluation_rows: ClassVar[int]

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        """Trained weights by name, in the order in which they are drawn."""
        ...

    def buffers(self) -> dict[str, Parameter]:
        """State that training updates without gradients."""
        ...

    def activations(self, rows: int, columns: int) -> int:
        """Numbers kept per lane between the forward and the backward pass, roughly."""
        ...

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        """(R, rows, outputs) from `x` (R, rows, columns)."""
        ...
