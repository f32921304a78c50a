"""Which device, how much memory of it, and how many threads."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits

from uqalign.errors import UserError

CPU_BLOCK = 64 * 2**20
MOST_LANES = {"cpu": 32, "cuda": 256}
"""Bytes and lanes of a block beyond which more lanes save no time: asking for an operation is cheap beside doing it."""

MMAP_THRESHOLD, TRIM_THRESHOLD = -3, -1
"""Names of two settings of the GNU C library's allocator."""


def choose_device(wanted: str) -> str:
    """ "cpu" or "cuda" for a wish of "auto", "cpu" or "cuda".

    Raises:
        UserError: another wish, or "cuda" on a machine without a usable one.
    """
    if wanted not in ("auto", "cpu", "cuda"):
        raise UserError(f"device {wanted!r}: choose auto, cpu or cuda")
    if wanted == "cpu" or (wanted == "auto" and not torch.cuda.is_available()):
        return "cpu"
    if not torch.cuda.is_available():
        raise UserError(
            "device 'cuda': torch sees no CUDA device; install a CUDA build of torch, check CUDA_VISIBLE_DEVICES, "
            "or choose cpu"
        )
    return "cuda"


def free_memory(device: torch.device) -> int:
    """Bytes that may be asked for on `device` now."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def lanes_per_block(bytes_per_lane: int, device: torch.device, budget: int) -> int:
    """Replicates that one tensor program takes: as many as help and fit `budget` bytes, at least one."""
    target = budget if device.type == "cuda" else min(budget, CPU_BLOCK)
    return max(1, min(MOST_LANES[device.type], target // bytes_per_lane))


def keep_freed_memory() -> None:
    """Let this process reuse freed blocks of megabytes instead of handing them back to the system each time.

    Every step of training frees and asks for the same blocks; faulting their pages in again takes up to a fifth of
    the time. Elsewhere than with the GNU C library nothing happens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, 2**28)
        mallopt(TRIM_THRESHOLD, 2**30)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Within, an operation runs on the thread that asks for it; other threads must enter for themselves."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(before)
