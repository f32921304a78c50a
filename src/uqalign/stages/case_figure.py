"""One figure of a case study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.report import figures_of, read_results
from uqalign.provenance import declaration_modules
from uqalign.reporting.figures import save_figure
from uqalign.stages.common import check_code, parse_spec


def run(*, files: Sequence[Path], spec: str, code: str, out: Sequence[Path]) -> str:
    """Draw the figure to each path of `out`, in the format of its suffix.

    Raises:
        FileError: files of the case study that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    case = CASES_REGISTRY.get(orders["case"])
    figure = figures_of(case)[orders["name"]]
    check_code(code, __name__, *declaration_modules(figure))
    chart = figure.draw(read_results(orders, files))
    for path in out:
        save_figure(chart, path)
    return f"{case.name}: {figure.name}"
