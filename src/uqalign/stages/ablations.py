"""Agreements other than Kendall's tau, for all families in one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.contracts.alignment import read_alignment
from uqalign.families import FAMILIES
from uqalign.files import write_text
from uqalign.metrics.select import selected
from uqalign.reporting.ablations import ablation_frame, ablation_markdown
from uqalign.stages.common import check_code, parse_spec


def run(*, alignments: Sequence[Path], spec: str, code: str, csv: Path, markdown: Path) -> str:
    """Write the table as CSV and Markdown.

    Raises:
        FileError: alignment files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    families = {name: FAMILIES[name] for name in orders["families"]}
    titles = {
        name: {metric.name: metric.title for metric in selected(family.task, orders["metrics"]).values()}
        for name, family in families.items()
    }
    table = ablation_frame(read_alignment(alignments))
    ranks = [
        table["family"].map({name: i for i, name in enumerate(families)}),
        table["dataset"].map({name: i for i, name in enumerate(orders["datasets"])}),
    ]
    table = table.assign(f=ranks[0], d=ranks[1]).sort_values(["f", "d"], kind="stable").drop(columns=["f", "d"])
    write_text(csv, table.to_csv(index=False))
    write_text(markdown, ablation_markdown(table, {name: f.title for name, f in families.items()}, titles))
    return f"{len(families)} families, {table['dataset'].nunique()} data sets"
