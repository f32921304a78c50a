"""Two questions, settled by tables: does Table J.3 turn over, and does Table J.2 rank the names of the models?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from uqalign.audit.settings import DEFINITIONS, PUBLISHED, alone, left_out
from uqalign.audit.statements import LEVEL
from uqalign.audit.summaries import MIN_SEEDS, block_of
from uqalign.audit.text import interval, markdown_table, number, share

COST = "abstention_cost"
COST_SETTINGS: Mapping[str, str] = {
    DEFINITIONS: "definitions",
    alone(COST): "definitions, published cost",
    left_out(COST): "published protocol, the paper's own cost",
    PUBLISHED: "published protocol",
}
ORDER = alone("tau_row_order")


def selective_cost(taus: pd.DataFrame, folds: int) -> pd.DataFrame:
    """NLL beside the prior-weighted utility on selective prediction, with the paper's abstention cost and the code's.

    Args:
        taus: rows as `TAU_COLUMNS`.
        folds: folds of the cross-validation.

    Returns:
        columns dataset, setting, nll, pwu_lambda (medians), best, nll_above: the probability that NLL's median is the
        higher one.
    """
    rows = []
    chosen = taus[(taus["family"] == "selective") & taus["setting"].isin(COST_SETTINGS)]
    for (dataset, setting), part in chosen.groupby(["dataset", "setting"], sort=False):
        block = block_of(part, list(dict.fromkeys(part["metric"])), folds)
        highest = np.nanmax(block.medians)
        best = [name for name, value in zip(block.metrics, block.medians, strict=True) if value >= highest - LEVEL]
        gap = block.drawn("nll") - block.drawn("pwu_lambda")
        above = float(np.mean((np.sign(gap) + 1) / 2)) if block.seeds >= MIN_SEEDS else np.nan
        rows.append((dataset, setting, block.at("nll"), block.at("pwu_lambda"), ", ".join(best), above))
    table = pd.DataFrame(rows, columns=["dataset", "setting", "nll", "pwu_lambda", "best", "nll_above"])
    order = {name: i for i, name in enumerate(COST_SETTINGS)}
    place = {name: i for i, name in enumerate(dict.fromkeys(table["dataset"]))}
    return table.sort_values(
        ["dataset", "setting"], key=lambda c: c.map(place if c.name == "dataset" else order), kind="stable"
    )


def turnover_answers(table: pd.DataFrame) -> list[str]:
    """Whether NLL overtakes the prior-weighted utility once the cost is the paper's own, data set by data set."""
    sentences = []
    for dataset, part in table.groupby("dataset", sort=False):
        rows = {row["setting"]: row for row in part.to_dict("records")}
        own, code = rows[DEFINITIONS], rows[alone(COST)]
        sentences.append(
            f"- {dataset}: NLL {number(own['nll'])} and pwu_lambda {number(own['pwu_lambda'])} with the paper's cost, "
            f"{number(code['nll'])} and {number(code['pwu_lambda'])} with the published one; {_turn(own, code)}."
        )
    return sentences


def _turn(own: Mapping[Any, Any], code: Mapping[Any, Any]) -> str:
    before, after = (_lead(row["nll"] - row["pwu_lambda"]) for row in (code, own))
    sure = f"probability that NLL is above with the paper's cost: {share(own['nll_above'])}"
    if before == after:
        return f"{after} both ways ({sure})"
    turned = "it turns over: " if {before, after} == {"NLL is above", "pwu_lambda is above"} else ""
    return f"{turned}{after} with the paper's cost, {before} with the published one ({sure})"


def _lead(gap: float) -> str:
    if math.isnan(gap) or abs(gap) < LEVEL:
        return "neither is above"
    return "NLL is above" if gap > 0 else "pwu_lambda is above"


def questions_markdown(cost: pd.DataFrame, ties: pd.DataFrame, orders: pd.DataFrame) -> str:
    """Both questions with their tables.

    Args:
        cost: output of `selective_cost`.
        ties: rows as `TIE_COLUMNS`.
        orders: rows as `ORDER_COLUMNS`.
    """
    parts = ["# Two questions", "", "## Does Table J.3 turn over?", ""]
    if len(cost):
        parts += [
            "In the published code every abstained row costs lambda times the number of abstained rows, so that "
            "abstaining is charged by the square. Median taus with selective prediction when each row costs lambda, as "
            "the paper says, and as in the code (the prior-weighted utility changes along with the decision):",
            "",
            markdown_table(
                ["data set", "setting", "NLL", "pwu_lambda", "best metric", "P(NLL above)"],
                [
                    [
                        r["dataset"],
                        COST_SETTINGS[r["setting"]],
                        number(r["nll"]),
                        number(r["pwu_lambda"]),
                        r["best"],
                        share(r["nll_above"]),
                    ]
                    for r in cost.to_dict("records")
                ],
            ),
            *turnover_answers(cost),
        ]
    else:
        parts.append("No univariate regression was run.")
    parts += ["", "## Does Table J.2 rank the names of the models?", ""]
    if len(ties) == 0:
        return "\n".join([*parts, "No binary classification was run.", ""])
    parts += [
        "Pairs of models that tie on a top-k utility (fold means, definitions), and seeds in which all models tie:",
        "",
        markdown_table(
            ["data set", "k/n", "k", "rows of a fold", "tied pairs", "seeds with all tied"],
            [
                [
                    r["dataset"],
                    f"{r['q']:.3f}",
                    str(r["k"]),
                    str(r["rows"]),
                    f"{r['tied']:.0%}",
                    f"{r['all_tied']} of {r['seeds']}",
                ]
                for r in ties.to_dict("records")
            ],
        ),
        "The published tau breaks such ties by the alphabetical order of the models. Median tau of each metric when "
        "ties are broken by that order, and by 200 random orders (median and 90 % of them); *best*: share of the "
        "random orders in which the metric is the best one.",
        "",
        markdown_table(
            ["data set", "ties by order, otherwise", "metric", "alphabetical", "random orders", "best"],
            [
                [
                    r["dataset"],
                    "definitions" if r["setting"] == ORDER else "published protocol",
                    r["metric"],
                    number(r["alphabetical"]),
                    interval(r["q50"], r["q05"], r["q95"]),
                    f"{r['best']:.0%}",
                ]
                for r in orders.to_dict("records")
            ],
        ),
        *order_answers(ties, orders),
        "",
    ]
    return "\n".join(parts)


def order_answers(ties: pd.DataFrame, orders: pd.DataFrame) -> list[str]:
    """How much the order of the models decides, data set by data set."""
    sentences = []
    for dataset, part in orders[orders["setting"] == PUBLISHED].groupby("dataset", sort=False):
        tied = ties[ties["dataset"] == dataset]
        width = (part["q95"] - part["q05"]).median()
        top = part.iloc[int(part["alphabetical"].argmax())]
        sentences.append(
            f"- {dataset}: {tied['tied'].mean():.0%} of all pairs tie ({tied['tied'].min():.0%} to "
            f"{tied['tied'].max():.0%} by k); renaming the models moves a metric's median within a band "
            f"{number(width)} wide (90 % of orders, median metric), and {top['metric']}, best in alphabetical order, "
            f"is best in {top['best']:.0%} of the orders."
        )
    return sentences
