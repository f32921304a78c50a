"""`uqalign compare`: scores, leaderboards and alignment of predictions of any origin."""

from __future__ import annotations

import json as json_module
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from uqalign.tasks import TASKS

Several = list[str] | None


def compare_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Predictions, .csv or .parquet, read together: y and p (binary), p_0 p_1 .. (multiclass), mu and var "
            "or std (regression), mu_0 .. and cov_0_0 cov_1_0 .. (multivariate; targets y_0 ..). Models below each "
            "other with a column 'model', side by side as p:modelA p:modelB .., or one a file, called as the file. "
            "Optional: seed, fold, row (what identifies a test row)."
        ),
    ],
    task: Annotated[str, typer.Option(help=f"One of {', '.join(TASKS)}.")],
    column: Annotated[
        Several,
        typer.Option(
            help="NAME=COLUMN for a column the files call otherwise, repeatable: y=target, seed=repeat, "
            "'p:{model}=prob_{model}'."
        ),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="Classes in column order, comma-separated (binary: negative,positive).")
    ] = None,
    metric: Annotated[Several, typer.Option(help="A metric, repeatable (default: all of the task).")] = None,
    utility: Annotated[
        Several,
        typer.Option(
            help="What decisions earn, repeatable: a decision family, a case study, or your own as module:function; "
            "'all' (default): every family of the task."
        ),
    ] = None,
    prior: Annotated[
        Several,
        typer.Option(
            help="A prior over decisions such as beta:2,10, of costs c (classes) or lambda (numbers), or "
            "PARAMETER=PRIOR with c, k, lambda or gamma; repeatable."
        ),
    ] = None,
    side: Annotated[
        Several,
        typer.Option(help="A column that your own utility looks at, repeatable (default: all columns that remain)."),
    ] = None,
    test_share: Annotated[
        float | None,
        typer.Option(
            help="Share of all rows in a test set, where repeats draw on the same rows (default: 1 / folds; without "
            "folds, repeats count as independent)."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="What to call the data (default: as the file, if it is one).")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for report.html and the tables as CSV.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier comparison in --out.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compare models by their predictions: every metric, what decisions earn, and which metrics rank as these do."""
    from rich.console import Console

    from uqalign.cli.score import one_of
    from uqalign.compare.decisions import decisions_of, priors_of
    from uqalign.compare.document import document
    from uqalign.compare.outcome import compare
    from uqalign.compare.page import check_folder, write_folder
    from uqalign.compare.predictions import read_predictions
    from uqalign.compare.scoring import chosen_metrics, with_priors
    from uqalign.compare.terminal import print_outcome, print_written
    from uqalign.errors import UserError

    known = one_of("task", task, TASKS)
    if out is not None:
        check_folder(out, force)
    priors = priors_of(prior or [], known)
    # What is wrong with the options is said before large files are read.
    metrics = with_priors(chosen_metrics(known, metric or None), priors)
    own = any(decision.own for decision in decisions_of(utility or [], known, 3, priors))
    if side and not own:
        raise UserError("--side is for a utility of your own: name one with --utility module:function")
    found = read_predictions(
        files,
        known,
        columns=column or [],
        labels=None if labels is None else [label.strip() for label in labels.split(",")],
        side=(side or None) if own else (),
        test_share=test_share,
    )
    decisions = decisions_of(utility or [], known, found.width, priors)
    with Console(stderr=True).status("") as status:
        outcome = compare(
            found,
            metrics,
            decisions,
            dataset=name or (files[0].stem if len(files) == 1 else "predictions"),
            told=lambda model: status.update(f"scoring {model}"),
        )
        written = []
        if out is not None:
            status.update("drawing curves")
            command = shlex.join(["uqalign", *sys.argv[1:]])
            written = write_folder(out, found, outcome, files=files, command=command, force=force)
    if json:
        print(json_module.dumps(document(outcome, files, written), indent=2, allow_nan=False))
        return
    console = Console(highlight=False)
    print_outcome(console, outcome)
    if found.left_out:
        console.print(f"[dim]Not side information, because models differ in it: {', '.join(found.left_out)}.[/]")
    if written:
        print_written(console, written)
    else:
        console.print("\n[dim]--out FOLDER writes the report and the tables.[/]")
