"""The tables of every case study: alignment of the metrics with its utility, and what the models' decisions earn."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.alignment import per_seed, summarise
from uqalign.cases.results import Results
from uqalign.reporting.tables import CAPTION, alignment_frame, alignment_markdown

if TYPE_CHECKING:
    import pandas as pd


def alignment_table(results: Results) -> tuple[str, pd.DataFrame]:
    """Kendall's tau-b of every metric with the realised utility, one line an arm."""
    case, frame = results.case, results.alignment
    frame = frame[frame["family"] == case.name]
    arms = [arm.name for arm in case.arms]
    caption = CAPTION.format(family=f"the utility of {case.title}", seeds=frame["seed"].nunique())
    unranked = [name for name in arms if name not in set(frame["dataset"])]
    if unranked:
        caption += f" No fit of any model succeeded on {', '.join(unranked)}."
    return caption, alignment_frame(summarise(frame), arms, list(results.metrics))


def render_alignment(results: Results, caption: str, rows: pd.DataFrame) -> str:
    """The alignment table as those of the benchmark."""
    return alignment_markdown(rows, {name: metric.title for name, metric in results.metrics.items()}, caption)


def money_table(results: Results) -> tuple[str, pd.DataFrame]:
    """Mean utility of the test rows' decisions by arm and model, and the means of the case's details."""
    import pandas as pd

    case, scores = results.case, results.scores
    fits: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    for status in results.statuses:
        fits[status["dataset"], status["model"]] += 1
        failed[status["dataset"], status["model"]] += bool(status["error"])
    rows = []
    for arm in case.arms:
        block = scores[(scores["dataset"] == arm.name) & scores["kind"].isin(["utility", "detail"])]
        own = (block["kind"] == "detail") & ~block["name"].isin(list(results.metrics))
        block = block[own | (block["name"] == case.name)]
        means = per_seed(block, results.models, results.folds)
        for model in results.models:
            done = fits[arm.name, model] - failed[arm.name, model]
            row: dict[str, Any] = {"arm": arm.name, "model": model, "fits": f"{done}/{fits[arm.name, model]}"}
            values = means[model]
            earned = values[values.index.get_level_values("kind") == "utility"].dropna()
            row["utility"] = earned.mean() if len(earned) else math.nan
            row["std_over_seeds"] = earned.std() if len(earned) > 1 else math.nan
            details = values[values.index.get_level_values("kind") == "detail"]
            named = [f"{name} {theta}".strip() for _, _, name, theta in details.index]
            found = details.groupby(np.array(named, dtype=object), sort=False).mean()
            row |= {str(name): float(value) for name, value in found.items()}
            rows.append(row)
    unit = f" in {case.unit}" if case.unit else ""
    caption = (
        f"{case.title}: mean utility of a test set's decisions{unit}, its standard deviation over repeats, and details "
        "of the decisions."
    )
    return caption, pd.DataFrame(rows)


def number(value: object) -> str:
    """A cell as people read it: thousands separated, four digits of a fraction, `--` for what is undefined."""
    if isinstance(value, float):
        if math.isnan(value):
            return "--"
        return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain_markdown(caption: str, rows: pd.DataFrame) -> str:
    """Any table as Markdown."""
    head = [str(column).replace("_", " ") for column in rows.columns]
    lines = [caption, "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for record in rows.to_dict("records"):
        lines.append("| " + " | ".join(number(value) for value in record.values()) + " |")
    return "\n".join(lines) + "\n"
