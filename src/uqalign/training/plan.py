"""Which rows each lane sees in each step of an epoch, and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import Sizes
from uqalign.training.replicate import Replicate
from uqalign.training.rows import Indices


@dataclass(frozen=True)
class Step:
    """One gradient step of a block, or one chunk of rows to evaluate.

    Attributes:
        sizes: rows in use per lane; a lane without rows sits the step out.
        active: lanes with rows.
        weights: (R, rows) one over the lane's rows in use, zero for padding.
    """

    sizes: Sizes
    active: list[int]
    weights: Tensor

    @classmethod
    def of(cls, counts: np.ndarray, device: torch.device) -> Step:
        weights = (np.arange(counts.max()) < counts[:, None]) / np.maximum(counts, 1)[:, None]
        return cls(
            sizes=Sizes.of(counts.tolist(), device),
            active=[int(lane) for lane in np.flatnonzero(counts)],
            weights=torch.tensor(weights, dtype=torch.get_default_dtype(), device=device),
        )

    @property
    def rows(self) -> int:
        return self.weights.shape[1]


class Plan:
    """How rows are dealt out: `batches[r]` rows of lane r per step, `lengths[r]` in all."""

    def __init__(self, lengths: Sequence[int], batches: Sequence[int], device: torch.device) -> None:
        self._batches = np.asarray(batches)
        self._steps = [-(-length // batch) for length, batch in zip(lengths, batches, strict=True)]
        number = np.arange(max(self._steps))[:, None]
        counts = np.clip(np.asarray(lengths) - number * self._batches, 0, self._batches)
        self.steps = [Step.of(row, device) for row in counts]
        self._device = device

    def deal(self, orders: Sequence[Indices]) -> Tensor:
        """(steps, R, rows) positions from each lane's rows in order; padding repeats a row of the lane."""
        dealt = np.empty((len(self.steps), len(orders), int(self._batches.max())), dtype=np.int64)
        for lane, (order, steps, batch) in enumerate(zip(orders, self._steps, self._batches, strict=True)):
            dealt[:, lane] = order[0]
            missing = steps * batch - len(order)
            filled = np.concatenate([order, np.full(missing, order[0])]) if missing else order
            dealt[:steps, lane, :batch] = filled.reshape(steps, batch)
        return torch.from_numpy(dealt).to(self._device)


def epoch_plan(replicates: Sequence[Replicate], device: torch.device) -> Plan:
    """Gradient steps of one epoch."""
    return Plan([r.lengths[0] for r in replicates], [r.batch for r in replicates], device)


def evaluation_plan(lengths: Sequence[int], rows: int, device: torch.device) -> Plan:
    """Chunks of at most `rows` rows, in row order."""
    return Plan(lengths, [min(rows, length) for length in lengths], device)
