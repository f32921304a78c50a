"""The stacked weights of a block of replicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import Parameter
from uqalign.training.replicate import Replicate

ALIGNMENT = 16
"""Lanes start at multiples of this many numbers, so that vector instructions treat each alike."""


class Stack:
    """Named arrays of every lane in one matrix, a row per lane, seen through a view per name."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], values: Tensor) -> None:
        self._shapes, self.values = shapes, values
        self.views: dict[str, Tensor] = {}
        start = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.views[name] = values[:, start : start + size].view(len(values), *shape)
            start += size

    @classmethod
    def of(
        cls,
        lanes: Sequence[Mapping[str, np.ndarray]],
        shapes: Mapping[str, tuple[int, ...]],
        device: torch.device,
    ) -> Stack:
        """Stack `lanes`; arrays smaller than their shape are filled up with zeros at the end of each axis."""
        size = sum(int(np.prod(shape)) for shape in shapes.values())
        stack = cls(shapes, torch.zeros(len(lanes), -(-size // ALIGNMENT) * ALIGNMENT))
        for row, lane in enumerate(lanes):
            for name, view in stack.views.items():
                corner = tuple(slice(length) for length in lane[name].shape)
                view[row][corner] = torch.from_numpy(lane[name])
        return cls(shapes, stack.values.to(device))

    def keep(self, lanes: Tensor) -> Stack:
        """A stack of these lanes alone, in this order."""
        return Stack(self._shapes, self.values.index_select(0, lanes))

    def copy(self) -> Stack:
        """A stack of its own with the same values."""
        return Stack(self._shapes, self.values.clone())

    def take(self, other: Stack, lanes: Tensor) -> None:
        """Overwrite `lanes` with those of `other`."""
        self.values.index_copy_(0, lanes, other.values.index_select(0, lanes))


class Lanes:
    """Weights and buffers of a block, now and at each replicate's best epoch."""

    def __init__(self, replicates: Sequence[Replicate], columns: int, device: torch.device) -> None:
        network = replicates[0].recipe.network
        shapes = {
            name: parameter.shape
            for name, parameter in network.parameters(columns, replicates[0].rows.head.outputs).items()
        }
        self.weights = Stack.of([replicate.weights for replicate in replicates], shapes, device)
        buffers: Mapping[str, Parameter] = network.buffers()
        constant = {name: np.full(buffer.shape, buffer.value) for name, buffer in buffers.items()}
        self.buffers = Stack.of(
            [constant] * len(replicates), {name: buffer.shape for name, buffer in buffers.items()}, device
        )
        self.best_weights, self.best_buffers = self.weights.copy(), self.buffers.copy()
        self._size = sum(view[0].numel() for view in self.weights.views.values())
        self._follow()

    def _follow(self) -> None:
        self.leaves = {name: view.detach().requires_grad_() for name, view in self.weights.views.items()}
        self.gradients = torch.zeros_like(self.weights.values)

    def differentiate(self, loss: Tensor, matrix_decay: Tensor | None) -> Tensor:
        """(R, P) gradients of `loss`, a sum over lanes; `matrix_decay` (R, 1, 1) times each matrix is added."""
        slopes = torch.autograd.grad(loss, list(self.leaves.values()))
        with torch.no_grad():
            if matrix_decay is not None:
                for slope, weight in zip(slopes, self.leaves.values(), strict=True):
                    if weight.ndim == 3:
                        slope.addcmul_(weight, matrix_decay)
            torch.cat([slope.flatten(1) for slope in slopes], dim=1, out=self.gradients[:, : self._size])
        return self.gradients

    def remember(self, lanes: Sequence[int]) -> None:
        """The present state of `lanes` is their best."""
        if lanes:
            chosen = torch.tensor(lanes, device=self.weights.values.device)
            self.best_weights.take(self.weights, chosen)
            self.best_buffers.take(self.buffers, chosen)

    def best(self, lane: int) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Weights and buffers of one lane at its best epoch, as a block of one."""
        return tuple(  # type: ignore[return-value]
            {name: view[lane : lane + 1] for name, view in stack.views.items()}
            for stack in (self.best_weights, self.best_buffers)
        )

    def keep(self, lanes: Tensor) -> None:
        """Drop all lanes but these."""
        self.weights, self.buffers = self.weights.keep(lanes), self.buffers.keep(lanes)
        self.best_weights, self.best_buffers = self.best_weights.keep(lanes), self.best_buffers.keep(lanes)
        self._follow()
