"""One table of a case study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.report import read_results, tables_of
from uqalign.cases.tables import plain_markdown
from uqalign.files import write_text
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec


def run(*, files: Sequence[Path], spec: str, code: str, csv: Path, markdown: Path) -> str:
    """Write the table in two formats.

    Raises:
        FileError: files of the case study that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    case = CASES_REGISTRY.get(orders["case"])
    table = tables_of(case)[orders["name"]]
    check_code(code, __name__, *declaration_modules(table))
    results = read_results(orders, files)
    caption, rows = table.build(results)
    write_text(csv, rows.to_csv(index=False))
    write_text(markdown, table.render(results, caption, rows) if table.render else plain_markdown(caption, rows))
    return f"{case.name}: {table.name}, {len(rows)} rows"
