"""Fetch and clean one data set."""

from __future__ import annotations

from pathlib import Path

from uqalign.data.load import load
from uqalign.data.registry import resolve
from uqalign.data.table import write_table
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec


def run(*, spec: str, code: str, out: Path, data_dir: Path, download_dir: Path) -> str:
    """Write the cleaned table of `spec["dataset"]` to `out` and say what it holds.

    Raises:
        DataError: no source yields the data, or it is not what its declaration states.
    """
    dataset = resolve(parse_spec(spec)["dataset"])
    check_code(code, __name__, *declaration_modules(dataset))
    table = load(dataset, data_dir=data_dir, download_dir=download_dir)
    write_table(table, out)
    return f"{table.name}: {len(table)} rows x {table.features.shape[1]} features from {table.source.get('kind')}"
