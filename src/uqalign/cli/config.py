"""`uqalign config`: what can be set, and whether a file of settings can be run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

config_app = typer.Typer(help="The configuration: defaults, schema, and a check.", no_args_is_help=True)


@config_app.command("default")
def default_config() -> None:
    """Print the default configuration with comments."""
    from uqalign.config import default_yaml

    print(default_yaml(), end="")


@config_app.command("schema")
def config_schema() -> None:
    """Print the JSON schema of the configuration."""
    from uqalign.config import json_schema

    print(json.dumps(json_schema(), indent=2))


@config_app.command("check")
def check_config(path: Annotated[Path, typer.Argument(help="A YAML configuration.")]) -> None:
    """Say what a configuration would run, or what is wrong with it."""
    from uqalign.cases.plan import CasePlan
    from uqalign.config import load_config

    plan = CasePlan.of(load_config(path)).check()
    fits = sum(len(job.seeds) * len(job.folds) for job in plan.jobs)
    print(
        f"{path}: {len(plan.datasets)} data sets, {len(plan.models)} models, {len(plan.config.seed_list)} seeds x "
        f"{plan.config.folds} folds: {len(plan.jobs)} training jobs, {fits} fits"
    )
    if plan.cases:
        print(f"case studies: {', '.join(plan.cases)}")
