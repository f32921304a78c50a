"""Trains a block of replicates as one tensor program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from uqalign.models.nets.network import ClosedForm, Noise, Pass, Tensors
from uqalign.training.adam import Adam
from uqalign.training.lanes import Lanes
from uqalign.training.plan import Plan, Step, epoch_plan, evaluation_plan
from uqalign.training.recipe import Recipe
from uqalign.training.replicate import Replicate
from uqalign.training.store import Lanewise, Store


@dataclass
class _Schedule:
    """What depends on which replicates are still in the block."""

    epoch: Plan
    evaluation: Plan
    rows: Lanewise
    noise: Noise

    @classmethod
    def of(cls, replicates: Sequence[Replicate], rows: Lanewise, device: torch.device) -> _Schedule:
        together = replicates[0].recipe.network.evaluation_rows
        evaluation = evaluation_plan([len(r.validation) for r in replicates], together, device)
        return cls(epoch_plan(replicates, device), evaluation, rows, Noise([r.noise for r in replicates]))


def train(replicates: Sequence[Replicate], store: Store, device: torch.device) -> None:
    """Train all `replicates` side by side until each has finished; leaves `output` or `error` in each.

    They share a recipe and a head. Those that finish leave the block.
    """
    recipe = replicates[0].recipe
    lanes = Lanes(replicates, device)
    adam = Adam(lanes.weights.values, lanes.gradients.values, recipe.optimiser, recipe.weight_decay)
    present = list(replicates)
    done = [False] * len(present)
    schedule = _Schedule.of(present, store.lanes([r.rows for r in present], lanes.columns), device)
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
            schedule = _Schedule.of(present, store.lanes([r.rows for r in present], lanes.columns), device)


def _rate(replicate: Replicate, epoch: int) -> float:
    recipe = replicate.recipe
    if recipe.cosine_epochs is None:
        return recipe.learning_rate
    return recipe.learning_rate * (1 + math.cos(math.pi * epoch / recipe.cosine_epochs)) / 2


@torch.no_grad()
def _epoch(present: Sequence[Replicate], lanes: Lanes, adam: Adam, schedule: _Schedule, rate: float) -> None:
    recipe = present[0].recipe
    batches = schedule.rows.training(schedule.epoch, [replicate.shuffle() for replicate in present])
    for step, (x, y) in zip(schedule.epoch.steps, batches, strict=True):
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
    batches = schedule.rows.training(schedule.evaluation, [replicate.validation for replicate in present])
    for step, (x, y) in zip(schedule.evaluation.steps, batches, strict=True):
        output = _output(recipe, lanes.weights.views, lanes.buffers.views, x, Pass(step.sizes))
        if recipe.score == "accuracy":
            value = torch.where(output.isfinite().all(-1), head.hits(output, y), torch.nan)
        else:
            value = -head.loss(output, y)
        total += (value.double() * (step.weights > 0)).sum(1)
    return [score / len(r.validation) for score, r in zip(total.tolist(), present, strict=True)]


@torch.no_grad()
def _predict(replicate: Replicate, lanes: Lanes, lane: int, store: Store, device: torch.device) -> np.ndarray:
    test = replicate.rows.problem.test
    plan = evaluation_plan([len(test)], replicate.recipe.network.evaluation_rows, device)
    weights, buffers = lanes.best(lane)
    outputs = []
    for step, x in zip(plan.steps, store.lanes([replicate.rows], lanes.columns).features(plan, [test]), strict=True):
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
