"""`uqalign theory`: which metric is aligned with which decisions, by execution."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from uqalign.metrics.metric import Metric

theory_app = typer.Typer(
    help="Which metric is aligned with which decisions: proved, refuted, or searched for.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]


def _print_json(value: Any) -> None:
    print(json_module.dumps(value, indent=2, allow_nan=False))


@theory_app.command("table")
def table_command(json: AsJson = False, markdown: AsMarkdown = False) -> None:
    """Table 1 of the paper, every entry checked anew."""
    from uqalign.theory import table_one, verdicts_markdown

    verdicts = table_one()
    if json:
        _print_json([verdict.to_dict() for verdict in verdicts])
        return
    if markdown:
        print(verdicts_markdown(verdicts))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("metric", "decisions", "paper", "found", "because"):
        table.add_column(heading)
    previous = ""
    for v in verdicts:
        if v.task != previous:
            table.add_row(f"[bold]{v.task}[/]")
            previous = v.task
        style = "green" if v.confirms else "bold red"
        because = f"prior {v.prior}; {v.reason}" if v.prior else v.reason
        family = f"{v.family}: {v.scope}" if v.scope else v.family
        table.add_row(f"  {v.metric}", family, v.claim, f"[{style}]{v.verdict}[/]", _plain(because))
    Console().print(table)
    refuted = sum(not v.confirms for v in verdicts)
    print(f"\n{len(verdicts)} entries, {len(verdicts) - refuted} as in the paper, {refuted} not.")


@theory_app.command("errata")
def errata_command(json: AsJson = False, markdown: AsMarkdown = False) -> None:
    """Claims of the paper that do not hold, with the numbers that show it."""
    from uqalign.theory import errata, errata_markdown

    entries = errata()
    if json:
        _print_json([entry.to_dict() for entry in entries])
        return
    if markdown:
        print(errata_markdown(entries))
        return
    from rich.console import Console

    console = Console(highlight=False)
    for entry in entries:
        console.print(f"[bold]{_plain(entry.where)}[/]", soft_wrap=True)
        console.print(f"  claim: {_plain(entry.claim)}", soft_wrap=True)
        console.print(f"  [green]holds:[/] {_plain(entry.correction)}", soft_wrap=True)
        for name, value in entry.evidence.items():
            console.print(f"    {name.replace('_', ' ')}: {value:.6g}", soft_wrap=True)
        console.print()


@theory_app.command("check")
def check_command(
    metric: Annotated[str, typer.Argument(help="A metric's name, or your own: package.module:NAME.")],
    task: Annotated[str, typer.Option(help="binary, multiclass, regression or multivariate.")],
    family: Annotated[str | None, typer.Option(help="Decision family (default: all of the task).")] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Prior on its parameter, beta:2,10; with several parameters NAME=PRIOR, given repeatedly."),
    ] = None,
    higher_is_better: Annotated[bool, typer.Option(help="Orientation of a function of your own.")] = False,
    trials: Annotated[int, typer.Option(min=1, help="Trials per property.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the search.")] = 0,
    json: AsJson = False,
) -> None:
    """Search for violations by a metric: properness, invariances, alignment with decisions."""
    from uqalign.errors import UserError
    from uqalign.theory import check_metric

    try:
        report = check_metric(
            _loaded(metric),
            task,  # type: ignore[arg-type]
            family=family,
            prior=_priors(prior),
            higher_is_better=higher_is_better,
            rng=seed,
            budget=trials,
        )
    except (TypeError, ValueError) as error:
        raise UserError(str(error)) from error
    if json:
        _print_json(report.to_dict())
    else:
        print(report.text())


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _loaded(name: str) -> Metric | Callable[..., Any] | str:
    """A registered metric's name, or the object at a dotted path."""
    if ":" not in name:
        return name
    import importlib
    import os
    import sys

    from uqalign.errors import UserError

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module, _, attribute = name.partition(":")
    try:
        member: Metric | Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(f"metric {name!r} cannot be loaded: {error}") from error
    return member


def _priors(options: list[str] | None) -> Any:
    if not options:
        return None
    if len(options) == 1 and "=" not in options[0].split(":")[0]:
        return options[0]
    pairs = dict(option.split("=", 1) for option in options if "=" in option.split(":")[0])
    if len(pairs) < len(options):
        raise ValueError("--prior: give one prior, or NAME=PRIOR for each parameter")
    return pairs
