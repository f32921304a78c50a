"""`uqalign models`: what can be compared."""

from __future__ import annotations

from typing import Annotated

import typer

models_app = typer.Typer(help="The models: list them, or show one.", invoke_without_command=True)


@models_app.callback()
def list_models(context: typer.Context) -> None:
    """List the models with the tasks they know."""
    if context.invoked_subcommand:
        return
    from rich.console import Console
    from rich.table import Table

    from uqalign.models.base import REGISTRY
    from uqalign.tasks import TASKS

    table = Table(title="Models", title_justify="left", box=None)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("tasks")
    table.add_column("what it is")
    for model in REGISTRY:
        what = f"{model.title} [dim](control)[/]" if model.control else model.title
        table.add_row(model.name, ", ".join(task for task in TASKS if task in model.tasks), what)
    console = Console()
    console.print(table)
    console.print("\n[dim]One in full: uqalign models show NAME. Your own: see CONTRIBUTING.md.[/]")


@models_app.command("show")
def show_model(name: Annotated[str, typer.Argument(help="A model's name, or package.module:NAME.")]) -> None:
    """Show a model's card: distribution, hyperparameters, reference."""
    from rich.console import Console

    from uqalign.models.base import REGISTRY
    from uqalign.provenance import declaration_modules, versions

    model = REGISTRY.get(name)
    installed = versions(*model.libraries)
    facts = {
        "tasks": ", ".join(sorted(model.tasks)),
        "predicts": model.distribution,
        "reference": model.reference,
        "devices": ", ".join(model.devices),
        "reproducible": f"{model.reproducible} (on one machine)",
        "libraries": ", ".join(f"{lib} {installed.get(lib, 'not installed')}" for lib in model.libraries),
        "code": ", ".join(declaration_modules(model)),
    }
    console = Console()
    console.print(f"[bold]{model.title}[/] ({model.name})")
    for key, value in facts.items():
        if value:
            console.print(f"  [cyan]{key:<13}[/]", end="")
            console.print(value, markup=False, highlight=False)
    for key, setting in model.hyperparameters.items():
        console.print(f"  [dim]{key}[/] = {setting}", highlight=False)
