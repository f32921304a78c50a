"""Verdicts and errata as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from uqalign.theory.errata import Erratum
from uqalign.theory.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd


def to_frame(entries: Sequence[Verdict] | Sequence[Erratum]) -> pd.DataFrame:
    """One row per entry and number of its evidence (columns quantity, value), the other columns repeated."""
    import pandas as pd

    rows = []
    for entry in entries:
        values = entry.to_dict()
        evidence = values.pop("evidence")
        rows += [{**values, "quantity": name, "value": value} for name, value in evidence.items()]
    return pd.DataFrame(rows)


def verdicts_markdown(verdicts: Sequence[Verdict]) -> str:
    """Table 1 as Markdown, one line per entry."""
    lines = [
        "| task | metric | family | scope | paper | found | prior | why |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for v in verdicts:
        found = v.verdict if v.confirms else f"**{v.verdict}**"
        cells = [v.task, v.metric, v.family, v.scope, v.claim, found, v.prior, v.reason]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def errata_markdown(entries: Sequence[Erratum]) -> str:
    """Errata as Markdown, one line per entry."""
    lines = ["| where | claim | correction | numbers |", "| --- | --- | --- | --- |"]
    for e in entries:
        shown = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in e.evidence.items())
        lines.append(f"| {e.where} | {e.claim} | {e.correction} | {shown} |")
    return "\n".join(lines)
