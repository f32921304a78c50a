"""One model's predictions for the data sets of an arm, with all that their outcome depends on, from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uqalign.cases.case import Part
from uqalign.cases.files.side import read_side
from uqalign.contracts.predictions import check_coverage, read_predictions
from uqalign.data.splits import read_splits
from uqalign.data.table import read_table
from uqalign.files import FileError


def read_part(
    data: Path, side: Path, splits: Path, predictions: Path, expects: Mapping[str, Any] | None = None
) -> Part:
    """One data set of an arm, its files checked against each other and against the job that was planned.

    Args:
        expects: "spec" and "code" of the training job.

    Raises:
        DataError, FileError: files that are damaged, incomplete, of another job or of other data.
    """
    cache = read_predictions(predictions, **(expects or {}))
    table = read_table(data)
    if cache.provenance["data_sha256"] != table.digest:
        raise FileError(
            f"{predictions} was fitted to other data than {data}: remove it and run again (rm {predictions})"
        )
    folds = {seed: read_splits(splits, seed, table=table) for seed in sorted({split.seed for split in cache.splits})}
    check_coverage(predictions, cache, table.target, folds)
    return Part(table.name, table, read_side(side, table), folds, cache)
