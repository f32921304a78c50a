"""What a network is to the training engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from uqalign.checks import FloatArray

Tensors = Mapping[str, Tensor]

MOMENTUM = 0.1
"""Weight of a batch in the running statistics of batch normalisation."""


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


Stream = np.random.SFC64 | torch.Generator


def noise_stream(seed: int, device: torch.device) -> Stream:
    """Random bits of a seed: on a CPU from NumPy's SFC64, three times as fast as torch's generator."""
    return np.random.SFC64(seed) if device.type == "cpu" else torch.Generator(device).manual_seed(seed)


class Noise:
    """Random masks from one stream of bits per lane: a lane's masks depend on its own seed and history only."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._streams = streams

    def _bits(self, length: int, needed: Sequence[int], device: torch.device) -> Tensor:
        """(R, at least length) 16-bit integers, of which the first `needed[r]` of lane r are random."""
        words = -(-length // 4)
        counts = [-(-need // 4) for need in needed]
        if device.type == "cpu":
            buffer = np.empty((len(needed), words), dtype=np.uint64)
            for row, count, stream in zip(buffer, counts, self._streams, strict=True):
                row[:count] = cast(np.random.SFC64, stream).random_raw(count)
            return torch.from_numpy(buffer.view(np.int16))
        drawn = torch.empty((len(needed), words), dtype=torch.int64, device=device)
        for lane, count, stream in zip(drawn, counts, self._streams, strict=True):
            lane[:count].random_(-(2**63), None, generator=cast(torch.Generator, stream))
        return drawn.view(torch.int16)

    def dropout(self, x: Tensor, probability: float, counts: Sequence[int]) -> Tensor:
        """`x` (R, rows, ...) with entries zeroed at random and the rest scaled to keep the mean.

        Args:
            counts: rows in use per lane; later rows are padding, for which nothing is drawn.
        """
        if probability == 0:
            return x
        return x * self.kept(x, probability, counts).mul_(1 / (1 - probability))

    def kept(self, like: Tensor, probability: float, counts: Sequence[int]) -> Tensor:
        """Ones, and zeros with `probability`, in the shape of `like` (R, rows, ...): `dropout` without its scale."""
        per_row = like[0, 0].numel()
        lane = like.shape[1] * per_row
        # Sixteen bits decide over an entry: a probability is met within 2^-17.
        bits = self._bits(lane, [count * per_row for count in counts], like.device)[:, :lane].view(like.shape)
        least = round(probability * 2**16) - 2**15
        # The same as (bits >= least), in operations that have vector instructions: four times as fast.
        return bits.clamp_(least - 1, least).sub_(least - 1).to(like.dtype)


@dataclass(frozen=True)
class Sizes:
    """Numbers of rows in use, and what batch statistics derive from them; tensors are (R, 1, 1).

    Attributes:
        counts: rows in use per lane.
        rows: the same, at least one.
        slope: 1 / rows, or zero for a lane with less than two rows, whose statistics are constants.
        unbiased: factor from the variance of the rows to the unbiased one.
        momentum: weight of this batch in running statistics.
        tail: (R, padded rows, 1) ones where a lane uses a row and zeros, for the rows beyond the shortest lane's; None
            if every row of every lane is in use.
    """

    counts: Sequence[int]
    rows: Tensor
    slope: Tensor
    unbiased: Tensor
    momentum: Tensor
    tail: Tensor | None

    @classmethod
    def of(cls, counts: Sequence[int], device: torch.device) -> Sizes:
        """Sizes of lanes with `counts` rows, padded to the longest."""

        def tensor(values: npt.ArrayLike) -> Tensor:
            return torch.tensor(np.asarray(values), dtype=torch.get_default_dtype(), device=device)

        n = np.asarray(counts)[:, None, None]
        several = n > 1
        tail = np.arange(n.min(), n.max())[:, None] < n
        return cls(
            counts=[int(count) for count in counts],
            rows=tensor(np.maximum(n, 1)),
            slope=tensor(np.where(several, 1 / np.maximum(n, 1), 0)),
            unbiased=tensor(n / np.maximum(n - 1, 1)),
            momentum=tensor(np.where(several, MOMENTUM, 0)),
            tail=tensor(tail) if tail.size else None,
        )

    def clear(self, x: Tensor) -> Tensor:
        """`x` (R, rows, width) with its padding set to zero in place."""
        if self.tail is not None:
            x[:, -self.tail.shape[1] :].mul_(self.tail)
        return x


@dataclass(frozen=True)
class Pass:
    """Circumstances of one pass through a network.

    Attributes:
        sizes: rows in use.
        noise: source of dropout masks; None in evaluation, where running statistics replace batch statistics.
    """

    sizes: Sizes
    noise: Noise | None = None

    @property
    def training(self) -> bool:
        return self.noise is not None

    def dropout(self, x: Tensor, probability: float, counts: Sequence[int] | None = None) -> Tensor:
        """Dropout in training.

        Args:
            counts: for which entries of the second axis; default: the rows in use.
        """
        return x if self.noise is None else self.noise.dropout(x, probability, counts or self.sizes.counts)


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


@runtime_checkable
class ClosedForm(Protocol):
    """A network that knows its own slopes, which spares the graph of operations that differentiation records."""

    def differentiate(
        self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass, slope: Callable[[Tensor], Tensor], into: Tensors
    ) -> None:
        """Write the slope of the loss in each weight to `into`, in the weights' shapes.

        Args:
            x: (R, rows, columns).
            slope: from the network's output to the slope of the loss in it, zero for rows that are padding.
        """
        ...
