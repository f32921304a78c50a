"""The published alignment tables (Schneider et al. 2026, Tables J.1 to J.4 and 2), as numbers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

PATH = Path(__file__).with_name("published.toml")

REPEATS = 100
"""Repeats behind every published interval."""

PUBLISHED_AS: Mapping[str, str] = MappingProxyType(
    {
        "bank": "bank",
        "heart": "heart",
        "heart_complete": "heart",
        "ionosphere": "ionosphere",
        "ionosphere_keel": "ionosphere",
        "mushroom": "mushroom",
        "mushroom_complete": "mushroom",
        "sonar": "sonar",
        "sonar_keel": "sonar",
        "air_quality": "air_quality",
        "auto_mpg": "auto_mpg",
        "energy": "energy",
        "power_plant": "power_plant",
        "wine_quality": "wine_quality",
    }
)
"""Data sets and the names under which the published tables have them; variants count as the original."""

Entry = tuple[str, str, str, str, float, float, float]


@cache
def _entries() -> tuple[Entry, ...]:
    tables = tomllib.loads(PATH.read_text(encoding="utf-8"))["table"]
    return tuple(
        (table["number"], table["family"], dataset, metric, *cell)
        for table in tables
        for dataset, cells in table["datasets"].items()
        for metric, cell in zip(table["metrics"], cells, strict=True)
    )


def table_numbers() -> dict[str, str]:
    """Number of the published table of each decision family."""
    return {family: number for number, family, *_ in _entries()}


def metrics_of(family: str) -> tuple[str, ...]:
    """Metrics of a family's published table, in its order; empty where there is none."""
    return tuple(dict.fromkeys(metric for _, name, _, metric, *_ in _entries() if name == family))


def datasets_of(family: str) -> tuple[str, ...]:
    """Data sets of a family's published table, in its order, by their published names."""
    return tuple(dict.fromkeys(dataset for _, name, dataset, *_ in _entries() if name == family))


def published_tables() -> pd.DataFrame:
    """Kendall's tau of every published cell.

    Returns:
        columns table ("J.1"), family, dataset, metric, median, q05, q95 (over 100 repeats), best: whether the median is
        the highest of its data set, which the paper prints in bold.
    """
    import pandas as pd

    columns = ["table", "family", "dataset", "metric", "median", "q05", "q95"]
    frame = pd.DataFrame(list(_entries()), columns=columns)
    highest = frame.groupby(["table", "dataset"])["median"].transform("max")
    return frame.assign(best=frame["median"] == highest)
