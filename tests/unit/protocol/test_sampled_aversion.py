"""The mean over draws by crossings is that of ranking the rows anew for each draw."""

from __future__ import annotations

import numpy as np
import pytest

from uqalign.protocol.sampled_aversion import Rows, sampled_utility


def rows(n: int, seed: int, *, twins: int = 0, rounded: bool = False) -> Rows:
    rng = np.random.default_rng(seed)
    mean, var = 3 * rng.normal(size=n), rng.gamma(2, 0.5, size=n)
    if rounded:
        mean, var = np.round(mean), np.round(4 * var) / 4
    left, right = rng.integers(0, n, twins), rng.integers(0, n, twins)
    mean[left], var[left] = mean[right], var[right]
    return Rows(mean + rng.normal(size=n), mean, var, var + rng.normal(size=n))


def by_ranking(r: Rows, k: np.ndarray, gamma: np.ndarray, argsort: bool) -> float:
    """Each draw's rows sorted anew; without argsort, averaged over all orders of the tied rows."""
    total = 0.0
    for count, g in zip(k, gamma, strict=True):
        score, payoff = r.mean - g * r.var, r.y - g * r.charged
        if argsort:
            total += payoff[np.argsort(-score)[:count]].mean()
            continue
        left, value = float(count), 0.0
        for level in np.unique(score)[::-1]:
            block = payoff[score == level]
            value += block.mean() * min(left, len(block))
            left -= min(left, len(block))
        total += value / count
    return total / len(k)


@pytest.mark.parametrize("argsort", [True, False])
@pytest.mark.parametrize(
    ("n", "twins", "rounded"), [(1, 0, False), (2, 1, False), (30, 0, False), (30, 6, False), (60, 40, True)]
)
def test_agrees_with_ranking_every_draw(n: int, twins: int, rounded: bool, argsort: bool) -> None:
    rng = np.random.default_rng(n)
    k, gamma = rng.integers(1, n + 1, 400), rng.gamma(1, 1, 400)
    for seed in range(3):
        r = rows(n, seed, twins=twins, rounded=rounded)
        expected = by_ranking(r, k, gamma, argsort)
        assert sampled_utility(r, k, gamma, argsort=argsort) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_blocks_of_lines_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    r = rows(40, 1, twins=5)
    rng = np.random.default_rng(0)
    k, gamma = rng.integers(1, 41, 200), rng.gamma(1, 1, 200)
    whole = sampled_utility(r, k, gamma, argsort=True)
    monkeypatch.setattr("uqalign.protocol.sampled_aversion.PAIRS_AT_ONCE", 120)
    assert sampled_utility(r, k, gamma, argsort=True) == pytest.approx(whole, rel=1e-14)
