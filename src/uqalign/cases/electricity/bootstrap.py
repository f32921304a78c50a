"""Draws of test days by moving blocks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def block_draws(n_days: int, *, draws: int, block_days: int, seed: int = 0) -> npt.NDArray[np.intp]:
    """Days of every bootstrap draw: blocks of consecutive days that start anywhere, day by day with equal chance.

    A block that reaches the end goes on at the beginning, so that every day is drawn equally often in expectation; the
    last block is cut to the number of days. Politis and Romano (1992).

    Args:
        n_days: days of the test period, also the days per draw.
        draws: number of draws.
        block_days: length of a block; 1 draws days independently.
        seed: of the generator; block lengths do not share draws.

    Returns:
        (draws, n_days) positions 0..n_days-1.

    Raises:
        ValueError: lengths that are not positive, or a block longer than the period.
    """
    if n_days < 1 or draws < 1:
        raise ValueError(f"n_days and draws must be positive, got {n_days} and {draws}")
    if not 1 <= block_days <= n_days:
        raise ValueError(f"block_days must lie between 1 and the {n_days} test days, got {block_days}")
    rng = np.random.default_rng(seed)
    blocks = -(-n_days // block_days)
    starts = rng.integers(0, n_days, size=(draws, blocks))
    days = (starts[:, :, None] + np.arange(block_days)) % n_days
    return days.reshape(draws, -1)[:, :n_days].astype(np.intp)
