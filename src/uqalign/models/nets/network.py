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
from uqalign.models.nets import compiled

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


Stream = npt.NDArray[np.uint32] | torch.Generator


def noise_stream(seed: int, device: torch.device) -> Stream:
    """Random bits of a seed: on a CPU from generators side by side, four times as fast as torch's one."""
    if device.type != "cpu":
        return torch.Generator(device).manual_seed(seed)
    state = np.ones((4, compiled.SIDE_BY_SIDE), dtype=np.uint32)
    state[:3] = np.random.SeedSequence(seed).generate_state(3 * compiled.SIDE_BY_SIDE).reshape(3, -1)
    compiled.random_bits(state, np.empty((WARMING_UP, compiled.SIDE_BY_SIDE), np.uint32))
    return state


WARMING_UP = 15
"""Numbers to leave out until a generator's state is well mixed."""


class Noise:
    """Random masks from one stream of bits per lane: a lane's masks depend on its own seed and history only."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._streams = streams

    def _bits(self, length: int, needed: Sequence[int], device: torch.device) -> Tensor:
        """(R, at least length) 16-bit integers, of which the first `needed[r]` of lane r are random."""
        if device.type == "cpu":
            at_once = 2 * compiled.SIDE_BY_SIDE
            buffer = np.empty((len(needed), -(-length // at_once), compiled.SIDE_BY_SIDE), dtype=np.uint32)
            for row, need, stream in zip(buffer, needed, self._streams, strict=True):
                compiled.random_bits(cast(npt.NDArray[np.uint32], stream), row[: -(-need // at_once)])
            return torch.from_numpy(buffer.view(np.int16).reshape(len(needed), -1))
        words = -(-length // 4)
        counts = [-(-need // 4) for need in needed]
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
        return x * self.mask(x, probability, counts).ones(x).mul_(1 / (1 - probability))

    def mask(self, like: Tensor, probability: float, counts: Sequence[int]) -> Mask:
        """Which entries of `like` (R, rows, ...) stay when each is dropped with `probability`."""
        per_row = like[0, 0].numel()
        bits = self._bits(like.shape[1] * per_row, [count * per_row for count in counts], like.device)
        return Mask(bits, round(probability * 2**16) - 2**15)


@dataclass(frozen=True)
class Mask:
    """Random choice of entries, met within 2^-17 of its probability: sixteen bits decide over each.

    Attributes:
        bits: (R, at least as many as a lane has) 16-bit integers.
        least: an entry stays where its integer is this or more.
    """

    bits: Tensor
    least: int

    def ones(self, like: Tensor) -> Tensor:
        """Ones where entries of `like` (R, rows, ...) stay, zeros elsewhere."""
        bits = self.bits[:, : like[0].numel()].view(like.shape)
        # The same as (bits >= least), in operations that have vector instructions: four times as fast.
        return bits.clamp(self.least - 1, self.least).sub_(self.least - 1).to(like.dtype)


@dataclass(frozen=True)
class Sizes:
    """Numbers of rows in use, and what batch statistics derive from them; tensors are (R, 1, 1).

    Attributes:
        counts: rows in use per lane.
        lengths: the same as an array.
        rows: the same, at least one.
        slope: 1 / rows, or zero for a lane with less than two rows, whose statistics are constants.
        unbiased: factor from the variance of the rows to the unbiased one.
        momentum: weight of this batch in running statistics.
        tail: (R, padded rows, 1) ones where a lane uses a row and zeros, for the rows beyond the shortest lane's; None
            if every row of every lane is in use.
    """

    counts: Sequence[int]
    lengths: npt.NDArray[np.int64]
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
            lengths=np.asarray(counts, dtype=np.int64),
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
