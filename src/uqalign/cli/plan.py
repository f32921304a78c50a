"""`uqalign plan`: what a run would do, why, and what it would take."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from uqalign.errors import UserError

if TYPE_CHECKING:
    from uqalign.config import Config
    from uqalign.preview import Step


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the workflow merges them: lists are replaced, keyed settings are joined."""
    both = {
        key: _merged(below[key], value) if isinstance(value, Mapping) and isinstance(below.get(key), Mapping) else value
        for key, value in above.items()
    }
    return {**below, **both}


def _config(configfiles: list[Path]) -> Config:
    from uqalign.config import load_config, parse_config, read_settings

    for path in configfiles:
        load_config(path)  # so that an error names its file
    values: dict[str, Any] = {}
    for path in [Path("config.yaml"), *configfiles]:
        values = _merged(values, read_settings(path))
    return parse_config(values)


def _hours(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:,.2f}" if value > 1 else f"{value:.2g}" if value else ""


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def _closing(steps: list[Step], size: float) -> list[str]:
    """Sums and what is not known, a line each."""
    if not steps:
        return ["Nothing to be done: everything is there and up to date."]

    def total(name: str, what: str) -> str:
        values = [getattr(step, name) for step in steps]
        known = sum(value for value in values if not math.isnan(value))
        return f"{known:,.1f} {what}" + (" and more" if any(map(math.isnan, values)) else "")

    lines = [
        f"{sum(step.jobs for step in steps):,} jobs, {sum(step.fits for step in steps):,} fits, "
        f"{total('cpu_hours', 'core hours')}, {total('gpu_hours', 'GPU hours')}",
    ]
    free = shutil.disk_usage(Path.cwd()).free
    known = "size unknown until the data are there" if math.isnan(size) else f"about {_size(size)}"
    lines.append(f"predictions on disk: {known}, {_size(free)} free")
    if size > free:
        lines.append("warning: that does not fit")
    if any(math.isnan(step.cpu_hours) or math.isnan(step.gpu_hours) for step in steps):
        lines.append("?: no earlier run recorded a time; run a little first, say: snakemake --cores 2 --config seeds=1")
    return lines


def plan_command(
    configfile: Annotated[
        list[Path] | None, typer.Option(help="Configuration on top of config.yaml; may be repeated.")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(help="Profile the run will use, as profiles/slurm; default: this machine's.")
    ] = None,
    target: Annotated[list[str] | None, typer.Argument(help="Files or stages; default: everything.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON in place of a table.")] = False,
) -> None:
    """Say what a run would do, why, and what it would take, before anything is started.

    Jobs per rule and the reason they would run, hours from the times that earlier runs recorded, disk.
    """
    from uqalign.cases.plan import CasePlan
    from uqalign.preview import Cost, dry_run, is_training, summarise

    if not Path("Snakefile").is_file() and not Path("workflow/Snakefile").is_file():
        raise UserError("there is no Snakefile here: run this in the project's folder")
    if profile and not any((profile / name).is_file() for name in ("profile.yaml", "config.yaml")):
        raise UserError(f"{profile} is no profile: it holds no profile.yaml; there are profiles/slurm and others")
    configfiles = configfile or []
    plan = CasePlan.of(_config(configfiles)).check()
    arguments = [*(target or []), *(("--configfile", *map(str, configfiles)) if configfiles else ())]
    jobs = dry_run([*arguments, *(("--workflow-profile", str(profile)) if profile else ())])
    cost = Cost(plan, Path("results"))
    steps = summarise(jobs, cost)
    size = cost.prediction_bytes(job for job in jobs if is_training(job))
    if as_json:
        content = {"steps": [asdict(step) for step in steps], "prediction_bytes": size}
        plain = json.loads(json.dumps(content), parse_constant=lambda _: None)  # JSON knows no NaN
        print(json.dumps(plain, indent=1, allow_nan=False))
        return
    heads = ("rule", "jobs", "why", "fits", "core hours", "GPU hours")
    rows = [
        (s.rule, f"{s.jobs:,}", s.reason, f"{s.fits:,}" if s.fits else "", _hours(s.cpu_hours), _hours(s.gpu_hours))
        for s in steps
    ]
    if not sys.stdout.isatty():
        for row in [heads, *rows] if rows else []:
            print("\t".join(row))
        print(*_closing(steps, size), sep="\n")
        return
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if rows:
        table = Table(box=None)
        for head in heads:
            table.add_column(head, justify="left" if head in ("rule", "why") else "right")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    for line in _closing(steps, size):
        console.print(line, highlight=False, style="yellow" if line.startswith("warning") else None)
