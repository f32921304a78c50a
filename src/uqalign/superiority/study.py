"""What the selected epochs are worth on the test pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.superiority.measures import MEASURES
from uqalign.superiority.selection import MODES, monitors, selected_epoch

if TYPE_CHECKING:
    import pandas as pd

CELL = ["dataset", "regime"]
MONITOR = ["kind", "base", "point"]

OUTCOMES = {"macro_f1": 1, "pwu": -1, "utility": 1, "ece": -1, "log": -1, "brier": -1, "error": -1}
"""Measures that a selected epoch is judged by on the test pictures: 1 where higher is better, -1 where lower is."""

INFORMATIVE_BELOW = 0.90
"""A cell whose validation macro-F1 reaches this leaves the penalty too few errors to matter."""

MEASURE_COLUMNS = ["dataset", "regime", "classes", "seed", "epoch", "part", *MEASURES]
"""One row per seed, epoch and part ("validation", "test")."""


def select(measures: pd.DataFrame, patience: int) -> pd.DataFrame:
    """The epoch that each monitor keeps in each run, and its measures.

    Args:
        measures: rows as `MEASURE_COLUMNS`.
        patience: of simulated early stopping, in epochs.

    Returns:
        columns dataset, regime, classes, seed, mode, kind, base, point, penalty, epoch; the outcomes on the test
        pictures by name; `best_<outcome>`, the best of any epoch; `at_<measure>`, validation measures of the epoch.
    """
    import pandas as pd

    rows = []
    for (dataset, regime, seed), run in measures.groupby([*CELL, "seed"], sort=False):
        ordered = run.sort_values("epoch")
        validation = ordered[ordered["part"] == "validation"]
        test = ordered[ordered["part"] == "test"]
        classes = int(run["classes"].iloc[0])
        values = {name: validation[name].to_numpy() for name in MEASURES}
        judged = {name: test[name].to_numpy() for name in OUTCOMES}
        best = {f"best_{name}": float((sign * judged[name]).max() * sign) for name, sign in OUTCOMES.items()}
        for mode in MODES:
            for monitor in monitors(classes):
                at = selected_epoch(monitor.watch(values), mode, patience)
                rows.append(
                    {
                        "dataset": dataset,
                        "regime": regime,
                        "classes": classes,
                        "seed": seed,
                        "mode": mode,
                        "kind": monitor.kind,
                        "base": monitor.base,
                        "point": monitor.point,
                        "penalty": monitor.penalty,
                        "epoch": int(validation["epoch"].iloc[at]),
                        **{name: float(values_[at]) for name, values_ in judged.items()},
                        **best,
                        **{f"at_{name}": float(values[name][at]) for name in ("margin", "near_tie", "error")},
                    }
                )
    return pd.DataFrame(rows)


def cells(measures: pd.DataFrame, selections: pd.DataFrame) -> pd.DataFrame:
    """Which cells can tell penalties apart, and how often forecasts are close to a tie there.

    Returns:
        columns dataset, regime, classes, seeds, macro_f1 (validation, best epoch, mean over seeds), informative, and
        margin, near_tie, fire (share of validation pictures that are penalised) at the epoch that the supercritical
        Brier score keeps.
    """
    validation = measures[measures["part"] == "validation"]
    best = validation.groupby([*CELL, "classes", "seed"], sort=False)["macro_f1"].max()
    table = best.groupby([*CELL, "classes"], sort=False).agg(seeds="size", macro_f1="mean").reset_index()
    table["informative"] = table["macro_f1"] < INFORMATIVE_BELOW
    kept = _of(selections, "penalised", "brier", "supercritical")
    kept = kept[kept["mode"] == "checkpointing"]
    at = kept.groupby(CELL, sort=False)[["at_margin", "at_near_tie", "at_error"]].mean().reset_index()
    at.columns = [*CELL, "margin", "near_tie", "fire"]
    return table.merge(at, on=CELL)


def frontier(selections: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """Outcomes along the penalty grid, averaged over cells that share a number of classes.

    Args:
        selections: output of `select`.
        chosen: the cells to average over (rows of `cells`).

    Returns:
        columns classes, mode, base, point, penalty, cells, and per outcome its mean over cells and `<outcome>_sd`,
        the standard deviation over seeds within a cell, averaged over cells.
    """
    grid = selections[selections["kind"] == "penalised"].merge(chosen[CELL], on=CELL)
    keys = ["classes", "mode", "base", "point"]
    names = [*OUTCOMES, "epoch"]
    within = grid.groupby([*keys, *CELL], sort=False)[names]
    means, deviations = within.mean(), within.std(ddof=1).add_suffix("_sd")
    table = means.join(deviations).groupby(keys, sort=False).mean()
    table.insert(0, "cells", within.size().groupby(keys, sort=False).size())
    table.insert(0, "penalty", grid.groupby(keys, sort=False)["penalty"].first())
    return table.reset_index()


def baselines(selections: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """Outcomes of the mixtures and of measures monitored on their own, averaged over all `chosen` cells."""
    others = selections[selections["kind"] != "penalised"].merge(chosen[CELL], on=CELL)
    by_cell = others.groupby(["mode", "kind", "point", *CELL], sort=False)[list(OUTCOMES)].mean()
    return by_cell.groupby(["mode", "kind", "point"], sort=False).mean().reset_index()


def agreement(selections: pd.DataFrame) -> pd.DataFrame:
    """How often a mixture keeps the epoch that a penalised score keeps, over all runs and both modes.

    Weight 0 is the Brier score itself; weight 1 is the error rate, which a large penalty approximates.
    """
    import pandas as pd

    unit = [*CELL, "seed", "mode"]
    rows = []
    for weight, base, point in (("0", "brier", "zero"), ("1", "brier", "limit"), ("1", "log", "limit")):
        mixture = _of(selections, "mixture", "brier", weight).set_index(unit)["epoch"]
        penalised = _of(selections, "penalised", base, point).set_index(unit)["epoch"]
        same = mixture == penalised.reindex(mixture.index)
        rows.append((weight, base, point, int(same.sum()), len(same)))
    return pd.DataFrame(rows, columns=["weight", "base", "point", "same", "runs"])


def stability(selections: pd.DataFrame, points: Sequence[str] = ("zero", "supercritical", "published")) -> pd.DataFrame:
    """Standard deviation over seeds of the epoch kept by the Brier grid under checkpointing, a row per cell."""
    grid = selections[
        (selections["kind"] == "penalised") & (selections["base"] == "brier") & (selections["mode"] == "checkpointing")
    ]
    wide = grid[grid["point"].isin(points)].pivot_table(
        index=CELL, columns="point", values="epoch", aggfunc=lambda epochs: np.std(epochs, ddof=1), sort=False
    )
    return wide[list(points)].reset_index()


def _of(selections: pd.DataFrame, kind: str, base: str, point: str) -> pd.DataFrame:
    return selections[(selections["kind"] == kind) & (selections["base"] == base) & (selections["point"] == point)]
