"""Ties of models on the top-k decisions of one data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.audit.files import write
from uqalign.audit.stages.common import aligner_of
from uqalign.audit.ties import tied_pairs, under_orders
from uqalign.stages.common import check_code, parse_spec


def run(*, measures: Sequence[Path], spec: str, code: str, ties: Path, row_orders: Path) -> str:
    """Write the shares of tied pairs, and the medians under random orders of the models.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    aligner, names, about = aligner_of(measures, orders)
    metadata = {"spec": orders, "code": code, **about}
    table = tied_pairs(aligner, about["rows"]).assign(dataset=orders["dataset"])
    write(ties, "ties", table, metadata)
    write(row_orders, "orders", under_orders(aligner, names).assign(dataset=orders["dataset"]), metadata)
    return f"{orders['dataset']}: {table['tied'].mean():.0%} of the pairs of models tie"
