"""Comparisons of metrics as Markdown: what can be said, and with how much certainty."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from uqalign.inference.comparison import ONE, POOLED
from uqalign.reporting.text import counted, number

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table; the first column is text, the others are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]


def _interval(low: float, high: float) -> str:
    return "--" if math.isnan(low) else f"[{number(low)}, {number(high)}]"


def pooled_markdown(table: pd.DataFrame, titles: Mapping[str, str], family: str) -> str:
    """Alignment over data sets, the best metric first.

    Args:
        table: output of `inference.comparison.pooled_table`.
        titles: by metric name.
        family: title of the family.
    """
    datasets = int(table["datasets"].max())
    lines = [
        f"# Alignment with {family}, over data sets",
        "",
        "Mean over data sets of the mean tau over seeds, the best first. *t* is the 95 % interval of a t-test over "
        "data sets; *bootstrap* draws data sets, and seeds within them. *highest* is the share of the bootstrap draws "
        f"in which no metric aligns better. {_few(datasets)}",
        "",
    ]
    rows = [
        (
            titles[row["metric"]], number(row["mean"]), _interval(row["t_low"], row["t_high"]),
            _interval(row["boot_low"], row["boot_high"]), number(row["prob_highest"]), str(row["datasets"]),
            f"{row['expected'] - row['defined']} of {row['expected']}",
        )
        for row in table.sort_values("mean", ascending=False, kind="stable").to_dict("records")
    ]  # fmt: skip
    header = ["metric", "mean tau", "t", "bootstrap", "highest", "data sets", "undefined seeds"]
    return "\n".join([*lines, *markdown_table(header, rows)]) + "\n"


def _few(datasets: int) -> str:
    if datasets < 2:
        return "There is one data set only: nothing here carries over to others."
    if datasets < 6:
        return f"With {datasets} data sets the bootstrap interval is too narrow: trust *t*."
    return f"There are {datasets} data sets."


def pairwise_markdown(table: pd.DataFrame, titles: Mapping[str, str], family: str) -> str:
    """The metric that aligns best over data sets against every other one, and how many of all pairs differ.

    Args:
        table: output of `inference.comparison.pairwise_table`.
        titles: by metric name.
        family: title of the family.
    """
    pooled, single = table[table["scope"] == POOLED], table[table["scope"] == ONE]
    units = int(pooled["units"].max()) if len(pooled) else 0
    lines = [f"# Does A align better with {family} than B?", ""]
    if not units:
        return "\n".join([*lines, "No two metrics have an alignment on the same data set."]) + "\n"
    lines += [
        f"{_verdict(pooled)} pairs of metrics differ over data sets (sign flips over {counted(units, 'data set')}: no "
        f"p-value can be below {2 / 2**units:.2g} before, nor {min(1, len(pooled) * 2 / 2**units):.2g} after the "
        f"adjustment for {counted(len(pooled), 'pair')}). {_verdict(single)} differ on single data sets (corrected "
        f"resampled t, adjusted for all of them). p-values are Holm's at {ALPHA}.",
        "",
    ]
    best, rows = _against_the_best(table, titles)
    datasets = list(dict.fromkeys(single["dataset"]))
    lines += [
        f"Ahead of most others over data sets: **{titles[best]}**. Against each other metric: the difference over data "
        "sets with its bootstrap interval, the probability that it is above 0, Holm's p; then that probability on each "
        "data set, bold where Holm's p is below the level, with the number of seeds that have both.",
        "",
    ]
    header = ["against", "difference", "bootstrap", "P(better)", "Holm's p", *datasets]
    return "\n".join([*lines, *markdown_table(header, rows)]) + "\n"


def _verdict(pairs: pd.DataFrame) -> str:
    tested = int(pairs["p_holm"].notna().sum())
    return f"{int((pairs['p_holm'] < ALPHA).sum())} of {tested}"


def _against_the_best(table: pd.DataFrame, titles: Mapping[str, str]) -> tuple[str, list[list[str]]]:
    """The metric whose mean over data sets is above those of most others, and its row against each of them."""
    pooled = table[table["scope"] == POOLED]
    wins = dict.fromkeys(titles, 0)
    for a, b, difference in zip(pooled["metric_a"], pooled["metric_b"], pooled["difference"], strict=True):
        if difference != 0 and not math.isnan(difference):
            wins[a if difference > 0 else b] += 1
    best = max(wins, key=lambda name: wins[name])
    involved = table[(table["metric_a"] == best) | (table["metric_b"] == best)]
    rows: list[list[str]] = []
    for other in (name for name in titles if name != best):
        cells = [titles[other]]
        for row in involved[(involved["metric_a"] == other) | (involved["metric_b"] == other)].to_dict("records"):
            turned = row["metric_b"] == best
            probability = 1 - row["prob_a_better"] if turned else row["prob_a_better"]
            if row["scope"] == POOLED:
                low, high = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
                difference = -row["difference"] if turned else row["difference"]
                cells += [number(difference), _interval(low, high), number(probability), number(row["p_holm"])]
            else:
                mark = "**" if row["p_holm"] < ALPHA else ""
                cells.append(f"{mark}{number(probability)}{mark} ({row['units']})")
        rows.append(cells)
    return best, rows


def ranks_markdown(table: pd.DataFrame, titles: Mapping[str, str], subject: str) -> str:
    """Mean ranks over data sets, the best first, and the tests.

    Args:
        table: output of `inference.comparison.rank_table`.
        titles: by name of what is ranked.
        subject: what the ranks are about.
    """
    label = str(table.columns[0])
    lines = [f"# Ranks over data sets: {subject}", "", friedman_sentence(table), ""]
    ranked = table.sort_values("mean_rank", kind="stable")
    rows = [(titles[name], number(rank)) for name, rank in zip(ranked[label], ranked["mean_rank"], strict=True)]
    return "\n".join([*lines, *markdown_table([label, "mean rank"], rows)]) + "\n"


def friedman_sentence(table: pd.DataFrame) -> str:
    """What Friedman's test says, and what it cannot say."""
    first = table.iloc[0]
    blocks, ranked = int(first["datasets"]), int(table["mean_rank"].notna().sum())
    missing = len(table) - ranked
    left_out = f" {missing} without a value on one of the data sets have no rank." if missing else ""
    if blocks < 2 or math.isnan(first["p_permutation"]):
        return f"{counted(blocks, 'data set')}, {ranked} ranked: nothing to test.{left_out}"
    return (
        f"Friedman's test of {ranked} on {blocks} data sets: chi-square {first['friedman']:.2f}, p = "
        f"{first['p_permutation']:.4f} by permutation ({first['p_asymptotic']:.4f} by the chi-square distribution, "
        f"which needs many data sets). Nemenyi's critical difference: {first['critical_difference']:.2f} ranks (the "
        f"largest possible difference is {ranked - 1}).{left_out}"
    )
