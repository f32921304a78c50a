"""The audit's steps, as Snakemake calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

audit_stages = typer.Typer(help="The steps of the audit.", no_args_is_help=True, rich_markup_mode=None)

Spec = Annotated[str, typer.Option(help="What to do, as canonical JSON.")]
Code = Annotated[str, typer.Option(help="Digest of the code the workflow was planned with.")]
Many = Annotated[list[Path], typer.Argument(help="Files to read.")]


@audit_stages.command()
def score(
    files: Annotated[list[Path], typer.Argument(help="Prediction caches, then their splits.")],
    data: Annotated[Path, typer.Option(help="Cleaned data set.")],
    spec: Spec,
    code: Code,
    out: Annotated[Path, typer.Option(help="File to write.")],
) -> None:
    """Score the predictions of one model in every way in which a setting does."""
    from uqalign.audit.stages import score as stage

    print(stage.run(data=data, files=files, spec=spec, code=code, out=out))


@audit_stages.command()
def align(
    measures: Many,
    spec: Spec,
    code: Code,
    taus: Annotated[Path, typer.Option(help="Taus to write.")],
    without: Annotated[Path, typer.Option(help="Medians with each model left out to write.")],
) -> None:
    """Align the metrics of one data set under every setting."""
    from uqalign.audit.stages import align as stage

    print(stage.run(measures=measures, spec=spec, code=code, taus=taus, without=without))


@audit_stages.command()
def ties(
    measures: Many,
    spec: Spec,
    code: Code,
    ties: Annotated[Path, typer.Option(help="Shares of tied pairs to write.")],
    row_orders: Annotated[Path, typer.Option(help="Medians under random orders of the models to write.")],
) -> None:
    """Count the ties of models on top-k decisions, and what their order decides."""
    from uqalign.audit.stages import ties as stage

    print(stage.run(measures=measures, spec=spec, code=code, ties=ties, row_orders=row_orders))


@audit_stages.command()
def comparison(
    files: Many,
    spec: Spec,
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Compare a run with the published tables."""
    from uqalign.audit.stages import comparison as stage

    print(stage.run(files=files, spec=spec, code=code, csv=csv, markdown=markdown))


@audit_stages.command()
def report(
    files: Many, spec: Spec, code: Code, folder: Annotated[Path, typer.Option(help="Folder to write to.")]
) -> None:
    """Write what the switches do, which claims hold, and the page."""
    from uqalign.audit.stages import report as stage

    print(stage.run(files=files, spec=spec, code=code, folder=folder))


@audit_stages.command()
def figures(
    taus: Many,
    spec: Spec,
    code: Code,
    out: Annotated[list[Path], typer.Option(help="Picture to write; its suffix decides the format.")],
) -> None:
    """Draw the audit."""
    from uqalign.audit.stages import figures as stage

    print(stage.run(taus=taus, spec=spec, code=code, out=out))
