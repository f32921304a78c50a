"""Tables of the checkpoint study as CSV and Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.files import write_text
from uqalign.superiority.figures import TITLES
from uqalign.superiority.inference import outcome, primary
from uqalign.superiority.monitors import monitor_table, regrets
from uqalign.superiority.study import CELL, agreement, baselines, cells, frontier, select, stability

if TYPE_CHECKING:
    import pandas as pd

CAPTIONS: Mapping[str, str] = {
    "cells": "Every cell: validation macro-F1 of the best epoch (informative below 0.90), and at the epoch kept by the "
    "Brier score just above the infimal penalty: mean gap of the two largest probabilities, share of near-ties, share "
    "of pictures penalised.",
    "primary": "Macro-F1 just above the infimal penalty minus macro-F1 at the published penalty. The unit is a cell; "
    "intervals at 95 %; Holm's adjustment for the two bases.",
    "pairs": "The same with every run and mode as a unit. Runs of a cell share its data and the modes share a run, so "
    "these p-values overstate the evidence: an illustration.",
    "frontier": "Outcomes of the kept epoch along the penalty grid, averaged over informative cells with the same "
    "number of classes; in brackets the standard deviation over seeds within a cell.",
    "excluded": "The same over the cells that are not informative.",
    "agreement": "Runs in which a mixture of Brier score and error rate keeps the same epoch as a penalised score.",
    "baselines": "Macro-F1 and other outcomes of mixtures and of measures monitored on their own, over all informative "
    "cells.",
    "stability": "Standard deviation over seeds of the kept epoch (Brier, checkpointing).",
    "monitors": "Mean regret against the best epoch of the run, by outcome, and its difference to that of monitoring "
    "NLL (negative: this monitor loses less); the unit is a cell.",
    "outcomes": "Which of the three outcomes fixed in advance the means along the grid match.",
}


def study_tables(measures: pd.DataFrame, patience: int) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Every table by name, and the selections behind them.

    Args:
        measures: rows as `study.MEASURE_COLUMNS`.
        patience: of simulated early stopping.
    """
    selections = select(measures, patience)
    found = cells(measures, selections)
    informative, rest = found[found["informative"]], found[~found["informative"]]
    # Without an informative cell the frontier is drawn over all, and the caption of `cells` tells why.
    judged = informative if len(informative) else found
    along = frontier(selections, judged)
    tables = {
        "cells": found,
        "primary": primary(selections, CELL),
        "pairs": primary(selections, [*CELL, "seed", "mode"]),
        "frontier": along,
        "excluded": frontier(selections, rest),
        "agreement": agreement(selections),
        "baselines": baselines(selections, judged),
        "stability": stability(selections),
        "monitors": monitor_table(regrets(selections)),
        "outcomes": _outcomes(along),
    }
    return tables, selections


def _outcomes(along: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for (classes, mode, base), block in along.groupby(["classes", "mode", "base"], sort=False):
        means = dict(zip(block["point"], block["macro_f1"], strict=True))
        calibration = dict(zip(block["point"], block["ece"], strict=True))
        likelihood = dict(zip(block["point"], block["log"], strict=True))
        rows.append(
            {
                "classes": classes,
                "mode": mode,
                "base": base,
                "cells": int(block["cells"].max()),
                "outcome": outcome(means),
                "macro_f1_gain": means["limit"] - means["supercritical"],
                "ece_change": calibration["limit"] - calibration["supercritical"],
                "nll_change": likelihood["limit"] - likelihood["supercritical"],
            }
        )
    return pd.DataFrame(rows)


def markdown(name: str, table: pd.DataFrame) -> str:
    """A table with its caption; in `frontier`, standard deviations in brackets behind their means."""
    shown = table.copy()
    for column in [c for c in shown.columns if c.endswith("_sd") and c != "sd"]:
        mean = column.removesuffix("_sd")
        pairs = zip(shown[mean], shown[column], strict=True)
        shown[mean] = [f"{_text(value)} ({_text(sd)})" for value, sd in pairs]
        del shown[column]
    lines = [CAPTIONS[name], "", "| " + " | ".join(_head(column) for column in shown.columns) + " |"]
    lines.append("|" + " --- |" * len(shown.columns))
    lines += ["| " + " | ".join(_text(value) for value in row) + " |" for row in shown.itertuples(index=False)]
    return "\n".join(lines) + "\n"


def _head(column: str) -> str:
    return TITLES.get(column, column.replace("_", " "))


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, float):
        return {"True": "yes", "False": "no"}.get(str(value), str(value).replace("_", " "))
    return "--" if math.isnan(value) else f"{value:.4g}"


def write_tables(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """`folder`/NAME.csv and NAME.md of every table."""
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.to_csv(index=False))
        write_text(folder / f"{name}.md", markdown(name, table))
