"""`uqalign score`: every metric of the models in a file of predictions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uqalign.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from rich.table import Table as RichTable

    from uqalign.metrics.metric import Metric
    from uqalign.priors import Prior
    from uqalign.tasks import Task

FORMATS = ("table", "json", "csv")


def score_command(
    file: Annotated[
        Path,
        typer.Argument(
            help="Predictions, .csv or .parquet: y and p (binary), p_0 p_1 .. (multiclass), mu and var or std "
            "(regression), mu_0 .. and cov_0_0 cov_1_0 .. (multivariate; targets y_0 ..). Several models as "
            "p:modelA p:modelB .., or in a column 'model'. Columns seed and fold are scored apart and averaged."
        ),
    ],
    task: Annotated[str, typer.Option(help=f"One of {', '.join(TASKS)}.")],
    metric: Annotated[list[str] | None, typer.Option(help="A metric, repeatable (default: all of the task).")] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(help="PARAMETER=PRIOR, repeatable: c=beta:2,10, k=..., lambda=..., gamma=..."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="Classes in column order, comma-separated (binary: negative,positive).")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    format: Annotated[str, typer.Option(help="table, json or csv.")] = "table",
) -> None:
    """Score the predictions of one or several models with every metric of their task."""
    from uqalign.errors import UserError
    from uqalign.metrics.prediction_files import chosen_metrics, read_table, score_table

    try:
        known = _one_of("task", task, TASKS)
        layout = _one_of("format", format, FORMATS)
        metrics = chosen_metrics(known, metric or None, _priors(prior or []))
        classes = None if labels is None else [label.strip() for label in labels.split(",")]
        scores = score_table(read_table(file), known, metrics, unnamed=file.stem, labels=classes, weight=weight)
    except ValueError as error:
        raise error if isinstance(error, UserError) else UserError(str(error)) from error
    if layout == "csv":
        print(scores.to_csv(index=False), end="")
    elif layout == "json":
        print(json.dumps(_document(file, known, metrics, scores), indent=2, allow_nan=False))
    else:
        _print_table(file, metrics, scores)


def _one_of(what: str, value: str, choices: Sequence[Any]) -> Any:
    from uqalign.registry import did_you_mean

    if value not in choices:
        raise ValueError(f"unknown {what} {value!r}: {did_you_mean(value, choices)}")
    return value


def _priors(texts: Sequence[str]) -> dict[str, Prior]:
    from uqalign.priors import as_prior

    priors = {}
    for text in texts:
        parameter, equals, prior = text.partition("=")
        if not equals:
            raise ValueError(f"--prior {text!r}: write PARAMETER=PRIOR, such as c=beta:2,10")
        if parameter in priors:
            raise ValueError(f"--prior {parameter}= is given twice")
        priors[parameter] = as_prior(prior)
    return priors


def _number(value: float) -> float | str | None:
    """A value in JSON, which knows no infinity: "inf", and null where undefined."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _document(file: Path, task: Task, metrics: Sequence[Metric], scores: pd.DataFrame) -> dict[str, Any]:
    from uqalign.priors import Prior, prior_text

    options = {
        metric.name: {
            key: prior_text(value) if isinstance(value, Prior) else value for key, value in metric.options.items()
        }
        for metric in metrics
        if metric.options
    }
    records = scores.to_dict(orient="records")
    return {
        "file": str(file),
        "task": task,
        "options": options,
        "scores": [{**record, "value": _number(record["value"])} for record in records],
    }


def _print_table(file: Path, metrics: Sequence[Metric], scores: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    groups = int(scores["groups"].max())
    title = str(file) + (f" (mean over {groups} seeds and folds)" if groups > 1 else "")
    console.print(Text(title), soft_wrap=True)
    models = list(dict.fromkeys(scores["model"]))
    values = scores.pivot(index="metric", columns="model", values="value")
    widest = max(12, *(len(model) + 2 for model in models))
    at_once = max(1, (console.width - 28) // widest)
    for start in range(0, len(models), at_once):
        console.print(_table(metrics, values, models, models[start : start + at_once]))
    for note in scores[scores["note"] != ""].to_dict(orient="records"):
        where = f"{note['model']}, {note['metric']}"
        if note["undefined"] and groups > 1:
            where += f" (undefined in {note['undefined']} of {note['groups']})"
        console.print(Text(f"{where}: {note['note']}", style="dim"), soft_wrap=True)


def _table(metrics: Sequence[Metric], values: pd.DataFrame, models: Sequence[str], shown: Sequence[str]) -> RichTable:
    """The columns `shown` of the table, with the best of all `models` in bold."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None)
    table.add_column("metric", no_wrap=True)
    table.add_column("better", no_wrap=True)
    for model in shown:
        table.add_column(Text(model), justify="right", no_wrap=True)
    for metric in metrics:
        signed = values.loc[metric.name, list(models)].map(metric.signed)
        best = (signed == signed.min()) & (len(models) > 1)
        cells = [Text(_cell(values.loc[metric.name, m]), style="bold" if best[m] else "") for m in shown]
        table.add_row(metric.name, "higher" if metric.higher_is_better else "lower", *cells)
    return table


def _cell(value: Any) -> str:
    return "undefined" if math.isnan(value) else f"{value:.6g}"
