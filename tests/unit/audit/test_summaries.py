"""Medians, and draws of them."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

from audit_helpers import frame
from uqalign.audit.summaries import block_of, corrected_draws, summarise_taus


def test_summary() -> None:
    values = np.array([[0.1, np.nan], [0.3, 0.2], [0.2, np.nan]])
    row = summarise_taus(frame(values, ("a", "b"))).set_index("metric")
    assert row.loc["a", "median"] == pytest.approx(0.2)
    assert row.loc["a", "q95"] == pytest.approx(np.quantile([0.1, 0.2, 0.3], 0.95))
    assert row.loc["b", ["median", "defined"]].tolist() == [0.2, 1]


def test_draws_have_the_corrected_spread() -> None:
    rng = np.random.default_rng(0)
    taus = rng.normal(size=(400, 2))
    plain = corrected_draws(taus, 10**9, name="x", draws=4000)  # nothing shared
    shared = corrected_draws(taus, 5, name="x", draws=4000)
    assert plain.std(axis=0) == pytest.approx(math.sqrt(math.pi / 2 / 400), rel=0.2)  # of a normal median
    assert shared.std(axis=0) / plain.std(axis=0) == pytest.approx([math.sqrt(1 + 400 / 4)] * 2)
    assert plain.mean(axis=0) == pytest.approx(np.median(taus, axis=0), abs=0.02)


def test_draws_share_their_seeds_and_leave_out_undefined_taus() -> None:
    rng = np.random.default_rng(1)
    taus = rng.normal(size=(9, 1))
    pair = np.hstack([taus, taus + 0.5])
    drawn = corrected_draws(pair, 5, name="x")
    assert (drawn[:, 1] - drawn[:, 0]).std() < 1e-12
    pair[3, 1] = np.nan
    holes = corrected_draws(pair, 5, name="x", draws=50)
    seeds = np.random.default_rng(zlib.crc32(b"x")).integers(0, 9, size=(50, 9))
    point = np.nanmedian(pair[:, 1])
    expected = [point + math.sqrt(1 + 9 / 4) * (np.nanmedian(pair[chosen, 1]) - point) for chosen in seeds]
    np.testing.assert_allclose(holes[:, 1], expected, atol=1e-12)
    assert np.isnan(corrected_draws(np.full((4, 1), np.nan), 5, name="x", draws=3)).all()


def test_block() -> None:
    block = block_of(frame(np.array([[0.1, 0.4]] * 3), ("a", "b")), ("b", "a", "absent"), 5)
    assert block.metrics == ("b", "a")
    assert block.at("a") == 0.1
    assert math.isnan(block.at("absent"))
    assert np.isnan(block.drawn("absent")).all()
    assert (block.drawn("b") == 0.4).all()
