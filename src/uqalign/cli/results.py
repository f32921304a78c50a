"""`uqalign results`: what a run left, and the first thing to look at."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table


def _medians(path: Path) -> Table:
    """The medians of one alignment table; the best of each data set is bold."""
    from rich.table import Table

    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    family = path.stem.removeprefix("alignment_").replace("_", " ")
    table = Table(title=f"Alignment with {family} (median Kendall's tau)", title_justify="left", box=None)
    table.add_column("data set", no_wrap=True)
    for metric in dict.fromkeys(row["metric"] for row in rows):
        table.add_column(metric, justify="right", overflow="fold")
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        values = [float(row["median"] or "nan") for row in rows if row["dataset"] == dataset]
        best = max((value for value in values if not math.isnan(value)), default=math.nan)
        shown = ["--" if math.isnan(value) else f"{value:.2f}" for value in values]
        table.add_row(
            dataset, *(f"[bold]{text}[/]" if value == best else text for text, value in zip(shown, values, strict=True))
        )
    return table


def results_command(
    folder: Annotated[Path, typer.Argument(help="Folder the workflow wrote to.")] = Path("results"),
) -> None:
    """Show the alignment tables of a run and where everything lies."""
    from rich.console import Console

    from uqalign.files import FileError

    tables = sorted((folder / "tables").glob("alignment_*.csv"))
    if not tables:
        raise FileError(f"no tables in {folder / 'tables'}: run `snakemake --cores 2` first")
    console = Console()
    for path in tables:
        console.print(_medians(path))
        console.print()
    console.print("1: the metric ranks the models as the decision does; 0: no relation; -1: the other way round.")
    console.print("[dim]--: every model is equally good for the decision, or by the metric.[/]\n")
    console.print("[bold]Look at[/]")
    pages = [path.with_suffix(".md") for path in tables]
    leaderboards = sorted((folder / "tables").glob("models_*.md"))
    page = [path for path in [folder / "report/index.html"] if path.exists()]
    for path in [*page, *pages, *leaderboards, *sorted(folder.glob("figures/alignment_*.png"))]:
        console.print(f"  {path}", highlight=False)
    console.print(f"[dim]Everything else: {folder / 'README.md'}[/]")
