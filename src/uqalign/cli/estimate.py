"""`uqalign estimate`: hours that a configuration will take."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer


def estimate_command(
    configfile: Annotated[Path, typer.Option(help="Configuration to estimate.")] = Path("config.yaml"),
    results: Annotated[Path, typer.Option(help="Folder of an earlier run, whose times are used.")] = Path("results"),
) -> None:
    """Project training hours per model and device from the times of an earlier run."""
    from rich.console import Console
    from rich.table import Table

    from uqalign.cases.plan import CasePlan
    from uqalign.config import load_config
    from uqalign.estimates import dataset_sizes, estimate, read_records

    plan = CasePlan.of(load_config(configfile)).check()
    rows = estimate(plan, read_records(results, dataset_sizes(plan)))
    table = Table(title=f"Training time of {configfile}", title_justify="left", box=None)
    table.add_column("model", no_wrap=True)
    for column in ("device", "fits", "recorded", "scaled", "no record", "hours"):
        table.add_column(column, justify="right")
    for model, device in dict.fromkeys((row.model, row.device) for row in rows):
        part = [row for row in rows if (row.model, row.device) == (model, device)]
        shares = [sum(row.fits for row in part if row.basis == basis) for basis in ("recorded", "scaled", "unknown")]
        hours = sum(row.hours for row in part if not math.isnan(row.hours))
        table.add_row(model, device, *(f"{n:,}" for n in (sum(shares), *shares)), f"{hours:,.2f}")
    console = Console()
    console.print(table)
    for device in dict.fromkeys(row.device for row in rows):
        total = sum(row.hours for row in rows if row.device == device and not math.isnan(row.hours))
        unit = "core hours" if device == "cpu" else "device hours"
        console.print(f"{device}: {total:,.1f} {unit} in all", highlight=False)
    missing = list(dict.fromkeys(row.model for row in rows if row.basis == "unknown"))
    if missing:
        console.print(
            f"[yellow]no time is known for {', '.join(missing)}[/]: run a little first, "
            "for instance snakemake predictions --cores 2 --config seeds=1"
        )
    console.print("[dim]scaled: by rows x features from other data sets of the same model[/]")
