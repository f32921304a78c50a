"""Who selects best for whom: what each monitor's epoch loses against the best epoch, by every outcome."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from uqalign.superiority.inference import compare, holm
from uqalign.superiority.study import CELL, OUTCOMES

if TYPE_CHECKING:
    import pandas as pd

COMPARED = {
    "NLL": ("penalised", "log", "zero"),
    "Brier": ("penalised", "brier", "zero"),
    "Brier, infimal penalty": ("penalised", "brier", "supercritical"),
    "Brier, published penalty": ("penalised", "brier", "published"),
    "log, infimal penalty": ("penalised", "log", "supercritical"),
    "error rate": ("plain", "", "error"),
    "macro-F1": ("plain", "", "macro_f1"),
    "ECE": ("plain", "", "ece"),
    "PWU": ("plain", "", "pwu"),
}
"""Monitors by title; the first is what the others are compared with."""

REFERENCE = next(iter(COMPARED))


def regrets(selections: pd.DataFrame) -> pd.DataFrame:
    """Loss of the kept epoch against the best epoch of the same run, per outcome.

    Returns:
        columns dataset, regime, seed, mode, monitor, outcome, regret (0: the best epoch was kept; in the outcome's
        units, never negative).
    """
    import pandas as pd

    parts = []
    for title, key in COMPARED.items():
        rows = selections
        for column, value in zip(("kind", "base", "point"), key, strict=True):
            rows = rows[rows[column] == value]
        for name, sign in OUTCOMES.items():
            regret = sign * (rows[f"best_{name}"] - rows[name])
            parts.append(rows[[*CELL, "seed", "mode"]].assign(monitor=title, outcome=name, regret=regret))
    return pd.concat(parts, ignore_index=True)


def monitor_table(regret: pd.DataFrame, mode: str = "checkpointing") -> pd.DataFrame:
    """Mean regret of every monitor by outcome over cells, and how it differs from that of the reference.

    The unit is a cell: seeds are averaged within it.

    Returns:
        columns outcome, monitor, cells, regret, and the fields of `Comparison` for the difference to the reference
        monitor's regret (negative: this monitor loses less), with Holm-adjusted signed-rank p-values per outcome.
    """
    import pandas as pd

    chosen = regret[regret["mode"] == mode]
    by_cell = chosen.groupby(["outcome", "monitor", *CELL], sort=False)["regret"].mean().unstack("monitor")
    rows = []
    for outcome, block in by_cell.groupby(level="outcome", sort=False):
        for monitor in COMPARED:
            gap = compare((block[monitor] - block[REFERENCE]).to_numpy())
            row = {"outcome": outcome, "monitor": monitor, "regret": float(block[monitor].mean())}
            rows.append({**row, **dataclasses.asdict(gap)})
    table = pd.DataFrame(rows).rename(columns={"n": "cells"})
    table["wilcoxon_holm"] = table.groupby("outcome", sort=False)["wilcoxon"].transform(lambda p: holm(p.tolist()))
    return table
