"""The ablation: does another way to compare rankings favour other metrics?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import AGREEMENTS, kendall_tau_b
from uqalign.alignment import seed_means, summarise
from uqalign.reporting.comparison import markdown_table
from uqalign.reporting.text import number

if TYPE_CHECKING:
    import pandas as pd

TITLES = {"tau": "Kendall's tau-b", "top_1": "top-1", "top_3": "top-3", "pearson": "Pearson's rho"}


def ablation_frame(alignment: pd.DataFrame) -> pd.DataFrame:
    """Every agreement of every metric with every family on every data set.

    Args:
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`.

    Returns:
        columns agreement, dataset, family, metric, mean, median, q05, q95 (over seeds), defined, expected (values
        over seeds and decisions).
    """
    import pandas as pd

    parts = []
    for agreement in AGREEMENTS:
        means = seed_means(alignment, agreement).groupby(["dataset", "family", "metric"], sort=False)[agreement].mean()
        summary = summarise(alignment, agreement)
        keys = pd.MultiIndex.from_frame(summary[["dataset", "family", "metric"]])
        summary.insert(0, "agreement", agreement)
        summary.insert(4, "mean", means.reindex(keys).to_numpy())
        parts.append(summary)
    return pd.concat(parts, ignore_index=True)


def ablation_markdown(table: pd.DataFrame, families: Mapping[str, str], titles: Mapping[str, Mapping[str, str]]) -> str:
    """One Markdown table a family: means over data sets, the highest of each agreement bold.

    Args:
        table: output of `ablation_frame`.
        families: titles by family name, in order.
        titles: per family, titles by metric name, in order.
    """
    lines = [
        "# Other ways to compare rankings",
        "",
        "Means over data sets and seeds. *top-1* and *top-3* are the Jaccard overlaps of the best model and of the "
        "three best by metric and by utility (models that tie share their places in expectation); *Pearson's rho* "
        "compares values, not ranks. Below each table: how far the order of the metrics by each of them agrees with "
        "their order by tau, as Kendall's tau-b, and how many values are undefined.",
        "",
    ]
    for family, title in families.items():
        part = table[table["family"] == family]
        means = {
            agreement: part[part["agreement"] == agreement].groupby("metric")["mean"].mean() for agreement in AGREEMENTS
        }
        columns = {a: [float(means[a].get(metric, math.nan)) for metric in titles[family]] for a in AGREEMENTS}
        rows = _rows(list(titles[family].values()), columns)
        lines += [f"## {title}", "", *markdown_table(["metric", *TITLES.values()], rows), ""]
        notes = []
        for agreement in AGREEMENTS[1:]:
            counts = part[part["agreement"] == agreement]
            undefined = int(counts["expected"].sum() - counts["defined"].sum())
            order = kendall_tau_b(columns["tau"], columns[agreement])
            notes.append(
                f"{TITLES[agreement]} {number(order)} ({undefined} of {int(counts['expected'].sum())} undefined)"
            )
        lines += [f"Order of the metrics as by tau: {', '.join(notes)}.", ""]
    return "\n".join(lines)


def _rows(names: Sequence[str], columns: Mapping[str, Sequence[float]]) -> list[list[str]]:
    highest = {
        a: max((number(v) for v in values if not math.isnan(v)), key=float, default="") for a, values in columns.items()
    }
    rows = []
    for i, name in enumerate(names):
        cells = [number(values[i]) for values in columns.values()]
        rows.append([name, *(f"**{c}**" if c == highest[a] else c for c, a in zip(cells, columns, strict=True))])
    order = np.argsort([-np.nan_to_num(value, nan=-np.inf) for value in columns["tau"]], kind="stable")
    return [rows[int(i)] for i in order]
