"""Problems in, predictions out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import torch

from uqalign.models.base import Compute, FitFailed, Problem
from uqalign.models.probabilities import class_probabilities
from uqalign.predictions import Prediction
from uqalign.training.device import free_memory, lanes_per_block
from uqalign.training.engine import lane_bytes
from uqalign.training.recipe import Recipe
from uqalign.training.replicate import Replicate
from uqalign.training.rows import Rows, prepare
from uqalign.training.store import Store
from uqalign.training.workers import Block, train_blocks

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
        # The other half of the budget is for training.
        if _bytes(window) > budget // 2:
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
    stores = _stores(window, device)
    _train([fit for fit in chain(*fits) if isinstance(fit, Replicate)], stores, compute, device, budget)
    for factor in recipe.retries:
        gentler = replace(recipe, learning_rate=recipe.learning_rate * factor)
        fits = [[_again(fit, gentler, device) for fit in of_problem] for of_problem in fits]
        fresh = [fit for fit in chain(*fits) if isinstance(fit, Replicate) and fit.recipe is gentler]
        _train(fresh, stores, compute, device, budget)
    for of_problem in fits:
        yield [_prediction(fit) for fit in of_problem]


def _bytes(window: Sequence[Rows]) -> int:
    """Memory for data: each table, and for each problem its targets and the order of its rows."""
    tables = {id(rows.encoded): rows.encoded for rows in window}.values()
    of_problems = sum(2 * rows.y.nbytes + 16 * rows.n_train for rows in window)
    return of_problems + sum(table.numbers.nbytes + table.codes.nbytes for table in tables)


Kind = tuple[int, int]


def _kind(rows: Rows) -> Kind:
    """Numeric and categorical columns: tables of one kind lie in one store."""
    return rows.encoded.numbers.shape[1], rows.encoded.codes.shape[1]


def _stores(window: Sequence[Rows], device: torch.device) -> dict[Kind, Store]:
    kinds: dict[Kind, list[Rows]] = defaultdict(list)
    for rows in window:
        kinds[_kind(rows)].append(rows)
    return {kind: Store(members, device) for kind, members in kinds.items()}


def _start(rows: Rows, seed: int, recipe: Recipe, device: torch.device) -> Replicate | FitFailed:
    try:
        return Replicate(rows, seed, recipe, device)
    except FitFailed as failure:
        return failure


def _again(fit: Replicate | FitFailed, recipe: Recipe, device: torch.device) -> Replicate | FitFailed:
    """A fit that diverged, from its beginning."""
    if isinstance(fit, FitFailed) or fit.error is None:
        return fit
    return Replicate(fit.rows, fit.seed, recipe, device)


def _is_certain(rows: Rows) -> bool:
    """One class in training leaves nothing to learn."""
    return len(rows.classes) == 1


def _shape(replicate: Replicate) -> tuple[Any, ...]:
    """Replicates of equal shape may share a block."""
    network, rows = replicate.recipe.network, replicate.rows
    columns = None if network.pads_columns else rows.learned.columns
    length = None if network.pads_rows else replicate.lengths
    return rows.head, _kind(rows), columns, length


def _train(
    replicates: Sequence[Replicate], stores: Mapping[Kind, Store], compute: Compute, device: torch.device, budget: int
) -> None:
    """Train replicates, those of equal shape in blocks; a free core takes the next block of whichever shape."""
    groups: dict[Any, list[Replicate]] = defaultdict(list)
    for replicate in replicates:
        if not _is_certain(replicate.rows):
            groups[_shape(replicate)].append(replicate)
    workers = 1 if device.type == "cuda" else compute.threads
    blocks: list[Block] = []
    for group in groups.values():
        most = lanes_per_block(max(map(lane_bytes, group)), device, budget // workers)
        # The same number of blocks for each worker, of nearly the same size.
        count = min(len(group), -(-len(group) // (most * workers)) * workers)
        blocks += [(group[start::count], stores[_kind(group[0].rows)]) for start in range(count)]
    train_blocks(blocks, workers, device)


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
