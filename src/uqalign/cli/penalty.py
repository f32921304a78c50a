"""`uqalign penalty`: how large the penalty of a superior scoring rule has to be."""

from __future__ import annotations

import json as json_module
import math
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from uqalign.scoring_rules.answer import Answer


def penalty_command(
    classes: Annotated[int, typer.Option(help="Number of classes.")],
    base: Annotated[str, typer.Option(help="brier (sum form) or log; default both.")] = "",
    ties: Annotated[
        str, typer.Option(help="What a tie predicts: order (as argmax), permissive (all), strict (none).")
    ] = "order",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The penalty on errors that puts every wrong forecast behind every right one: range, known values, cost."""
    from uqalign.scoring_rules.answer import CONVENTION, penalty_answers
    from uqalign.scoring_rules.penalties import BASES, check_base
    from uqalign.scoring_rules.ties import LETTER, check_ties

    convention = check_ties(ties)
    answers = penalty_answers(classes, [check_base(base)] if base else BASES, ties=convention)
    if json:
        print(json_module.dumps([answer.to_dict() for answer in answers], indent=2, allow_nan=False))
        return

    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(f"Ties: {convention} (convention {LETTER[convention]})", style="bold"))
    console.print(Text(f"  {CONVENTION[convention]}"), soft_wrap=True)
    for answer in answers:
        console.print()
        _show(console, answer)


def _show(console: Console, answer: Answer) -> None:
    from rich.table import Table
    from rich.text import Text

    name = "Brier score (sum form)" if answer.base == "brier" else "Log score"
    console.print(Text(f"{name}, {answer.n_classes} classes", style="bold"))
    console.print(Text(f"  superior: {answer.superior}"))
    console.print(Text(f"  superior and strictly proper: {answer.superior_and_strictly_proper}"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    headings = ("  setting", "penalty", "x infimal", "x width of correct scores", "= weight of errors in a mixture")
    for heading in headings[: 5 if answer.base == "brier" else 4]:
        table.add_column(heading, justify="left" if heading == headings[0] else "right")
    for setting in answer.settings:
        numbers = (setting.value, setting.ratio, setting.width, setting.mixture)
        cells = ["--" if math.isnan(value) else f"{value:.4g}" for value in numbers]
        table.add_row(f"  {setting.name}", *cells[: 4 if answer.base == "brier" else 3])
    console.print(table)
    for sentence in answer.advice():
        console.print(Text(f"  {sentence}"), soft_wrap=True)
