"""Blocks of replicates on several cores: a free worker takes the next block."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import torch

from uqalign.checks import FloatArray
from uqalign.models.base import FitFailed
from uqalign.training.device import keep_freed_memory, one_thread_each
from uqalign.training.engine import train
from uqalign.training.replicate import Replicate
from uqalign.training.store import Store

Block = tuple[Sequence[Replicate], Store]
Result = tuple[FloatArray | None, FitFailed | None]


def train_blocks(blocks: Sequence[Block], workers: int, device: torch.device) -> None:
    """Train every block, `workers` at a time, each on one core.

    Threads of one process wait for each other at every small operation, which costs a third of the time; so workers
    are copies of this process where it can be copied safely.
    """
    keep_freed_memory()
    workers = min(workers, len(blocks))
    with one_thread_each():
        if workers < 2:
            for block in blocks:
                train(*block, device)
        elif can_fork():
            _in_processes(blocks, workers, device)
        else:
            _in_threads(blocks, workers, device)


def can_fork() -> bool:
    """A process that has used CUDA, or could have, cannot be copied; nor can one on systems other than Linux."""
    return sys.platform == "linux" and not torch.cuda.is_available()


def _in_threads(blocks: Sequence[Block], workers: int, device: torch.device) -> None:
    def run(block: Block) -> None:
        torch.set_num_threads(1)
        train(*block, device)

    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(run, blocks):
            pass


_inherited: tuple[Sequence[Block], torch.device] | None = None
"""In a worker process: what there is to train, which came with the copy of its parent's memory."""


def _inherit(blocks: Sequence[Block], device: torch.device) -> None:
    global _inherited
    _inherited = blocks, device
    torch.set_num_threads(1)


def _train_inherited(number: int) -> list[Result]:
    assert _inherited is not None
    blocks, device = _inherited
    train(*blocks[number], device)
    return [(replicate.output, replicate.error) for replicate in blocks[number][0]]


def _in_processes(blocks: Sequence[Block], workers: int, device: torch.device) -> None:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, context, _inherit, (blocks, device)) as pool:
        for (replicates, _), results in zip(blocks, pool.map(_train_inherited, range(len(blocks))), strict=True):
            for replicate, (output, error) in zip(replicates, results, strict=True):
                replicate.output, replicate.error = output, error
