"""`uqalign cases`: which case studies there are."""

from __future__ import annotations

from typing import Annotated

import typer

cases_app = typer.Typer(help="The case studies: list them, or show one.", invoke_without_command=True)


@cases_app.callback()
def list_cases(context: typer.Context) -> None:
    """List the case studies."""
    if context.invoked_subcommand:
        return
    from rich.console import Console
    from rich.table import Table

    from uqalign.cases.registry import CASES_REGISTRY

    table = Table(title="Case studies", title_justify="left", box=None)
    for column in ("name", "task", "what it is", "arms"):
        table.add_column(column, style="bold" if column == "name" else None, no_wrap=column == "name")
    for case in CASES_REGISTRY:
        table.add_row(case.name, case.task, case.title, ", ".join(arm.name for arm in case.arms))
    console = Console()
    console.print(table)
    console.print(
        "\n[dim]One in full: uqalign cases show NAME. Run: snakemake cases --config 'cases=[NAME]' (docs/cases.md).[/]"
    )


@cases_app.command("show")
def show_case(name: Annotated[str, typer.Argument(help="A case study's name, or package.module:NAME.")]) -> None:
    """Show a case study: its data sets, options and switches."""
    from rich.console import Console

    from uqalign.cases.registry import CASES_REGISTRY
    from uqalign.protocol import SWITCHES

    case = CASES_REGISTRY.get(name)
    console = Console(highlight=False)
    console.print(f"[bold]{case.title}[/] ({case.name}, {case.task}), utility in {case.unit or 'a unit of its own'}")
    if case.note:
        console.print(case.note, markup=False)
    for arm in case.arms:
        count = len(arm.datasets)
        data = arm.datasets[0] if count == 1 else f"{count} data sets, {arm.datasets[0]} .. {arm.datasets[-1]}"
        changed = "".join(f", {option} {value}" for option, value in arm.options.items())
        console.print(f"arm {arm.name}: {arm.title}; {data}{changed}", markup=False)
    for option, value in case.options.items():
        console.print(f"option {option}: {value}", markup=False)
    for switch in case.switches:
        console.print(f"switch {switch}: {SWITCHES[switch].published}", markup=False)
