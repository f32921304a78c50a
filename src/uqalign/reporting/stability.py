"""Stability of the models' ranking as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from uqalign.reporting.comparison import markdown_table
from uqalign.reporting.text import number

if TYPE_CHECKING:
    import pandas as pd


P_VALUES = ("p_permutation", "p_asymptotic")


def stability_markdown(table: pd.DataFrame, titles: Mapping[tuple[str, str], str], task: str) -> str:
    """One Markdown table a data set: a line per metric, and one per decision family (means over its decisions).

    Args:
        table: first output of `inference.models.stability_tables`.
        titles: by kind (metric | utility) and name, in order.
        task: what the models predict.
    """
    lines = [
        f"# Do other seeds rank the models alike? ({task})",
        "",
        "*W* is Kendall's coefficient of concordance over the seeds, 1 where all rank the models alike; *tau* the mean "
        "tau-b between two seeds, with the pairs of seeds that have none; *first* the model that is first most often, "
        "and in which share of the seeds. A decision family's line averages over its decisions; its first model is "
        "that of the most decisions.",
        "",
    ]
    for dataset, block in table.groupby("dataset", sort=False):
        seeds = int(block["seeds"].max())
        lines += [f"## {dataset} ({seeds} seeds)", ""]
        rows = []
        for (kind, name), title in titles.items():
            part = block[(block["kind"] == kind) & (block["name"] == name)]
            if part.empty:
                continue
            first = part["first"].mode().iloc[0]
            share = part.loc[part["first"] == first, "first_share"].mean()
            undefined = int((part["pairs"] - part["defined"]).sum())
            named = f"{first} ({number(float(share))})" if first else "--"
            rows.append(
                [title, number(part["kendall_w"].mean()), number(part["mean_tau"].mean()),
                 f"{undefined} of {int(part['pairs'].sum())}", named]
            )  # fmt: skip
        lines += [*markdown_table(["measure", "W", "tau", "undefined pairs", "first"], rows), ""]
    return "\n".join(lines)


def model_ranks_markdown(table: pd.DataFrame, titles: Mapping[tuple[str, str], str], task: str) -> str:
    """Mean ranks of the models over data sets, a column per decision family and metric.

    Args:
        table: output of `inference.models.model_rank_table`.
        titles: by kind (metric | utility) and name, in order.
        task: what the models predict.
    """
    measures = dict(iter(table.groupby(["kind", "name"], sort=False)))
    shown = {title: measures[key] for key, title in titles.items() if key in measures}
    models = list(dict.fromkeys(table["model"]))
    lines = [
        f"# Models over data sets ({task})",
        "",
        "Mean rank over data sets, 1 is best: first by the realised utility of each decision family, then by each "
        "metric.",
        "",
    ]
    ranks = {title: dict(zip(part["model"], part["mean_rank"], strict=True)) for title, part in shown.items()}
    rows = [[model, *(number(ranks[title][model]) for title in shown)] for model in models]
    lines += [*markdown_table(["model", *shown], rows), ""]
    lines += [
        "Friedman's test that the ranked models are alike; p by permutation, and by the chi-square distribution, which "
        "needs many data sets; Nemenyi's critical difference of mean ranks.",
        "",
    ]
    tests = [_test_row(title, part) for title, part in shown.items()]
    header = ["measure", "data sets", "ranked", "chi-square", "p", "p (chi-square)", "critical difference"]
    return "\n".join([*lines, *markdown_table(header, tests)]) + "\n"


def _test_row(title: str, part: pd.DataFrame) -> list[str]:
    first = part.iloc[0]
    p_values = [f"{first[name]:.4f}" if first[name] == first[name] else "--" for name in P_VALUES]
    ranked = f"{int(part['mean_rank'].notna().sum())} of {len(part)}"
    return [
        title, str(first["datasets"]), ranked, number(first["friedman"]), *p_values,
        number(first["critical_difference"]),
    ]  # fmt: skip
