"""Problems in, predictions out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from uqalign.models.base import Compute, FitFailed, Problem
from uqalign.models.probabilities import class_probabilities
from uqalign.predictions import Prediction
from uqalign.training.device import free_memory, keep_freed_memory, lanes_per_block, one_thread_each
from uqalign.training.engine import Store, lane_bytes, train
from uqalign.training.recipe import Recipe
from uqalign.training.replicate import Replicate
from uqalign.training.rows import Rows, prepare

Fitted = Prediction | FitFailed


def fit_networks(
    problems: Iterable[Problem],
    compute: Compute,
    recipe: Recipe,
    seeds: Callable[[Problem], Sequence[int]] = lambda problem: (problem.seed,),
    memory: int | None = None,
) -> Iterator[list[Fitted]]:
    """Fit a network per problem and seed; yield each problem's predictions, one per seed, in order.

    The numbers depend on the problem and the seed alone: not on `memory`, on `compute.threads` or on which other
    problems there are.

    Args:
        memory: bytes to use at most; default: half of what is free on the device.
    """
    device = torch.device(compute.device)
    budget = free_memory(device) // 2 if memory is None else memory
    window: list[Rows] = []
    for problem in problems:
        window.append(prepare(problem))
        # Rows are held twice, as prepared and in the store; the other half of the budget is for training.
        if 2 * sum(rows.x.nbytes for rows in window) > budget // 2:
            yield from _fit_window(window, compute, recipe, seeds, device, budget // 2)
            window = []
    yield from _fit_window(window, compute, recipe, seeds, device, budget // 2)


def _fit_window(
    window: Sequence[Rows],
    compute: Compute,
    recipe: Recipe,
    seeds: Callable[[Problem], Sequence[int]],
    device: torch.device,
    budget: int,
) -> Iterator[list[Fitted]]:
    fits = [[_start(rows, seed, recipe, device) for seed in seeds(rows.problem)] for rows in window]
    groups: dict[Any, list[Replicate]] = defaultdict(list)
    for fit in (fit for of_problem in fits for fit in of_problem):
        if isinstance(fit, Replicate) and not _is_certain(fit.rows):
            groups[_shape(fit)].append(fit)
    _train(list(groups.values()), compute, device, budget)
    for of_problem in fits:
        yield [_prediction(fit) for fit in of_problem]


def _start(rows: Rows, seed: int, recipe: Recipe, device: torch.device) -> Replicate | FitFailed:
    try:
        return Replicate(rows, seed, recipe, device)
    except FitFailed as failure:
        return failure


def _is_certain(rows: Rows) -> bool:
    """One class in training leaves nothing to learn."""
    return len(rows.classes) == 1


def _shape(replicate: Replicate) -> tuple[Any, ...]:
    """Replicates of equal shape may share a block."""
    network, rows = replicate.recipe.network, replicate.rows
    columns = None if network.pads_columns else rows.x.shape[1]
    length = None if network.pads_rows else (len(replicate.fit), len(replicate.validation))
    return rows.head, columns, length


def _train(groups: Sequence[Sequence[Replicate]], compute: Compute, device: torch.device, budget: int) -> None:
    """Train all replicates, those of a group in blocks; a free core takes the next block of whichever group."""
    workers = 1 if device.type == "cuda" else compute.threads
    blocks: list[tuple[Sequence[Replicate], Store]] = []
    for group in groups:
        store = Store(list({id(replicate.rows): replicate.rows for replicate in group}.values()), device)
        per_lane = max(lane_bytes(replicate, store.columns) for replicate in group)
        most = lanes_per_block(per_lane, device, budget // workers)
        # The same number of blocks for each worker, of nearly the same size.
        count = min(len(group), -(-len(group) // (most * workers)) * workers)
        blocks += [(group[start::count], store) for start in range(count)]
    keep_freed_memory()

    def run(block: tuple[Sequence[Replicate], Store]) -> None:
        torch.set_num_threads(1)
        train(*block, device)

    with one_thread_each(), ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(run, blocks):
            pass


def _prediction(fit: Replicate | FitFailed) -> Fitted:
    if isinstance(fit, FitFailed):
        return fit
    if _is_certain(fit.rows):
        return class_probabilities(np.ones((len(fit.rows.problem.test), 1)), fit.rows.classes, fit.rows.problem)
    if fit.output is None:
        return fit.error or FitFailed("training ended without a result")
    try:
        return fit.rows.prediction(fit.output)
    except FitFailed as failure:
        return failure
