"""Moving blocks of test days."""

from __future__ import annotations

import numpy as np
import pytest

from uqalign.cases.electricity.bootstrap import block_draws


@pytest.mark.parametrize("block", [1, 3, 7, 31])
def test_draws_are_blocks_of_consecutive_days(block: int) -> None:
    draws = block_draws(31, draws=50, block_days=block)
    assert draws.shape == (50, 31)
    assert draws.min() >= 0
    assert draws.max() <= 30
    for draw in draws:
        for first in range(0, 31, block):
            part = draw[first : first + block]
            np.testing.assert_array_equal(part, (part[0] + np.arange(len(part))) % 31)


def test_every_day_is_drawn_equally_often() -> None:
    for block in (1, 7):
        counts = np.bincount(block_draws(31, draws=4000, block_days=block).ravel(), minlength=31)
        # The cut of the last block favours no day: starts are uniform on the circle.
        assert np.abs(counts / 4000 - 1).max() < 0.15


def test_draws_depend_on_nothing_but_their_arguments() -> None:
    np.testing.assert_array_equal(block_draws(31, draws=5, block_days=1), block_draws(31, draws=5, block_days=1))
    np.testing.assert_array_equal(block_draws(31, draws=5, block_days=1)[:3], block_draws(31, draws=3, block_days=1))
    assert (block_draws(31, draws=5, block_days=1) != block_draws(31, draws=5, block_days=1, seed=1)).any()


def test_longer_blocks_spread_the_mean_of_a_trend_more() -> None:
    trend = np.sin(np.arange(31) / 31 * 2 * np.pi)
    short, long = (trend[block_draws(31, draws=2000, block_days=b)].mean(axis=1).std() for b in (1, 7))
    assert long > 1.5 * short


def test_a_block_of_the_whole_period_is_every_day_once() -> None:
    for draw in block_draws(10, draws=20, block_days=10):
        assert sorted(draw) == list(range(10))


@pytest.mark.parametrize(
    ("n", "draws", "block", "message"),
    [(0, 1, 1, "positive"), (5, 0, 1, "positive"), (5, 1, 0, "block_days"), (5, 1, 6, "the 5 test days, got 6")],
)
def test_impossible_draws_are_refused(n: int, draws: int, block: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        block_draws(n, draws=draws, block_days=block)
