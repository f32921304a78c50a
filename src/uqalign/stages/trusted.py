"""Prediction caches that may be scored: made by the expected job and code, from the present data and splits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uqalign.contracts.predictions import Cache, check_coverage, read_predictions
from uqalign.data.splits import read_splits
from uqalign.data.table import Table, read_table
from uqalign.files import FileError


def trusted(predictions: Path, data: Path, splits: Path, expects: Mapping[str, Any]) -> tuple[Cache, Table]:
    """The cache and the cleaned data set that it predicts.

    Args:
        expects: `spec` and `code` of the job that must have made the cache.

    Raises:
        FileError: a cache that is damaged, incomplete, of another job, code or data.
    """
    cache = read_predictions(predictions, spec=expects["spec"], code=expects["code"])
    table = read_table(data)
    if cache.provenance["data_sha256"] != table.digest:
        raise FileError(
            f"{predictions} was fitted to other data than {data}: remove it and run again (rm {predictions})"
        )
    seeds = sorted({split.seed for split in cache.splits})
    check_coverage(predictions, cache, table.target, {seed: read_splits(splits, seed, table=table) for seed in seeds})
    return cache, table
