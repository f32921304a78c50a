"""Prediction caches that may be scored: made by the expected job and code, from the present data and splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uqalign.contracts.prediction_stream import PredictionStream, stream_predictions
from uqalign.contracts.predictions import Cache, SplitResult, check_coverage
from uqalign.data.splits import read_splits
from uqalign.data.table import Table, read_table
from uqalign.files import FileError


@dataclass(frozen=True)
class Trusted:
    """A cache whose splits are read, and compared with the data set and its folds, while one iterates.

    Attributes:
        stream: the cache.
        table: the cleaned data set that it predicts.
        splits: file of the data set's folds.
    """

    stream: PredictionStream
    table: Table
    splits: Path

    def __iter__(self) -> Iterator[SplitResult]:
        """The splits, one at a time.

        Raises:
            FileError: damaged, incomplete, or of other rows or targets.
        """
        folds: dict[int, Any] = {}
        for split in self.stream:
            if split.seed not in folds:
                folds = {split.seed: read_splits(self.splits, split.seed, table=self.table)}
            check_coverage(
                self.stream.path, Cache(self.stream.task, self.stream.width, [split]), self.table.target, folds
            )
            yield split


def trusted_stream(predictions: Path, data: Path, splits: Path, expects: Mapping[str, Any]) -> Trusted:
    """A cache to go through split by split, in memory that does not grow with their number.

    Args:
        expects: `spec` and `code` of the job that must have made the cache.

    Raises:
        FileError: a cache that is damaged, of another job, code or data.
    """
    stream = stream_predictions(predictions, spec=expects["spec"], code=expects["code"])
    table = read_table(data)
    if stream.provenance["data_sha256"] != table.digest:
        raise FileError(
            f"{predictions} was fitted to other data than {data}: remove it and run again (rm {predictions})"
        )
    return Trusted(stream, table, splits)


def trusted(predictions: Path, data: Path, splits: Path, expects: Mapping[str, Any]) -> tuple[Cache, Table]:
    """A whole cache and the cleaned data set that it predicts.

    Args:
        expects: `spec` and `code` of the job that must have made the cache.

    Raises:
        FileError: a cache that is damaged, incomplete, of another job, code or data.
    """
    found = trusted_stream(predictions, data, splits, expects)
    stream = found.stream
    return Cache(stream.task, stream.width, list(found), stream.provenance), found.table
