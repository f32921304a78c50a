"""Assign every row of a data set to a test fold, for a block of seeds."""

from __future__ import annotations

from pathlib import Path

from uqalign.data.splits import write_splits
from uqalign.data.table import read_table
from uqalign.stages.common import check_code, parse_spec


def run(*, data: Path, spec: str, code: str, out: Path) -> str:
    """Write the folds of every seed of a block to `out`.

    Raises:
        SplitError: the data set cannot be split so.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    table = read_table(data)
    first, last = orders["seeds"]
    write_splits(out, table, scheme=orders["split"], n_folds=orders["folds"], first_seed=first)
    return f"{table.name}: {orders['folds']} {orders['split']} folds for seeds {first} to {last}"
