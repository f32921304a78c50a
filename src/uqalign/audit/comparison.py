"""Our medians and intervals beside the published ones, and what may lie behind a difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from uqalign.audit.published import REPEATS, published_tables, table_numbers
from uqalign.audit.settings import DEFINITIONS, PUBLISHED
from uqalign.audit.text import interval, markdown_table, number, signed

MATTERS = 0.05
"""A switch or a model that moves a median by this much is named as a likely reason."""

PROTOCOLS = (PUBLISHED, DEFINITIONS)


def compare(summary: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Published cells with ours beside them.

    Args:
        summary: output of `summarise_taus`.
        names: our data sets and their names in the published tables.

    Returns:
        columns table, family, dataset, metric, published_median, published_q05, published_q95, and for each protocol
        (`published`, `definitions`) under_.._median, .._q05, .._q95, .._defined (share of the taus that exist),
        .._difference, .._inside (our median lies in the published interval), .._covers (our interval holds the
        published median).
    """
    theirs = published_tables().drop(columns="best")
    theirs = theirs.rename(columns={key: f"published_{key}" for key in ("median", "q05", "q95")})
    links = pd.DataFrame({"ours": list(names), "dataset": list(names.values())})
    table = theirs.merge(links, on="dataset").drop(columns="dataset").rename(columns={"ours": "dataset"})
    for protocol in PROTOCOLS:
        ours = summary[summary["setting"] == protocol].set_index(["family", "dataset", "metric"])
        cells = ours.reindex(pd.MultiIndex.from_frame(table[["family", "dataset", "metric"]])).reset_index()
        prefix = f"under_{protocol}"
        for key in ("median", "q05", "q95", "defined"):
            table[f"{prefix}_{key}"] = cells[key]
        table[f"{prefix}_difference"] = cells["median"] - table["published_median"]
        table[f"{prefix}_inside"] = cells["median"].between(table["published_q05"], table["published_q95"])
        table[f"{prefix}_covers"] = table["published_median"].between(cells["q05"], cells["q95"])
    table = table[table["under_published_median"].notna()]
    order = {name: i for i, name in enumerate(names)}
    return table.sort_values(
        ["table", "dataset"], key=lambda c: c.map(order) if c.name == "dataset" else c, kind="stable"
    )


def reasons(table: pd.DataFrame, without: pd.DataFrame, changes: pd.DataFrame) -> pd.DataFrame:
    """The comparison with what moves each cell in our own run.

    Args:
        table: output of `compare`.
        without: rows as `WITHOUT_COLUMNS`.
        changes: output of `effects.effects`.

    Returns:
        `table` with one_model (largest change of our published median by leaving out one model), model (which one),
        switches (those that move the cell by 0.05 or more on top of the others, `id +0.12`, largest first), and why.
    """
    published = without[without["setting"] == PUBLISHED]
    dropped = dict(iter(published.groupby(["dataset", "family", "metric"])))
    on_top = changes[(changes["direction"] == "left out") & (changes["change"].abs() >= MATTERS)]
    moved = dict(iter(on_top.groupby(["dataset", "family", "metric"])))
    rows: list[dict[str, Any]] = []
    for row in table.to_dict("records"):
        key = (row["dataset"], row["family"], row["metric"])
        size, model = _one_model(dropped.get(key), row["under_published_median"])
        rows.append({"one_model": size, "model": model, "switches": _named(moved.get(key))})
    found = pd.DataFrame(rows, columns=["one_model", "model", "switches"], index=table.index)
    joined = pd.concat([table, found], axis=1)
    return joined.assign(why=[_why(row) for row in joined.to_dict("records")])


def _one_model(part: pd.DataFrame | None, median: float) -> tuple[float, str]:
    if part is None or not part["median"].notna().any():
        return math.nan, ""
    change = (part["median"] - median).abs()
    return float(change.max()), str(part["without"].iloc[int(change.argmax())])


def _named(part: pd.DataFrame | None) -> str:
    if part is None:
        return ""
    ordered = part.reindex(part["change"].abs().sort_values(ascending=False).index)
    return ", ".join(f"{s} {signed(c)}" for s, c in zip(ordered["switch"], ordered["change"], strict=True))


def _why(row: Mapping[Any, Any]) -> str:
    if row["under_published_inside"]:
        return ""
    gap = abs(row["under_published_difference"])
    if gap <= row["one_model"]:
        return f"one model moves it as far ({row['model']} by {number(row['one_model'])})"
    if row["under_published_covers"]:
        return "our interval holds the published median"
    if gap <= 2 * row["one_model"]:
        return f"two models might move it as far ({row['model']} alone by {number(row['one_model'])})"
    return "further than one or two models or other seeds would move it"


def share_inside(table: pd.DataFrame) -> pd.DataFrame:
    """Per published table and protocol: cells, medians inside the published interval, published medians inside ours."""
    rows = []
    for number_, part in table.groupby("table", sort=False):
        for protocol in PROTOCOLS:
            prefix = f"under_{protocol}"
            size = part[f"{prefix}_difference"].abs()
            rows.append(
                (
                    number_,
                    protocol,
                    len(part),
                    int(part[f"{prefix}_inside"].sum()),
                    int(part[f"{prefix}_covers"].sum()),
                    float(size.median()),
                    float(size.max()),
                )
            )
    return pd.DataFrame(rows, columns=["table", "protocol", "cells", "inside", "covers", "median_gap", "largest_gap"])


def comparison_markdown(table: pd.DataFrame, notes: Sequence[str], titles: Mapping[str, str]) -> str:
    """The comparison as a page: what was run, shares inside, then every cell, one section a published table.

    Args:
        table: output of `reasons`.
        notes: what was run, as sentences.
        titles: titles of the families.
    """
    parts = ["# Ours beside the published tables", "", *notes, ""]
    if table.empty:
        return "\n".join([*parts, "No data set of the published tables was run.", ""])
    parts += [
        f"Kendall's tau, median [5 %, 95 %]; published: over {REPEATS} repeats. A median of ours that lies in the "
        "published interval is bold; in brackets the share of the taus that exist, where not all do (a decision that "
        "is equally good for all models has none). *One model*: the largest change of our median (published protocol) "
        "by leaving out one of our models, the measure of what a missing model may do. *Switches*: those that move "
        f"this cell by {MATTERS} or more on top of all others.",
        "",
        markdown_table(
            ["table", "protocol", "cells", "ours inside", "theirs inside ours", "median gap", "largest gap"],
            [
                [
                    r["table"],
                    r["protocol"],
                    str(r["cells"]),
                    str(r["inside"]),
                    str(r["covers"]),
                    number(r["median_gap"]),
                    number(r["largest_gap"]),
                ]
                for r in share_inside(table).to_dict("records")
            ],
        ),
    ]
    numbers = {number_: family for family, number_ in table_numbers().items()}
    for number_, part in table.groupby("table", sort=False):
        parts += [f"## Table {number_}: {titles[numbers[str(number_)]]}", ""]
        for dataset, block in part.groupby("dataset", sort=False):
            parts += [f"### {dataset}", "", _cells(block)]
    return "\n".join(parts)


def _cells(block: pd.DataFrame) -> str:
    lines = []
    for row in block.to_dict("records"):
        ours = [
            _ours(*(row[f"under_{p}_{k}"] for k in ("median", "q05", "q95", "defined", "inside"))) for p in PROTOCOLS
        ]
        theirs = interval(*(row[f"published_{key}"] for key in ("median", "q05", "q95")))
        more = [signed(row["under_published_difference"]), number(row["one_model"]), row["switches"], row["why"]]
        lines.append([row["metric"], theirs, *ours, *more])
    head = ["metric", "published", "ours, published protocol", "ours, definitions", "difference", "one model"]
    return markdown_table([*head, "switches", "outside: likely why"], lines)


def _ours(median: float, low: float, high: float, defined: float, inside: bool) -> str:
    text = interval(median, low, high)
    text = f"**{text}**" if inside else text
    return text if defined == 1 else f"{text} ({defined:.0%})"
