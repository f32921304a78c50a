"""The `uqalign` command."""

from __future__ import annotations

import errno
import sys
from typing import Annotated

import typer

from uqalign import __version__
from uqalign.cli.advise import advise_command
from uqalign.cli.audit import audit_stages
from uqalign.cli.cases import cases_app
from uqalign.cli.compare import compare_command
from uqalign.cli.config import config_app
from uqalign.cli.datasets import datasets_app
from uqalign.cli.doctor import doctor_command
from uqalign.cli.electricity import electricity_app
from uqalign.cli.estimate import estimate_command
from uqalign.cli.metrics import metrics_command
from uqalign.cli.models import models_app
from uqalign.cli.penalty import penalty_command
from uqalign.cli.plan import plan_command
from uqalign.cli.prior import prior_command
from uqalign.cli.report import report_stages
from uqalign.cli.results import results_command
from uqalign.cli.score import score_command
from uqalign.cli.stage import stage_app
from uqalign.cli.theory import theory_app
from uqalign.errors import UserError

app = typer.Typer(
    name="uqalign",
    help="Which evaluation metrics rank probabilistic models as their decisions would?",
    epilog="Run the whole benchmark with: snakemake --cores 2   (see README.md)",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(datasets_app, name="datasets")
app.add_typer(models_app, name="models")
app.command("metrics")(metrics_command)
app.command("advise")(advise_command)
app.command("prior")(prior_command)
app.command("penalty")(penalty_command)
app.command("score")(score_command)
app.command("compare")(compare_command)
app.add_typer(theory_app, name="theory")
app.add_typer(cases_app, name="cases")
app.add_typer(config_app, name="config")
app.command("plan")(plan_command)
app.command("estimate")(estimate_command)
app.command("doctor")(doctor_command)
app.command("results")(results_command)
app.add_typer(electricity_app, name="electricity")
stage_app.add_typer(audit_stages, name="audit")
stage_app.add_typer(report_stages, name="report")
app.add_typer(stage_app, name="stage")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"uqalign {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


REMEDIES = {
    errno.ENOSPC: "free space on the disk of {place}, and run again",
    errno.EDQUOT: "free some of your quota on the disk of {place}, and run again",
    errno.EROFS: "make {place} writable, or write elsewhere",
    errno.EACCES: "ask for access to {place}, or use another place",
}


def main() -> None:
    """Run the command line; an error that the user can mend is a message, not a traceback."""
    try:
        app()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        # What is written lies where --out says; errors of the libraries that write do not always name it.
        place = error.filename or next((sys.argv[i + 1] for i, a in enumerate(sys.argv[:-1]) if a == "--out"), "it")
        print(f"error: {error}: {REMEDIES[error.errno].format(place=place)}", file=sys.stderr)
        sys.exit(1)
