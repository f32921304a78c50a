"""`uqalign results`: what a run left, and the first thing to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def results_command(
    folder: Annotated[Path, typer.Argument(help="Folder the workflow wrote to.")] = Path("results"),
) -> None:
    """Show the alignment tables of a run and where everything lies."""
    from rich.console import Console
    from rich.markdown import Markdown

    from uqalign.files import FileError

    tables = sorted((folder / "tables").glob("alignment_*.md"))
    if not tables:
        raise FileError(f"no tables in {folder / 'tables'}: run `snakemake --cores 2` first")
    console = Console()
    for path in tables:
        console.print(Markdown(path.read_text(encoding="utf-8")))
        console.print()
    console.print("[bold]Look at[/]")
    for path in [*tables, *sorted((folder / "tables").glob("models_*.md")), *sorted(folder.glob("figures/*.png"))]:
        console.print(f"  {path}", highlight=False)
    console.print(f"[dim]Everything else: {folder / 'README.md'}[/]")
