"""A data set by its declaration: fetched, read, cleaned, checked."""

from __future__ import annotations

from pathlib import Path

from uqalign.data.build import build_table
from uqalign.data.declare import Dataset
from uqalign.data.errors import DataError
from uqalign.data.facts import check_facts
from uqalign.data.fetch import Fetcher
from uqalign.data.progress import SILENT, Progress
from uqalign.data.table import Table

DATA_DIR = Path("data/raw")
DOWNLOAD_DIR = Path("data/downloads")


def load(
    dataset: Dataset,
    *,
    data_dir: Path | str = DATA_DIR,
    download_dir: Path | str = DOWNLOAD_DIR,
    progress: Progress = SILENT,
) -> Table:
    """The table of `dataset`, from the first of its sources that yields every file with its checksum.

    Args:
        dataset: a declaration, as `resolve` returns it.
        data_dir: folder of files that are already there; never written to.
        download_dir: folder in which fetched files are kept.
        progress: told what happens.

    Raises:
        DataError: no source yields the files (lists each attempt and what to do), or a file cannot be read.
        FactsError: the table is not the one declared; expected and found values.
    """
    with Fetcher(data_dir=data_dir, download_dir=download_dir, progress=progress) as fetcher:
        return load_with(fetcher, dataset)


def load_with(fetcher: Fetcher, dataset: Dataset) -> Table:
    """`load` through a fetcher that keeps downloaded archives for the next data set."""
    with fetcher.open(dataset) as opened:
        read = opened.source.read or dataset.read
        try:
            frame = read(opened.streams)
        except DataError:
            raise
        except (ValueError, KeyError, IndexError, OSError) as error:
            raise DataError(f"data set {dataset.name!r}: {opened.place} cannot be read: {error}") from error
        source = {
            "kind": opened.source.kind,
            "place": opened.place,
            "sha256": {member.content.name: member.content.sha256 for member in opened.source.members},
        }
    # A reader that draws a sample states how many rows there were.
    raw_rows = int(frame.attrs.get("raw_rows", len(frame)))
    table = build_table(dataset, frame, source)
    if dataset.facts is not None:
        check_facts(table, dataset.facts, raw_rows=raw_rows)
    return table
