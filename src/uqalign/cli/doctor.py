"""`uqalign doctor`: what a run would lack here, and what to do about it."""

from __future__ import annotations

import dataclasses
import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from uqalign.cli.datasets import DATA_DIR, DOWNLOAD_DIR, DataDir, DownloadDir

if TYPE_CHECKING:
    from uqalign.doctor import Finding

STYLES = {"ok": ("ok", "green"), "note": ("note", "yellow"), "problem": ("PROBLEM", "bold red")}


def doctor_command(
    configfile: Annotated[Path, typer.Option(help="Configuration whose data and models are needed.")] = Path(
        "config.yaml"
    ),
    results: Annotated[Path, typer.Option(help="Folder the workflow writes to.")] = Path("results"),
    data_dir: DataDir = DATA_DIR,
    download_dir: DownloadDir = DOWNLOAD_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check installation, device, models, data and cluster; exit with 1 if a run would fail."""
    from uqalign.config import Config, load_config
    from uqalign.doctor import examine

    config = load_config(configfile) if configfile.exists() else Config()
    findings = list(examine(config, results, data_dir, download_dir))
    if json:
        print(json_module.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        _show(findings)
    if any(finding.status == "problem" for finding in findings):
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        word, style = STYLES[finding.status]
        remedy = f"\n[dim]-> {escape(finding.remedy)}[/]" if finding.remedy else ""
        table.add_row(f"[{style}]{word}[/]", finding.subject, escape(finding.detail) + remedy)
    Console(highlight=False).print(table)
