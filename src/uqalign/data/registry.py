"""Data sets by name, by dotted path, or by the path of a YAML declaration."""

from __future__ import annotations

from pathlib import Path

from uqalign.data.declare import Dataset
from uqalign.registry import Registry

DATASETS_REGISTRY: Registry[Dataset] = Registry(
    what="data set",
    package="uqalign.data.catalogue",
    attribute="DATASETS",
    group="uqalign.datasets",
    kind=Dataset,
)


def is_declaration_file(name: str) -> bool:
    """Whether `name` is the path of a YAML declaration rather than a registered name."""
    return Path(name).suffix.lower() in {".yaml", ".yml"}


def resolve(name: str) -> Dataset:
    """The data set called `name` in the config: `sonar`, `my_package.sets:MINE` or `path/to/mine.yaml`.

    Raises:
        UnknownNameError: no such data set; names the nearest one.
        DataError: a YAML file that is missing or does not declare a data set.
    """
    if is_declaration_file(name):
        from uqalign.data.user import read_declaration

        return read_declaration(Path(name))
    return DATASETS_REGISTRY.get(name)
