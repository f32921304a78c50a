"""Ties on top-k decisions, and the order of the models."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from audit_helpers import aligner
from uqalign.alignment import fold_mean
from uqalign.audit.settings import AUDITED, settings
from uqalign.audit.ties import _medians, tied_pairs, under_orders
from uqalign.families import theta_id


def test_tied_pairs(binary_measures: pd.DataFrame) -> None:
    a = aligner("binary", binary_measures)
    table = tied_pairs(a, rows=24)
    for theta, row in zip(a.thetas["top_k"], table.to_dict("records"), strict=True):
        part = binary_measures.query("kind == 'utility' and name == 'top_k' and variant == ''")
        part = part[part["theta"] == theta_id(theta)]
        means = part.groupby(["seed", "model"])["value"].agg(lambda v: fold_mean(v.to_numpy())).unstack()
        tied = [
            [abs(u - v) < 1e-12 for i, u in enumerate(line) for v in line[i + 1 :]]
            for line in means.to_numpy().tolist()
        ]
        assert row["tied"] == pytest.approx(np.mean(tied))
        assert row["all_tied"] == sum(all(seed) for seed in tied)
        assert row["k"] == int(np.ceil(24 * theta["q"]))
    assert table["tied"].max() > 0.1


def test_orders_of_models_by_hand(binary_measures: pd.DataFrame) -> None:
    a = aligner("binary", binary_measures)
    setting = next(s for s in settings("binary") if s.name == "+tau_row_order")
    orders = np.array(list(permutations(range(4))))[::5]
    for name in ("accuracy", "pwu_k"):
        values = a.metric(name, setting)[1]
        expected = []
        for order in orders:
            rank = {model: place for place, model in enumerate(order)}
            by_seed = []
            for seed in range(len(values)):
                taus = []
                for _, utility in a.utilities("top_k", setting):
                    signs = [
                        np.sign(place(values[seed], rank, i, j, a.higher_is_better[name]))
                        * np.sign(place(utility[seed], rank, i, j, True))
                        for i in range(4)
                        for j in range(i)
                    ]
                    taus.append(np.mean(signs))
                by_seed.append(np.mean(taus))
            expected.append(np.median(by_seed))
        np.testing.assert_allclose(_medians(a, name, setting, orders), expected)


def place(values: np.ndarray, rank: dict[int, int], i: int, j: int, higher: bool) -> float:
    """Positive if i comes before j."""
    if values[i] != values[j]:
        return values[i] - values[j] if higher else values[j] - values[i]
    return rank[j] - rank[i]


def test_random_orders(binary_measures: pd.DataFrame) -> None:
    table = under_orders(aligner("binary", binary_measures), AUDITED["binary"], orders=40)
    assert set(table["setting"]) == {"published", "+tau_row_order"}
    assert (table["q05"] <= table["q50"]).all()
    assert (table["q50"] <= table["q95"]).all()
    assert (table["q95"] > table["q05"]).any()
    assert table.groupby("setting")["best"].sum().tolist() == pytest.approx([1, 1])
