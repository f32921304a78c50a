"""Trains a block of replicates as one tensor program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import ClosedForm, Noise, Pass, Tensors
from uqalign.training.adam import Adam
from uqalign.training.lanes import Lanes
from uqalign.training.plan import Step, epoch_plan, evaluation_plan
from uqalign.training.recipe import Recipe
from uqalign.training.replicate import Replicate
from uqalign.training.store import READ_AHEAD, Batch, Store


class _Schedule:
    """What depends on which replicates are still in the block."""

    def __init__(self, replicates: Sequence[Replicate], store: Store, columns: int, device: torch.device) -> None:
        self._replicates, self._rows = replicates, store.lanes([r.rows for r in replicates], columns)
        together = replicates[0].recipe.network.evaluation_rows
        self._epoch = epoch_plan(replicates, device)
        self._evaluation = evaluation_plan([r.lengths[1] for r in replicates], together, device)
        self._held: Sequence[Batch] | None = None
        self.noise = Noise([r.noise for r in replicates])

    def training(self) -> Iterable[Batch]:
        """The batches of the next epoch."""
        return self._rows.training(self._epoch, [r.shuffle() for r in self._replicates])

    def validation(self) -> Iterable[Batch]:
        """The rows held out, kept from one epoch to the next where they are few."""
        if self._held is None:
            batches = self._rows.training(self._evaluation, [r.validation for r in self._replicates])
            if self._rows.numbers(self._evaluation) > READ_AHEAD:
                return batches
            self._held = list(batches)
        # A network may overwrite what it is given.
        return ((step, x.clone(), y) for step, x, y in self._held)


def train(replicates: Sequence[Replicate], store: Store, device: torch.device) -> None:
    """Train all `replicates` side by side until each has finished; leaves `output` or `error` in each.

    They share a recipe and a head. Those that finish leave the block.
    """
    recipe = replicates[0].recipe
    lanes = Lanes(replicates, device)
    adam = Adam(lanes.weights.values, lanes.gradients.values, recipe.optimiser, recipe.weight_decay)
    present = list(replicates)
    done = [False] * len(present)
    schedule = _Schedule(present, store, lanes.columns, device)
    epoch = 0
    while True:
        _epoch(present, lanes, adam, schedule, _rate(present[0], epoch))
        epoch += 1
        scores = _scores(present, lanes, schedule)
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
        if 16 * (len(present) - len(staying)) >= len(present):
            kept = torch.tensor(staying, device=device)
            lanes.keep(kept)
            adam.keep(kept, lanes.weights.values, lanes.gradients.values)
            present, done = [present[lane] for lane in staying], [False] * len(staying)
            schedule = _Schedule(present, store, lanes.columns, device)


def _rate(replicate: Replicate, epoch: int) -> float:
    recipe = replicate.recipe
    if recipe.cosine_epochs is None:
        return recipe.learning_rate
    return recipe.learning_rate * (1 + math.cos(math.pi * epoch / recipe.cosine_epochs)) / 2


@torch.no_grad()
def _epoch(present: Sequence[Replicate], lanes: Lanes, adam: Adam, schedule: _Schedule, rate: float) -> None:
    recipe = present[0].recipe
    for step, x, y in schedule.training():
        _gradients(present[0], lanes, x, y, step, schedule.noise)
        if recipe.matrix_decay:
            lanes.decay(recipe.matrix_decay / step.sizes.rows)
        if recipe.gradient_norm is not None:
            gradients = lanes.gradients.values
            length = gradients.norm(dim=1, keepdim=True)
            gradients.mul_((recipe.gradient_norm / (length + 1e-6)).clamp_(max=1))
        adam.update(step.active, rate)


def _gradients(kind: Replicate, lanes: Lanes, x: Tensor, y: Tensor, step: Step, noise: Noise) -> None:
    """Gradients of each lane's mean loss over its rows in use."""
    network, head = kind.recipe.network, kind.rows.head
    now = Pass(step.sizes, noise)
    if isinstance(network, ClosedForm):

        def slope(output: Tensor) -> Tensor:
            return head.slope(output, y).mul_(step.weights.unsqueeze(-1))

        network.differentiate(lanes.weights.views, lanes.buffers.views, x, now, slope, lanes.gradients.views)
        return
    with torch.enable_grad():
        output = _output(kind.recipe, lanes.leaves, lanes.buffers.views, x, now)
        loss = (head.loss(output, y) * step.weights).sum()
    lanes.differentiate(loss)


def _output(recipe: Recipe, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
    kind = x.device.type
    mixed = kind in recipe.bfloat16_on and not isinstance(recipe.network, ClosedForm)
    with torch.autocast(kind, torch.bfloat16, enabled=mixed):
        output = recipe.network.forward(weights, buffers, x, now)
    return output.to(x.dtype)


@torch.no_grad()
def _scores(present: Sequence[Replicate], lanes: Lanes, schedule: _Schedule) -> list[float]:
    """Validation score per lane: accuracy or minus the mean loss; NaN where the network's output is not finite."""
    recipe, head = present[0].recipe, present[0].rows.head
    # In double precision, so that a score does not depend on how much padding was added up with it.
    total = torch.zeros(len(present), dtype=torch.float64, device=lanes.weights.values.device)
    for step, x, y in schedule.validation():
        output = _output(recipe, lanes.weights.views, lanes.buffers.views, x, Pass(step.sizes))
        if recipe.score == "accuracy":
            value = torch.where(output.isfinite().all(-1), head.hits(output, y), torch.nan)
        else:
            value = -head.loss(output, y)
        total += (value.double() * (step.weights > 0)).sum(1)
    return [score / r.lengths[1] for score, r in zip(total.tolist(), present, strict=True)]


@torch.no_grad()
def _predict(replicate: Replicate, lanes: Lanes, lane: int, store: Store, device: torch.device) -> np.ndarray:
    test = replicate.rows.problem.test
    plan = evaluation_plan([len(test)], replicate.recipe.network.evaluation_rows, device)
    weights, buffers = lanes.best(lane)
    outputs = []
    for step, x in store.lanes([replicate.rows], lanes.columns).features(plan, [test]):
        outputs.append(_output(replicate.recipe, weights, buffers, x, Pass(step.sizes))[0])
    return torch.cat(outputs).cpu().numpy().astype(np.float64)


def lane_bytes(replicate: Replicate) -> int:
    """Memory that training takes per lane, roughly: weights, gradients, moments, best state and activations."""
    recipe, outputs, columns = replicate.recipe, replicate.rows.head.outputs, replicate.rows.learned.columns
    shapes: Mapping[str, tuple[int, ...]] = {
        name: parameter.shape for name, parameter in recipe.network.parameters(columns, outputs).items()
    }
    weights = sum(int(np.prod(shape)) for shape in shapes.values())
    return 4 * (6 * weights + recipe.network.activations(replicate.batch, columns))
