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

    def zeros(self) -> Stack:
        """A stack of zeros of the same shapes."""
        return Stack(self._shapes, torch.zeros_like(self.values))

    def take(self, other: Stack, lanes: Sequence[int]) -> None:
        """Overwrite `lanes` with those of `other`."""
        torch._foreach_copy_([self.values[lane] for lane in lanes], [other.values[lane] for lane in lanes])


class Lanes:
    """Weights and buffers of a block, now and at each replicate's best epoch.

    Attributes:
        columns: of the features, the most that any lane has.
    """

    def __init__(self, replicates: Sequence[Replicate], device: torch.device) -> None:
        network, self.columns = replicates[0].recipe.network, max(r.rows.learned.columns for r in replicates)
        shapes = {
            name: parameter.shape
            for name, parameter in network.parameters(self.columns, replicates[0].rows.head.outputs).items()
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
        self.gradients = self.weights.zeros()

    def differentiate(self, loss: Tensor) -> None:
        """Write the gradients of `loss`, a sum over lanes, to `gradients`."""
        slopes = torch.autograd.grad(loss, list(self.leaves.values()))
        torch.cat([slope.flatten(1) for slope in slopes], dim=1, out=self.gradients.values[:, : self._size])

    def decay(self, share: Tensor) -> None:
        """Add `share` (R, 1, 1) of each matrix to its gradient; biases are exempt."""
        for name, weight in self.weights.views.items():
            if weight.ndim == 3:
                self.gradients.views[name].addcmul_(weight, share)

    def remember(self, lanes: Sequence[int]) -> None:
        """The present state of `lanes` is their best."""
        if lanes:
            self.best_weights.take(self.weights, lanes)
            self.best_buffers.take(self.buffers, lanes)

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
