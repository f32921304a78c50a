"""Keep what a case study needs beside predictions, for every row of one data set."""

from __future__ import annotations

from pathlib import Path

from uqalign.cases.files.side import cleaned_frame, side_of, write_side
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.data.registry import resolve
from uqalign.data.table import read_table
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec


def run(*, data: Path, spec: str, code: str, out: Path, data_dir: Path, download_dir: Path) -> str:
    """Write the side information of a data set to `out`.

    Raises:
        DataError, FileError: raw data that cannot be read, or that is not what `data` was made of.
        UserError: side information that does not fit the table.
    """
    orders = parse_spec(spec)
    case, dataset = CASES_REGISTRY.get(orders["case"]), resolve(orders["dataset"])
    check_code(code, __name__, *declaration_modules((dataset, case.side)))
    table = read_table(data)
    frame = cleaned_frame(dataset, table, data_dir=data_dir, download_dir=download_dir)
    side = side_of(case, table, frame)
    write_side(out, side, {"spec": orders, "code": code, "data_sha256": table.digest})
    return f"{case.name}: {', '.join(side.columns)} of {len(side)} rows of {table.name}"
