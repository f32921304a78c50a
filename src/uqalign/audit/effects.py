"""What each switch does to the tables: to every cell, and to the order of the metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.agreement import kendall_tau_b
from uqalign.audit.settings import DEFINITIONS, PUBLISHED, Direction, alone, left_out, measurable
from uqalign.audit.statements import LEVEL
from uqalign.audit.text import markdown_table, number

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.tasks import Task

CELL = ["dataset", "family", "metric"]
NOTICEABLE = 0.005
"""A change of a median below this is invisible in a table of two decimals."""


def effects(summary: pd.DataFrame, tasks: Mapping[str, Task]) -> pd.DataFrame:
    """The change of each cell's median tau by each switch.

    Args:
        summary: output of `summarise_taus`.
        tasks: task of each data set.

    Returns:
        columns switch, direction ("alone": turned on in the definitions; "left out": what it adds to the published
        protocol), dataset, family, metric, before, after, change.
    """
    import pandas as pd

    medians = summary.set_index([*CELL, "setting"])["median"].unstack("setting")
    # Unstacking sorts; the tables keep the order of families and metrics.
    medians = medians.reindex(pd.MultiIndex.from_frame(summary[CELL].drop_duplicates()))
    frames = []
    for dataset, task in tasks.items():
        if dataset not in medians.index.get_level_values("dataset"):
            continue
        block = medians.loc[[dataset]]
        for switch in measurable(task):
            pairs: dict[Direction, tuple[str, str]] = {
                "alone": (DEFINITIONS, alone(switch.id)),
                "left out": (left_out(switch.id), PUBLISHED),
            }
            for direction, (before, after) in pairs.items():
                part = pd.DataFrame({"before": block[before], "after": block[after]}).reset_index()
                frames.append(part.assign(switch=switch.id, direction=direction))
    columns = ["switch", "direction", *CELL, "before", "after"]
    table = pd.concat(frames, ignore_index=True)[columns]
    return table.assign(change=table["after"] - table["before"])


def rankings(changes: pd.DataFrame) -> pd.DataFrame:
    """What each switch does to the order of the metrics of each data set and family.

    Args:
        changes: output of `effects`.

    Returns:
        columns switch, direction, dataset, family, agreement (Kendall's tau-b of the metrics' medians before and
        after), best_before, best_after (names, joined where several share the highest median), largest, mean (of the
        absolute changes), cells, changed (cells that change noticeably).
    """
    import pandas as pd

    keys = ["switch", "direction", "dataset", "family"]
    rows: list[dict[str, Any]] = []
    for key, part in changes.groupby(keys, sort=False):
        size = part["change"].abs()
        rows.append(
            dict(zip(keys, key, strict=True))
            | {
                "agreement": kendall_tau_b(part["before"].to_numpy(), part["after"].to_numpy()),
                "best_before": _best(part, "before"),
                "best_after": _best(part, "after"),
                "largest": size.max(),
                "mean": size.mean(),
                "cells": int(size.notna().sum()),
                "changed": int((size >= NOTICEABLE).sum()),
            }
        )
    return pd.DataFrame(rows)


def _best(part: pd.DataFrame, column: str) -> str:
    return ", ".join(part.loc[part[column] >= part[column].max() - LEVEL, "metric"])


def switches_markdown(changes: pd.DataFrame, orders: pd.DataFrame, published: Mapping[str, str]) -> str:
    """One line a switch: cells it moves, how far, and whether another metric becomes the best.

    Args:
        changes, orders: outputs of `effects` and `rankings`.
        published: what each switch does, by id.
    """
    lines = []
    for switch in dict.fromkeys(orders["switch"]):
        line = [f"`{switch}`", published[str(switch)]]
        for direction in ("alone", "left out"):
            cells = changes[(changes["switch"] == switch) & (changes["direction"] == direction)]["change"].abs()
            order = orders[(orders["switch"] == switch) & (orders["direction"] == direction)]
            moved = int((cells >= NOTICEABLE).sum())
            turned = int((order["best_before"] != order["best_after"]).sum())
            agreement = float(np.nanmedian(order["agreement"])) if order["agreement"].notna().any() else math.nan
            line += [
                f"{moved} of {int(cells.notna().sum())}",
                f"{number(cells.mean())} / {number(cells.max())}",
                number(agreement),
                f"{turned} of {len(order)}",
            ]
        lines.append(line)
    head = ["cells", "change: mean / largest", "order of metrics", "best metric changes"]
    return markdown_table(
        ["switch", "published behaviour", *(f"{name}: {text}" for name in ("alone", "on top") for text in head)], lines
    )


def turned_markdown(orders: pd.DataFrame) -> str:
    """Where a switch, turned on alone, makes another metric the best one."""
    turned = orders[(orders["direction"] == "alone") & (orders["best_before"] != orders["best_after"])]
    lines = [
        [f"`{row['switch']}`", row["dataset"], row["family"].replace("_", " "), row["best_before"], row["best_after"]]
        for row in turned.to_dict("records")
    ]
    return markdown_table(["switch", "data set", "family", "best by definition", "best with the switch"], lines)
