"""Table 1 of the paper: which metric is aligned with which decisions, every entry executed."""

from __future__ import annotations

from pathlib import Path

from uqalign.files import write_text
from uqalign.stages.common import check_code
from uqalign.theory import table_one, to_frame, verdicts_markdown


def run(*, code: str, csv: Path, markdown: Path) -> str:
    """Write the table as CSV (with the numbers behind each verdict) and Markdown."""
    check_code(code, __name__)
    verdicts = table_one()
    write_text(csv, to_frame(verdicts).to_csv(index=False))
    write_text(markdown, verdicts_markdown(verdicts) + "\n")
    confirmed = sum(verdict.confirms for verdict in verdicts)
    return f"{len(verdicts)} entries, {confirmed} as in the paper, {len(verdicts) - confirmed} not"
