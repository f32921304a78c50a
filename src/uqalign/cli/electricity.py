"""`uqalign electricity`: obtain the data of the electricity case study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

electricity_app = typer.Typer(help="The electricity case study: fetch its data.", no_args_is_help=True)


@electricity_app.callback()
def _group() -> None:
    pass


@electricity_app.command()
def fetch(
    out: Annotated[Path, typer.Option(help="Folder to write to; the case study reads the default.")] = Path(
        "data/entsoe"
    ),
) -> None:
    """Fetch generation and prices from ENTSO-E (key in ENTSOE_API_KEY) and Elia, for the case electricity_belwind."""
    from uqalign.cases.electricity.access.fetch import fetch as obtain
    from uqalign.data.progress import Console

    for kind, path in obtain(out, progress=Console()).items():
        print(f"{kind}: {path}")
