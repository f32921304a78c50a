"""One command per step of the workflow; Snakemake calls them, and a line from any log can be run by hand."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import typer

stage_app = typer.Typer(
    help="The steps of the workflow, as Snakemake calls them.", no_args_is_help=True, rich_markup_mode=None
)

Spec = Annotated[str, typer.Option(help="What to do, as canonical JSON.")]
Code = Annotated[str, typer.Option(help="Digest of the code the workflow was planned with.")]
Out = Annotated[Path, typer.Option(help="File to write.")]
Data = Annotated[Path, typer.Option(help="Cleaned data set.")]
Splits = Annotated[Path, typer.Option(help="Fold of every row, for a block of seeds.")]
Many = Annotated[list[Path], typer.Argument(help="Files to read.")]
TextPair = Annotated[tuple[Path, Path], typer.Option(help="CSV and Markdown to write.")]
Folder = Annotated[Path, typer.Option(help="Folder to write pictures to.")]


def _say(line: str) -> None:
    print(line, flush=True)


@stage_app.command("clean_data")
def clean_data(spec: Spec, code: Code, out: Out) -> None:
    """Fetch and clean one data set."""
    from uqalign.stages import clean_data as stage

    _say(
        stage.run(
            spec=spec,
            code=code,
            out=out,
            data_dir=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")),
            download_dir=Path(os.environ.get("UQALIGN_DOWNLOAD_DIR", "data/downloads")),
        )
    )


@stage_app.command("split_data")
def split_data(data: Data, spec: Spec, code: Code, out: Out) -> None:
    """Assign every row to a test fold, for a block of seeds."""
    from uqalign.stages import split_data as stage

    _say(stage.run(data=data, spec=spec, code=code, out=out))


@stage_app.command()
def train(
    data: Data,
    splits: Splits,
    spec: Spec,
    code: Code,
    out: Out,
    threads: Annotated[int, typer.Option(help="Splits fitted at a time.")] = 1,
) -> None:
    """Fit one model to some seeds and folds, and keep its predictions."""
    from uqalign.stages import train as stage

    def device() -> AbstractContextManager[str]:
        from uqalign.training.lease import held_device

        return held_device(os.environ.get("UQALIGN_DEVICE", "auto"))

    for line in stage.run(data=data, splits=splits, spec=spec, code=code, out=out, threads=threads, device=device):
        _say(line)


@stage_app.command()
def score(
    data: Data,
    splits: Splits,
    predictions: Annotated[Path, typer.Option(help="Prediction cache.")],
    spec: Spec,
    code: Code,
    out: Out,
) -> None:
    """Score a prediction cache by every metric and every decision."""
    from uqalign.stages import score as stage

    _say(stage.run(data=data, splits=splits, predictions=predictions, spec=spec, code=code, out=out))


@stage_app.command()
def align(scores: Many, spec: Spec, code: Code, out: Out) -> None:
    """Compare the rankings of the models of one data set."""
    from uqalign.stages import align as stage

    _say(stage.run(scores=scores, spec=spec, code=code, out=out))


@stage_app.command()
def table(
    alignments: Many,
    spec: Spec,
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
    latex: Annotated[Path, typer.Option(help="LaTeX to write.")],
) -> None:
    """Write the alignment table of one decision family."""
    from uqalign.stages import table as stage

    _say(stage.run(alignments=alignments, spec=spec, code=code, csv=csv, markdown=markdown, latex=latex))


@stage_app.command()
def leaderboard(
    scores: Many,
    spec: Spec,
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Write the table of models by metric of one task."""
    from uqalign.stages import leaderboard as stage

    _say(stage.run(scores=scores, spec=spec, code=code, csv=csv, markdown=markdown))


@stage_app.command()
def figure(alignments: Many, spec: Spec, code: Code, folder: Folder) -> None:
    """Draw the alignment of one task."""
    from uqalign.stages import figure as stage

    _say(stage.run(alignments=alignments, spec=spec, code=code, folder=folder))


@stage_app.command()
def compare(alignments: Many, spec: Spec, code: Code, pooled: TextPair, pairwise: TextPair, ranks: TextPair) -> None:
    """Compare the metrics of one decision family, over data sets and on each."""
    from uqalign.stages import compare as stage

    _say(stage.run(alignments=alignments, spec=spec, code=code, pooled=pooled, pairwise=pairwise, ranks=ranks))


@stage_app.command("comparison_figure")
def comparison_figure(
    ranks: Annotated[Path, typer.Option(help="Ranks of the metrics, as CSV.")],
    pairwise: Annotated[Path, typer.Option(help="Pairs of metrics, as CSV.")],
    spec: Spec,
    code: Code,
    folder: Folder,
) -> None:
    """Draw the comparison of the metrics of one decision family."""
    from uqalign.stages import comparison_figure as stage

    _say(stage.run(ranks=ranks, pairwise=pairwise, spec=spec, code=code, folder=folder))


@stage_app.command()
def ablations(
    alignments: Many,
    spec: Spec,
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Write agreements other than Kendall's tau."""
    from uqalign.stages import ablations as stage

    _say(stage.run(alignments=alignments, spec=spec, code=code, csv=csv, markdown=markdown))


@stage_app.command()
def stability(
    scores: Many,
    spec: Spec,
    code: Code,
    stability: TextPair,
    first_places: Annotated[Path, typer.Option(help="CSV to write.")],
    model_ranks: TextPair,
) -> None:
    """Tell how stable the ranking of one task's models is."""
    from uqalign.stages import stability as stage

    _say(
        stage.run(
            scores=scores,
            spec=spec,
            code=code,
            stability=stability,
            first_places=first_places,
            model_ranks=model_ranks,
        )
    )


@stage_app.command("model_figure")
def model_figure(
    model_ranks: Annotated[Path, typer.Argument(help="Ranks of the models, as CSV.")],
    spec: Spec,
    code: Code,
    folder: Folder,
) -> None:
    """Draw the ranks of one task's models."""
    from uqalign.stages import model_figure as stage

    _say(stage.run(model_ranks=model_ranks, spec=spec, code=code, folder=folder))


@stage_app.command("prior_figures")
def prior_figures(code: Code, folder: Folder) -> None:
    """Draw the priors."""
    from uqalign.stages import prior_figures as stage

    _say(stage.run(code=code, folder=folder))


@stage_app.command("theory_table")
def theory_table(
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Write which metric is aligned with which decisions, every entry executed."""
    from uqalign.stages import theory_table as stage

    _say(stage.run(code=code, csv=csv, markdown=markdown))


@stage_app.command("case_splits")
def case_splits(data: Data, spec: Spec, code: Code, out: Out) -> None:
    """Assign every row to the fixed test set of a case study, or to what it is trained on."""
    from uqalign.stages import case_splits as stage

    _say(stage.run(data=data, spec=spec, code=code, out=out))


@stage_app.command("case_side")
def case_side(data: Data, spec: Spec, code: Code, out: Out) -> None:
    """Keep what a case study needs beside predictions, row by row."""
    from uqalign.stages import case_side as stage

    _say(
        stage.run(
            data=data,
            spec=spec,
            code=code,
            out=out,
            data_dir=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")),
            download_dir=Path(os.environ.get("UQALIGN_DOWNLOAD_DIR", "data/downloads")),
        )
    )


@stage_app.command("case_score")
def case_score(files: Many, spec: Spec, code: Code, out: Out) -> None:
    """Score a model's predictions for a case study."""
    from uqalign.stages import case_score as stage

    _say(stage.run(files=files, spec=spec, code=code, out=out))


@stage_app.command("case_table")
def case_table(
    files: Many,
    spec: Spec,
    code: Code,
    csv: Annotated[Path, typer.Option(help="CSV to write.")],
    markdown: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Write one table of a case study."""
    from uqalign.stages import case_table as stage

    _say(stage.run(files=files, spec=spec, code=code, csv=csv, markdown=markdown))


@stage_app.command("case_figure")
def case_figure(
    files: Many,
    spec: Spec,
    code: Code,
    out: Annotated[list[Path], typer.Option(help="Picture to write; its suffix decides the format.")],
) -> None:
    """Draw one figure of a case study."""
    from uqalign.stages import case_figure as stage

    _say(stage.run(files=files, spec=spec, code=code, out=out))


@stage_app.command("superiority_train")
def superiority_train(
    spec: Spec,
    code: Code,
    out: Out,
    threads: Annotated[int, typer.Option(help="Seeds trained at a time.")] = 1,
) -> None:
    """Train one cell of the checkpoint study and keep every epoch's predictions."""
    from uqalign.stages import superiority_train as stage
    from uqalign.training.lease import held_device

    _say(
        stage.run(
            spec=spec,
            code=code,
            out=out,
            data_dir=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")),
            threads=threads,
            device=lambda: held_device(os.environ.get("UQALIGN_DEVICE", "auto")),
            report=_say,
        )
    )


@stage_app.command("superiority_score")
def superiority_score(
    predictions: Annotated[Path, typer.Option(help="Predictions of every epoch.")], spec: Spec, code: Code, out: Out
) -> None:
    """Measure every epoch of one cell of the checkpoint study."""
    from uqalign.stages import superiority_score as stage

    _say(stage.run(predictions=predictions, spec=spec, code=code, out=out))


@stage_app.command("superiority_report")
def superiority_report(
    measures: Many,
    spec: Spec,
    code: Code,
    tables: Annotated[Path, typer.Option(help="Folder of the tables.")],
    figures: Annotated[Path, typer.Option(help="Folder of the pictures.")],
) -> None:
    """Select epochs offline; write the tables and pictures of the checkpoint study."""
    from uqalign.stages import superiority_report as stage

    _say(stage.run(measures=measures, spec=spec, code=code, tables=tables, figures=figures))


@stage_app.command("sensitivity_scores")
def sensitivity_scores(
    data: Data,
    splits: Splits,
    predictions: Annotated[Path, typer.Option(help="Prediction cache.")],
    spec: Spec,
    code: Code,
    out: Out,
) -> None:
    """Evaluate decisions under other priors, and expected utilities over whole maps of priors."""
    from uqalign.stages import sensitivity_scores as stage

    _say(stage.run(data=data, splits=splits, predictions=predictions, spec=spec, code=code, out=out))


@stage_app.command("sensitivity_alignment")
def sensitivity_alignment(
    files: Many,
    spec: Spec,
    code: Code,
    levels: Annotated[Path, typer.Option(help="Alignments by level to write.")],
    surfaces: Annotated[Path, typer.Option(help="Surfaces to write.")],
) -> None:
    """Align the metrics of one data set with decisions under other priors."""
    from uqalign.stages import sensitivity_alignment as stage

    _say(stage.run(files=files, spec=spec, code=code, levels=levels, surfaces=surfaces))


@stage_app.command("sensitivity_report")
def sensitivity_report(
    files: Many,
    spec: Spec,
    code: Code,
    tables: Annotated[Path, typer.Option(help="Folder of the tables.")],
    figures: Annotated[Path, typer.Option(help="Folder of the pictures.")],
) -> None:
    """Write the tables and pictures of the sensitivity analysis of one task."""
    from uqalign.stages import sensitivity_report as stage

    _say(stage.run(files=files, spec=spec, code=code, tables=tables, figures=figures))


@stage_app.command("superiority_theory")
def superiority_theory(
    spec: Spec,
    code: Code,
    folder: Annotated[Path, typer.Option(help="Folder of the tables and figures.")],
) -> None:
    """Check the theory of superior scoring rules; write its tables and figures."""
    from uqalign.stages import superiority_theory as stage

    _say(stage.run(spec=spec, code=code, folder=folder))
