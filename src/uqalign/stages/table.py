"""The alignment table of one decision family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import seed_taus, summarise
from uqalign.contracts.alignment import read_alignment
from uqalign.families import FAMILIES
from uqalign.files import write_text
from uqalign.inference.matrices import seed_intervals, seed_matrices
from uqalign.metrics.select import selected
from uqalign.reporting.tables import CAPTION, alignment_frame, alignment_latex, alignment_markdown, with_intervals
from uqalign.stages.common import check_code, parse_spec


def run(*, alignments: Sequence[Path], spec: str, code: str, csv: Path, markdown: Path, latex: Path) -> str:
    """Write the family's table in three formats.

    Raises:
        FileError: alignment files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    family = FAMILIES[orders["family"]]
    frame = read_alignment(alignments)
    frame = frame[frame["family"] == family.name]
    titles = {name: metric.title for name, metric in selected(family.task, orders["metrics"]).items()}
    table = alignment_frame(summarise(frame), orders["datasets"], list(titles))
    matrices = seed_matrices(seed_taus(frame), "tau", orders["datasets"], list(titles))
    intervals = seed_intervals(matrices, 1 / (orders["n_folds"] - 1))
    unranked = [path.stem for path in alignments if path.stem not in set(frame["dataset"])]
    caption = CAPTION.format(family=family.title, seeds=frame["seed"].nunique())
    if unranked:
        caption += f" No fit of any model succeeded on {', '.join(unranked)}."
    write_text(csv, with_intervals(table, intervals, list(titles)).to_csv(index=False))
    write_text(markdown, alignment_markdown(table, titles, caption))
    write_text(latex, alignment_latex(table, titles, caption, f"alignment_{family.name}"))
    return f"{family.title}: {table['dataset'].nunique()} data sets x {len(titles)} metrics"
