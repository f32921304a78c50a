"""Rows of several problems on the device, read lane by lane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from uqalign.training.features import Features, Reader
from uqalign.training.plan import Plan, Step
from uqalign.training.rows import Indices, Rows

Batch = tuple[Step, Tensor, Tensor]
"""Rows of each lane: what they count, their features and their targets."""

READ_AHEAD = 2**20
"""Numbers that are read at once: many small steps together, large ones one by one."""


class Store:
    """The rows of several problems on the device: the features of a data set once, the targets of each problem."""

    def __init__(self, problems: Sequence[Rows], device: torch.device) -> None:
        tables = {id(rows.encoded): rows.encoded for rows in problems}
        self.device = device
        self._features = Features(list(tables.values()), device)
        targets = torch.from_numpy(np.concatenate([rows.y for rows in problems]))
        self._targets = targets.to(device, torch.get_default_dtype())
        starts = np.cumsum([0, *(rows.n_train for rows in problems)])
        self._start = {id(rows): int(start) for rows, start in zip(problems, starts, strict=False)}

    @property
    def features_bytes(self) -> int:
        """Memory of the features, however many problems share them."""
        return self._features.nbytes

    def lanes(self, rows: Sequence[Rows], columns: int) -> Lanewise:
        """Access to the problem of each lane; zeros fill its features up to `columns`."""
        reader = self._features.lanes([r.encoded for r in rows], [r.learned for r in rows], columns)
        starts = torch.tensor([self._start[id(r)] for r in rows], device=self.device).unsqueeze(1)
        return Lanewise(rows, reader, self._targets, starts)


class Lanewise:
    """The problem of each lane of a block."""

    def __init__(self, rows: Sequence[Rows], reader: Reader, targets: Tensor, starts: Tensor) -> None:
        self._rows, self._reader, self._targets, self._starts = rows, reader, targets, starts

    def numbers(self, plan: Plan) -> int:
        """How many the features of all steps of `plan` are."""
        return sum(step.weights.numel() for step in plan.steps) * self._reader.columns

    def features(self, plan: Plan, orders: Sequence[Indices]) -> Iterator[tuple[Step, Tensor]]:
        """(R, rows, columns) features per step of `plan`, the lanes' table rows `orders` dealt out."""
        dealt = plan.deal(orders)
        ahead = max(1, READ_AHEAD // (dealt[0].numel() * self._reader.columns))
        for start in range(0, len(dealt), ahead):
            several = self._reader.read(dealt[start : start + ahead])
            for step, x in zip(plan.steps[start : start + ahead], several, strict=True):
                yield step, x[:, : step.rows]

    def training(self, plan: Plan, orders: Sequence[Indices]) -> Iterator[Batch]:
        """The same, and (R, rows, ...) targets, of training rows: `orders` are positions among them."""
        dealt = plan.deal(orders) + self._starts
        y = self._targets.index_select(0, dealt.view(-1)).view(*dealt.shape, *self._targets.shape[1:])
        places = [rows.problem.train[order] for rows, order in zip(self._rows, orders, strict=True)]
        for (step, x), targets in zip(self.features(plan, places), y, strict=True):
            yield step, x, targets[:, : step.rows]
