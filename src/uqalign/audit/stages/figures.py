"""Draw the audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.audit.comparison import compare
from uqalign.audit.effects import rankings
from uqalign.audit.figures import comparison_figure, switches_figure
from uqalign.audit.stages.results import Results
from uqalign.families import FAMILIES
from uqalign.reporting.figures import save_figure
from uqalign.stages.common import check_code, parse_spec


def run(*, taus: Sequence[Path], spec: str, code: str, out: Sequence[Path]) -> str:
    """Write each figure of `out`, told apart by stem (switches, comparison) and format by suffix.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    results = Results.read(taus, orders)
    titles = {name: family.title for name, family in FAMILIES.items()}
    charts = {
        "switches": switches_figure(rankings(results.changes), titles),
        "comparison": comparison_figure(compare(results.summary, results.names), titles),
    }
    for path in out:
        save_figure(charts[path.stem], path)
    return f"{len(out)} pictures"
