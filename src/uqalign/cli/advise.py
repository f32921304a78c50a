"""`uqalign advise`: which metric ranks models as your decision would."""

from __future__ import annotations

import json as json_module
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from uqalign.advice import Advice

Positive = float | None


def advise_command(
    decision: Annotated[
        str | None,
        typer.Option(help="act, pick, act_on_class, abstain, pick_wary or abstain_each; asked for if left out."),
    ] = None,
    false_positive: Annotated[Positive, typer.Option(help="Cost of acting in vain.")] = None,
    false_negative: Annotated[Positive, typer.Option(help="Cost of not acting where it was needed.")] = None,
    chosen: Annotated[Positive, typer.Option(help="How many are picked ..")] = None,
    of: Annotated[Positive, typer.Option(help=".. out of how many.")] = None,
    tolerated_error: Annotated[Positive, typer.Option(help="Error at which abstaining is as good.")] = None,
    target_std: Annotated[Positive, typer.Option(help="Standard deviation of the target.")] = None,
    off_by: Annotated[float, typer.Option(help="Factor by which these numbers may be wrong.")] = 2.0,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Answer with the decision family, a prior, the metric's call in Python and in the shell, and its diagnostics."""
    from uqalign.advice import KINDS, advise
    from uqalign.errors import UserError

    given = {
        "false_positive": false_positive,
        "false_negative": false_negative,
        "chosen": chosen,
        "of": of,
        "tolerated_error": tolerated_error,
        "target_std": target_std,
    }
    numbers = {name: value for name, value in given.items() if value is not None}
    if decision is None:
        if not sys.stdin.isatty():
            lines = "\n".join(f"  {name}: {kind.question}" for name, kind in KINDS.items())
            raise UserError(f"say which decision with --decision:\n{lines}")
        decision = _ask_decision()
        numbers |= _ask_numbers(decision, numbers)
    advice = advise(decision, numbers, off_by=off_by)
    if json:
        print(json_module.dumps(_document(advice), indent=2, allow_nan=False))
    else:
        _show(advice)


def _ask_decision() -> str:
    from rich.console import Console
    from rich.prompt import IntPrompt

    from uqalign.advice import KINDS

    console = Console(highlight=False)
    console.print("[bold]What happens with a prediction?[/]")
    for number, kind in enumerate(KINDS.values(), start=1):
        console.print(f"  {number}  {kind.question}")
    answer = IntPrompt.ask("Number", choices=[str(number) for number in range(1, len(KINDS) + 1)], console=console)
    return list(KINDS)[answer - 1]


def _ask_numbers(decision: str, known: dict[str, float]) -> dict[str, float]:
    from rich.prompt import FloatPrompt

    from uqalign.advice import KINDS

    questions = KINDS[decision].numbers.items()  # type: ignore[index]
    return {name: FloatPrompt.ask(text.capitalize()) for name, text in questions if name not in known}


def _document(advice: Advice) -> dict[str, object]:
    from uqalign.priors import prior_text

    return {
        "decision": advice.decision,
        "task": advice.kind.task,
        "family": advice.kind.family,
        "metric": advice.kind.metric,
        "parameter": advice.kind.parameter,
        "value": advice.centre,
        "range": [advice.low, advice.high],
        "prior": prior_text(advice.prior),
        "reasons": list(advice.reasons),
        "python": advice.python,
        "shell": advice.shell,
        "diagnostics": advice.report.to_dict(),
    }


def _show(advice: Advice) -> None:
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.text import Text

    from uqalign.families import FAMILIES
    from uqalign.priors.render import report_lines

    console = Console(highlight=False)
    family = FAMILIES[advice.kind.family].title
    console.print(f"[bold]{family}[/] ({advice.kind.task}): rank models by [bold]{advice.kind.metric}[/]")
    for reason in advice.reasons:
        console.print(Text(f"  {reason}"), soft_wrap=True)
    console.print("\n[bold]In Python[/]")
    console.print(Syntax(advice.python, "python", background_color="default"))
    console.print("\n[bold]In the shell[/]")
    console.print(Text(advice.shell), soft_wrap=True)
    console.print()
    for heading, lines in report_lines(advice.report):
        console.print(Text(heading, style="bold yellow" if heading == "Warnings" else "bold"))
        for line in lines:
            console.print(Text(f"  {line}"), soft_wrap=True)
        console.print()
