"""The report's steps, as Snakemake calls them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

report_stages = typer.Typer(help="The steps of the report.", no_args_is_help=True, rich_markup_mode=None)

Spec = Annotated[str, typer.Option(help="What to do, as canonical JSON.")]
Code = Annotated[str, typer.Option(help="Digest of the code the workflow was planned with.")]


@report_stages.command()
def dataset(
    predictions: Annotated[list[Path], typer.Argument(help="Prediction caches of the data set, then its scores.")],
    spec: Spec,
    code: Code,
    standings: Annotated[Path, typer.Option(help="Standings to write.")],
    curves: Annotated[Path, typer.Option(help="Curves to write.")],
    fits: Annotated[Path, typer.Option(help="Fits to write.")],
) -> None:
    """Gather what the page shows of one data set."""
    from uqalign.report.stages import dataset as stage

    half = len(predictions) // 2
    print(
        stage.run(
            predictions=predictions[:half],
            scores=predictions[half:],
            spec=spec,
            code=code,
            standing=standings,
            curves=curves,
            fits=fits,
        )
    )


@report_stages.command()
def page(
    files: Annotated[list[Path], typer.Argument(help="Results to show; where each lies tells what it is.")],
    spec: Spec,
    code: Code,
    html: Annotated[Path, typer.Option(help="Page to write.")],
    archive: Annotated[Path, typer.Option("--zip", help="Zip of the page and its data to write.")],
    results: Annotated[Path, typer.Option(help="Folder of the records and measurements of jobs.")] = Path("results"),
) -> None:
    """Write the page."""
    from uqalign.report.stages import page as stage

    print(stage.run(files=files, results=results, spec=spec, code=code, html=html, archive=archive))
