"""The theory of superior scoring rules: checks, tables and figures."""

from __future__ import annotations

from pathlib import Path

from uqalign.errors import UserError
from uqalign.files import write_text
from uqalign.reporting.figures import save_figure
from uqalign.scoring_rules.verification.figures import FIGURES
from uqalign.scoring_rules.verification.report import Settings, theory_tables
from uqalign.stages.common import check_code, parse_spec

FIGURE_FORMATS = ("pdf", "png")


def run(*, spec: str, code: str, folder: Path) -> str:
    """Write every table (CSV, Markdown) and figure (PDF, PNG) of the theory to `folder`.

    Args:
        spec: what differs from the default `Settings`, as canonical JSON.
        code: digest of the code the workflow was planned with.
        folder: where to write.

    Raises:
        UserError: settings that do not exist.
        StaleCodeError: code that changed since the workflow was planned.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    try:
        settings = Settings(**orders)
    except TypeError as error:
        raise UserError(f"--spec: {error}") from None
    tables = theory_tables(settings)
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", table.frame.to_csv(index=False))
        write_text(folder / f"{name}.md", table.markdown())
    for name, draw in FIGURES.items():
        chart = draw()
        for kind in FIGURE_FORMATS:
            save_figure(chart, folder / f"{name}.{kind}")
    found = tables["claims"].frame["found"].value_counts()
    return ", ".join(f"{count} {verdict}" for verdict, count in found.items())
