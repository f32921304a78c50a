"""Assign every row of a data set to the fixed test set of a case study, or to what it is trained on."""

from __future__ import annotations

from pathlib import Path

from uqalign.cases.case import FixedTest
from uqalign.cases.files.splits import write_fixed_splits
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.data.table import read_table
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec


def run(*, data: Path, spec: str, code: str, out: Path) -> str:
    """Write the fixed test rows of a data set to `out`.

    Raises:
        SplitError: no test rows, or no others.
    """
    orders = parse_spec(spec)
    case = CASES_REGISTRY.get(orders["case"])
    scheme = case.splits
    if not isinstance(scheme, FixedTest):
        raise ValueError(f"case study {case.name!r} has no fixed test rows")
    check_code(code, __name__, *declaration_modules(scheme))
    table = read_table(data)
    write_fixed_splits(out, scheme, table, first_seed=orders["seeds"][0])
    return f"{table.name}: test rows of {case.name}"
