"""`uqalign metrics`: what predictions can be scored by."""

from __future__ import annotations

from typing import Annotated

import typer


def metrics_command(
    task: Annotated[str, typer.Option(help="Only one task: binary, multiclass, regression, multivariate.")] = "",
) -> None:
    """List the metrics of every task: orientation, bounds, propriety."""
    from rich.console import Console
    from rich.table import Table

    from uqalign.metrics.registry import for_task
    from uqalign.registry import UnknownNameError, did_you_mean
    from uqalign.tasks import TASKS

    if task and task not in TASKS:
        raise UnknownNameError(f"unknown task {task!r}: {did_you_mean(task, TASKS)}")
    console = Console()
    for shown in TASKS:
        if task and task != shown:
            continue
        table = Table(title=f"Metrics for {shown} problems", title_justify="left", box=None)
        for column in ("name", "better", "proper"):
            table.add_column(column, no_wrap=True, style="bold" if column == "name" else None)
        table.add_column("what it is")
        for metric in for_task(shown).values():
            better = "higher" if metric.higher_is_better else "lower"
            table.add_row(metric.name, better, metric.proper, metric.description)
        console.print(table)
        console.print()
