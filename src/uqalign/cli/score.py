"""`uqalign score`: every metric of the models in a file of predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uqalign.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from uqalign.metrics.metric import Metric

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
        typer.Option(
            help="A prior over decisions such as beta:2,10, of costs c (classes) or lambda (numbers), or "
            "PARAMETER=PRIOR with c, k, lambda or gamma; repeatable."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=COLUMN for a column the file calls otherwise, repeatable: y=target, 'p:{model}=prob_{model}'."
        ),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="Classes in column order, comma-separated (binary: negative,positive).")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of sample weights.")] = None,
    format: Annotated[str, typer.Option(help="table, json or csv.")] = "table",
) -> None:
    """Score the predictions of one or several models with every metric of their task."""
    from uqalign.compare.decisions import priors_of
    from uqalign.compare.document import options_of, plain
    from uqalign.compare.scoring import chosen_metrics, score_file
    from uqalign.errors import UserError

    known = one_of("task", task, TASKS)
    layout = one_of("format", format, FORMATS)
    try:
        metrics = chosen_metrics(known, metric or None, priors_of(prior or [], known))
    except ValueError as error:
        raise error if isinstance(error, UserError) else UserError(str(error)) from error
    classes = None if labels is None else [label.strip() for label in labels.split(",")]
    scores = score_file(file, known, metrics, columns=column or [], labels=classes, weight=weight)
    if layout == "csv":
        print(scores.to_csv(index=False), end="")
    elif layout == "json":
        records = [{**row, "value": plain(row["value"])} for row in scores.to_dict(orient="records")]
        document = {"file": str(file), "task": known, "options": options_of(metrics), "scores": records}
        print(json.dumps(document, indent=2, allow_nan=False))
    else:
        _print_table(file, metrics, scores)


def one_of(what: str, value: str, choices: Sequence[Any]) -> Any:
    """`value` if it is among the choices.

    Raises:
        UnknownNameError: it is not; names the nearest one.
    """
    from uqalign.registry import UnknownNameError, did_you_mean

    if value not in choices:
        raise UnknownNameError(f"unknown {what} {value!r}: {did_you_mean(value, choices)}")
    return value


def _print_table(file: Path, metrics: Sequence[Metric], scores: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.text import Text

    from uqalign.compare.terminal import print_scores

    console = Console(highlight=False)
    groups = int(scores["groups"].max())
    title = str(file) + (f" (mean over {groups} seeds and folds)" if groups > 1 else "")
    console.print(Text(title), soft_wrap=True)
    values = scores.pivot(index="metric", columns="model", values="value")
    print_scores(console, metrics, values[list(dict.fromkeys(scores["model"]))])
    for note in scores[scores["note"] != ""].to_dict(orient="records"):
        where = f"{note['model']}, {note['metric']}"
        if note["undefined"] and groups > 1:
            where += f" (undefined in {note['undefined']} of {note['groups']})"
        console.print(Text(f"{where}: {note['note']}", style="dim"), soft_wrap=True)
