"""The configuration: what to run, as lists of names and a protocol. Everything else lives in the registries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from uqalign.errors import UserError
from uqalign.report.settings import PageConfig
from uqalign.strict import Strict
from uqalign.superiority.settings import StudyConfig

MAX_SEEDS_PER_BLOCK = 100
"""Splits are stored in blocks of this many seeds; no job crosses a block."""


class ConfigError(UserError):
    """A configuration that cannot be run; the message lists each fault with its place and remedy."""


class Chunk(Strict):
    """How many (seed, fold) replicates one training job fits together; predictions do not depend on it."""

    seeds: int = Field(10, ge=1, le=MAX_SEEDS_PER_BLOCK, description="seeds per training job")
    folds: int = Field(5, ge=1, description="folds per training job")


def _data_dir() -> Path:
    return Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw"))


class Config(Strict):
    """One benchmark run. Every field has a default, so that `Config()` is the default run."""

    data_dir: Path = Field(
        default_factory=_data_dir,
        description="folder of raw files you already have (else UQALIGN_DATA_DIR, else data/raw); "
        "what is not there is downloaded to data/downloads",
    )
    datasets: list[str] = Field(
        ["heart_complete", "ionosphere_keel", "iris", "wine", "auto_mpg", "iris_petals"],
        description="data sets by name (`uqalign datasets`), or your own: path/to/declaration.yaml, "
        "package.module:NAME",
    )
    models: list[str] = Field(
        ["logreg", "linreg", "random_forest", "gradient_boosting", "mlp", "deep_ensemble", "resnet"],
        description="models by name (`uqalign models`), suites (paper, paper_open), or your own: package.module:NAME; "
        "each is fitted to the data sets whose task it knows",
    )
    metrics: list[str] = Field(
        ["all"], description="metrics by name (`uqalign metrics`); all: every metric of the data set's task"
    )
    seeds: int | list[int] = Field(3, description="repeats of the cross-validation: a count, or a list of seeds")
    folds: int = Field(5, ge=2, le=99, description="folds of each cross-validation")
    split: Literal["shuffled", "grouped", "blocked"] = Field(
        "shuffled",
        description="shuffled (stratified for classes), grouped (whole groups), or blocked (stretches of time)",
    )
    protocol: str | list[str] = Field(
        "definitions",
        description="definitions, published (every deviation of the published evaluation), or a list of its switches "
        "(docs/published-protocol.md)",
    )
    thetas: Annotated[int, Field(ge=1, le=5)] = Field(
        5, description="decisions drawn per decision family; a metric's alignment is its mean over them"
    )
    cases: list[str] = Field(
        default_factory=list,
        description="case studies by name (electricity, credit, lending), or your own: package.module:NAME; "
        "docs/cases.md",
    )
    case_options: dict[str, dict[str, int | float | str]] = Field(
        default_factory=dict,
        description="what to change in a case study, such as {lending: {budget: 30000}}; docs/cases.md lists all",
    )
    chunk: Chunk = Field(
        default_factory=lambda: Chunk(seeds=10, folds=5),
        description="(seed, fold) replicates fitted by one job: 1 x 1 for a big cluster, 10 x 5 for a workstation",
    )

    superiority: StudyConfig = Field(
        default_factory=lambda: StudyConfig(), description="the checkpoint study (`snakemake superiority`)"
    )
    report: PageConfig = Field(default_factory=lambda: PageConfig(), description="the page (`snakemake report`)")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where networks and Gaussian processes are trained; auto: on a GPU if there is one"
    )

    @field_validator("datasets", "models", "metrics", "seeds", "protocol", "cases")
    @classmethod
    def _distinct(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, list):
            if not value and info.field_name not in ("datasets", "cases"):
                raise ValueError("the list is empty: name at least one")
            repeated = sorted({str(item) for item in value if value.count(item) > 1})
            if repeated:
                raise ValueError(f"listed more than once: {', '.join(repeated)}")
        return value

    @model_validator(mode="after")
    def _something_to_do(self) -> Config:
        if not self.datasets and not self.cases:
            raise ValueError("datasets: the list is empty: name at least one, or a case study under cases")
        return self

    @field_validator("seeds")
    @classmethod
    def _seeds_in_range(cls, value: int | list[int]) -> int | list[int]:
        if isinstance(value, int) and value < 1:
            raise ValueError("at least one seed is needed")
        if isinstance(value, list) and not all(0 <= seed <= 999 for seed in value):
            raise ValueError("seeds lie between 0 and 999")
        return value

    @property
    def switches(self) -> list[str]:
        """Names of protocol switches, as written; none for the definitions."""
        listed = [self.protocol] if isinstance(self.protocol, str) else self.protocol
        return [] if listed == ["definitions"] else listed

    @property
    def seed_list(self) -> list[int]:
        """The seeds in ascending order."""
        return sorted(self.seeds) if isinstance(self.seeds, list) else list(range(self.seeds))


def parse_config(values: Mapping[str, Any]) -> Config:
    """The validated configuration.

    Raises:
        ConfigError: names each faulty key, what is wrong with it and the nearest valid name.
    """
    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        lines = []
        for fault in error.errors():
            place = ".".join(str(part) for part in fault["loc"] if part not in ("int", "list[int]")) or "config"
            message = fault["msg"].removeprefix("Value error, ")
            line = f"{place}: {message}"
            if line not in lines:
                lines.append(line)
        raise ConfigError("the configuration cannot be used:\n  " + "\n  ".join(lines)) from None


def read_settings(path: Path) -> Mapping[str, Any]:
    """The keys and values of a YAML file, not yet validated.

    Raises:
        ConfigError: no such file, or no YAML with keys and values.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        raise ConfigError(f"no configuration file {path}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(values, Mapping):
        raise ConfigError(f"{path} must hold keys and values, found {type(values).__name__}")
    return values


def load_config(path: Path) -> Config:
    """The configuration in a YAML file (an overlay is enough: what it leaves out has its default)."""
    return parse_config(read_settings(path))


def default_yaml() -> str:
    """The default configuration as commented YAML: the text of `config.yaml`."""
    lines = [
        "# yaml-language-server: $schema=configs/schema.json",
        "# The default run. Names come from the registries; overlays are given with --configfile.",
        "# Written by `uqalign config default`; every key may be left out.",
    ]
    values = Config(data_dir=Path("data/raw")).model_dump(mode="json")
    for name, field in Config.model_fields.items():
        if name == "data_dir":  # left to the environment unless someone sets it
            lines += ["", f"# {field.description}", f"# {name}: {values[name]}"]
            continue
        flow = None if isinstance(values[name], list | dict) else False
        text = yaml.safe_dump({name: values[name]}, sort_keys=False, default_flow_style=flow, width=110)
        lines += ["", f"# {field.description}", text.rstrip()]
    return "\n".join(lines) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON schema of the configuration, for editors."""
    schema = Config.model_json_schema()
    schema["title"] = "uqalign configuration"
    return schema
