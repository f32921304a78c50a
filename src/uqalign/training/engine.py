"""Trains a block of replicates as one tensor program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import Noise, Pass
from uqalign.training.adam import Adam
from uqalign.training.lanes import Lanes
from uqalign.training.plan import Plan, epoch_plan, evaluation_plan
from uqalign.training.replicate import Replicate
from uqalign.training.rows import Rows


class Store:
    """The rows of several problems on the device, each problem's once however many replicates read them."""

    def __init__(self, tables: Sequence[Rows], device: torch.device) -> None:
        total = sum(len(rows.x) for rows in tables)
        self.columns = max(rows.x.shape[1] for rows in tables)
        x = torch.zeros(total, self.columns)
        y = torch.zeros(total, *tables[0].y.shape[1:])
        self._start: dict[int, int] = {}
        start = 0
        for rows in tables:
            x[start : start + len(rows.x), : rows.x.shape[1]] = torch.from_numpy(rows.x)
            y[start : start + rows.n_train] = torch.from_numpy(rows.y)
            self._start[id(rows)] = start
            start += len(rows.x)
        self.x, self.y = x.to(device), y.to(device)

    def start(self, rows: Rows) -> int:
        """Position of the first row of a problem."""
        return self._start[id(rows)]

    def read(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """(R, rows, columns) features and (R, rows, ...) targets at `positions` (R, rows)."""
        flat = positions.reshape(-1)
        x = self.x.index_select(0, flat).view(*positions.shape, self.columns)
        return x, self.y.index_select(0, flat).view(*positions.shape, *self.y.shape[1:])


@dataclass
class _Schedule:
    """What depends on which replicates are still in the block."""

    epoch: Plan
    evaluation: Plan
    validation: Tensor
    noise: Noise

    @classmethod
    def of(cls, replicates: Sequence[Replicate], store: Store, device: torch.device) -> _Schedule:
        rows = replicates[0].recipe.network.evaluation_rows
        evaluation = evaluation_plan([len(r.validation) for r in replicates], rows, device)
        positions = [store.start(r.rows) + r.validation for r in replicates]
        noise = Noise([r.noise for r in replicates])
        return cls(epoch_plan(replicates, device), evaluation, evaluation.deal(positions), noise)


def train(replicates: Sequence[Replicate], store: Store, device: torch.device) -> None:
    """Train all `replicates` side by side until each has finished; leaves `output` or `error` in each.

    They share a recipe, a head and the columns of the store. Those that finish leave the block.
    """
    recipe = replicates[0].recipe
    lanes = Lanes(replicates, store.columns, device)
    adam = Adam(lanes.weights.values, lanes.gradients, recipe.optimiser, recipe.weight_decay)
    present = list(replicates)
    done = [False] * len(present)
    schedule = _Schedule.of(present, store, device)
    epoch = 0
    while True:
        _epoch(present, lanes, adam, schedule, store, _rate(present[0], epoch))
        epoch += 1
        scores = _scores(present, lanes, schedule, store)
        running = [lane for lane, replicate in enumerate(present) if not done[lane]]
        lanes.remember([lane for lane in running if present[lane].end_epoch(scores[lane])])
        for lane in running:
            if present[lane].finished:
                done[lane] = True
                if present[lane].error is None:
                    present[lane].output = _predict(present[lane], lanes, lane, store, device)
        staying = [lane for lane in running if not done[lane]]
        if not staying:
            return
        # Leaving costs a copy of the block, so lanes leave in groups.
        if 8 * (len(present) - len(staying)) >= len(present):
            kept = torch.tensor(staying, device=device)
            lanes.keep(kept)
            adam.keep(kept, lanes.weights.values, lanes.gradients)
            present, done = [present[lane] for lane in staying], [False] * len(staying)
            schedule = _Schedule.of(present, store, device)


def _rate(replicate: Replicate, epoch: int) -> float:
    recipe = replicate.recipe
    if recipe.cosine_epochs is None:
        return recipe.learning_rate
    return recipe.learning_rate * (1 + math.cos(math.pi * epoch / recipe.cosine_epochs)) / 2


def _epoch(
    present: Sequence[Replicate], lanes: Lanes, adam: Adam, schedule: _Schedule, store: Store, rate: float
) -> None:
    recipe, head = present[0].recipe, present[0].rows.head
    positions = schedule.epoch.deal([store.start(r.rows) + r.shuffle() for r in present])
    for step, dealt in zip(schedule.epoch.steps, positions, strict=True):
        x, y = store.read(dealt[:, : step.rows])
        now = Pass(step.sizes, schedule.noise)
        output = recipe.network.forward(lanes.leaves, lanes.buffers.views, x, now)
        loss = (head.loss(output, y) * step.weights).sum()
        decay = recipe.matrix_decay / step.sizes.rows if recipe.matrix_decay else None
        gradients = lanes.differentiate(loss, decay)
        if recipe.gradient_norm is not None:
            length = gradients.norm(dim=1, keepdim=True)
            gradients.mul_((recipe.gradient_norm / (length + 1e-6)).clamp_(max=1))
        adam.update(step.active, rate)


@torch.no_grad()
def _scores(present: Sequence[Replicate], lanes: Lanes, schedule: _Schedule, store: Store) -> list[float]:
    """Validation score per lane: accuracy or minus the mean loss; NaN where the network's output is not finite."""
    recipe, head = present[0].recipe, present[0].rows.head
    # In double precision, so that a score does not depend on how much padding was added up with it.
    total = torch.zeros(len(present), dtype=torch.float64, device=store.x.device)
    for step, dealt in zip(schedule.evaluation.steps, schedule.validation, strict=True):
        x, y = store.read(dealt[:, : step.rows])
        output = recipe.network.forward(lanes.weights.views, lanes.buffers.views, x, Pass(step.sizes))
        if recipe.score == "accuracy":
            value = torch.where(output.isfinite().all(-1), head.hits(output, y), torch.nan)
        else:
            value = -head.loss(output, y)
        total += (value.double() * (step.weights > 0)).sum(1)
    return [score / len(r.validation) for score, r in zip(total.tolist(), present, strict=True)]


@torch.no_grad()
def _predict(replicate: Replicate, lanes: Lanes, lane: int, store: Store, device: torch.device) -> np.ndarray:
    rows = replicate.rows
    positions = np.arange(store.start(rows) + rows.n_train, store.start(rows) + len(rows.x))
    plan = evaluation_plan([len(positions)], replicate.recipe.network.evaluation_rows, device)
    weights, buffers = lanes.best(lane)
    outputs = []
    for step, dealt in zip(plan.steps, plan.deal([positions]), strict=True):
        x, _ = store.read(dealt[:, : step.rows])
        outputs.append(replicate.recipe.network.forward(weights, buffers, x, Pass(step.sizes))[0])
    return torch.cat(outputs).cpu().numpy().astype(np.float64)


def lane_bytes(replicate: Replicate, columns: int) -> int:
    """Memory that training takes per lane, roughly: weights, gradients, moments, best state and activations."""
    recipe, outputs = replicate.recipe, replicate.rows.head.outputs
    shapes: Mapping[str, tuple[int, ...]] = {
        name: parameter.shape for name, parameter in recipe.network.parameters(columns, outputs).items()
    }
    weights = sum(int(np.prod(shape)) for shape in shapes.values())
    return 4 * (6 * weights + recipe.network.activations(replicate.batch, columns))
