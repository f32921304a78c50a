"""Gaussian processes of many problems: which are fitted together, where, and what is tried when a fit fails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
from scipy.special import ndtr

from uqalign.checks import FloatArray
from uqalign.models.base import Compute, FitFailed, Problem
from uqalign.models.engines.svgp import Lane, Numerics, fit_block, padded
from uqalign.models.gp import batch_size, inducing_points
from uqalign.predictions import Prediction
from uqalign.training.device import free_memory, keep_freed_memory, lanes_per_block, one_thread_each

RUNGS = (
    Numerics(torch.float32, 1e-4),
    Numerics(torch.float64, 1e-4),
    Numerics(torch.float64, 1e-3),
    Numerics(torch.float64, 1e-2),
)
"""What is tried in turn; a lane that fails starts again on the next one."""

MOST_MEMORY = 2 * 2**30
"""Bytes for training and as many for the rows of waiting problems, where more than that is free."""

Fitted = Prediction | FitFailed


@dataclass(frozen=True)
class _Row:
    """A problem as a lane, and the way back to the target's units."""

    lane: Lane
    binary: bool
    center: float
    scale: float

    @classmethod
    def of(cls, problem: Problem) -> _Row:
        x_train, x_test = problem.arrays(scale=True)
        binary, y = problem.task == "binary", problem.y_train
        center, scale = (0.0, 1.0) if binary else (float(y.mean()), float(y.std()) or 1.0)
        return cls(Lane(x_train, (y - center) / scale, x_test, problem.seed), binary, center, scale)

    @property
    def shape(self) -> tuple[int, int]:
        rows, features = self.lane.x.shape
        return rows, padded(features)

    def prediction(self, fitted: tuple[FloatArray, FloatArray] | None) -> Fitted:
        if fitted is None:
            worst = RUNGS[-1]
            return FitFailed(
                f"the Gaussian process has no finite fit, in double precision with jitter up to {worst.jitter:g} either"
            )
        mean, variance = fitted
        if self.binary:
            return (ndtr(mean / (1 + variance) ** 0.5),)
        return self.center + self.scale * mean, self.scale**2 * variance


def lane_bytes(n: int, features: int) -> int:
    """About what training one lane takes in double precision."""
    m, b = inducing_points(n), batch_size(n)
    return 8 * (6 * m * (m + b) + 8 * m * b + 12 * m * m + 8 * m * features + 120 * b + n * features)


def fit_predict_many(
    problems: Iterable[Problem], compute: Compute, memory: int | None = None
) -> Iterator[Prediction | Exception]:
    """Predictions in order, each independent of `memory`, of the threads and of the other problems.

    Args:
        memory: bytes to use at most; default: half of what is free, 4 GiB at most.
    """
    device = torch.device(compute.device)
    budget = min(free_memory(device) // 2, 2 * MOST_MEMORY) if memory is None else memory
    window: list[_Row] = []
    for problem in problems:
        window.append(_Row.of(problem))
        if sum(row.lane.x.nbytes + row.lane.x_test.nbytes for row in window) > budget // 2:
            yield from _fit_window(window, compute, device, budget // 2)
            window = []
    yield from _fit_window(window, compute, device, budget // 2)


def _fit_window(window: Sequence[_Row], compute: Compute, device: torch.device, budget: int) -> list[Fitted]:
    """Rows of equal shape in blocks, a block at a time on each thread."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for position, row in enumerate(window):
        groups[row.shape].append(position)
    workers = 1 if device.type == "cuda" else compute.threads
    blocks: list[list[int]] = []
    for shape, group in groups.items():
        most = lanes_per_block(lane_bytes(*shape), device, budget // workers)
        # The same number of blocks for each worker, of nearly the same size.
        count = min(len(group), -(-len(group) // (most * workers)) * workers)
        blocks += [group[start::count] for start in range(count)]

    def run(block: Sequence[int]) -> list[tuple[FloatArray, FloatArray] | None]:
        torch.set_num_threads(1)
        # For this thread alone. Points far apart have covariances below 1e-38, on which some processors spend most of
        # the time of a fit with many features.
        torch.set_flush_denormal(True)
        return climb([window[position].lane for position in block], window[block[0]].binary, device)

    keep_freed_memory()
    results: list[Fitted] = [FitFailed("not fitted")] * len(window)
    with one_thread_each(), ThreadPoolExecutor(workers) as pool:
        for block, fitted in zip(blocks, pool.map(run, blocks), strict=True):
            for position, one in zip(block, fitted, strict=True):
                results[position] = window[position].prediction(one)
    return results


def climb(
    lanes: Sequence[Lane], binary: bool, device: torch.device, rungs: Sequence[Numerics] = RUNGS
) -> list[tuple[FloatArray, FloatArray] | None]:
    """Fit every lane on the first rung where it succeeds; None where it succeeds on none."""
    results = fit_block(lanes, binary=binary, numerics=rungs[0], device=device)
    failed = [r for r, result in enumerate(results) if result is None]
    if failed and len(rungs) > 1:
        for r, result in zip(failed, climb([lanes[r] for r in failed], binary, device, rungs[1:]), strict=True):
            results[r] = result
    return results
