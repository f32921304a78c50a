"""Compare a run with the published tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.audit.comparison import compare, comparison_markdown, reasons
from uqalign.audit.files import of_kind, read
from uqalign.audit.page import run_notes
from uqalign.audit.stages.results import Results
from uqalign.families import FAMILIES
from uqalign.files import write_text
from uqalign.stages.common import check_code, parse_spec


def run(*, files: Sequence[Path], spec: str, code: str, csv: Path, markdown: Path) -> str:
    """Write every published cell with ours beside it.

    Args:
        files: taus and medians with a model left out, of every data set.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    results = Results.read(of_kind(files, "taus"), orders)
    without, _ = read(of_kind(files, "without"), "without")
    table = reasons(compare(results.summary, results.names), without, results.changes)
    titles = {name: family.title for name, family in FAMILIES.items()}
    write_text(csv, table.to_csv(index=False))
    write_text(markdown, comparison_markdown(table, run_notes(results.about, orders["missing"]), titles))
    inside = int(table["under_published_inside"].sum())
    return f"{len(table)} published cells, {inside} of our medians inside the published interval"
