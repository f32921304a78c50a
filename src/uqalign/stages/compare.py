"""How sure one family's alignments are: intervals over data sets, every pair of metrics, ranks over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import seed_taus
from uqalign.contracts.alignment import read_alignment
from uqalign.families import FAMILIES
from uqalign.files import write_text
from uqalign.inference.bootstrap import mean_over_datasets
from uqalign.inference.comparison import pairwise_table, pooled_table, rank_table
from uqalign.inference.matrices import seed_matrices
from uqalign.metrics.select import selected
from uqalign.reporting.comparison import pairwise_markdown, pooled_markdown, ranks_markdown
from uqalign.stages.common import check_code, parse_spec


def run(
    *,
    alignments: Sequence[Path],
    spec: str,
    code: str,
    pooled: tuple[Path, Path],
    pairwise: tuple[Path, Path],
    ranks: tuple[Path, Path],
) -> str:
    """Write three tables, each as CSV and Markdown.

    Raises:
        FileError: alignment files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    family = FAMILIES[orders["family"]]
    titles = {name: metric.title for name, metric in selected(family.task, orders["metrics"]).items()}
    metrics = list(titles)
    frame = read_alignment(alignments)
    seeds = seed_taus(frame[frame["family"] == family.name])
    present = {path.stem for path in alignments}
    datasets = [name for name in orders["datasets"] if name in present]
    matrices = seed_matrices(seeds, "tau", datasets, metrics)
    ratio = 1 / (orders["n_folds"] - 1)
    tables = (
        (pooled, pooled_table(matrices, metrics), pooled_markdown),
        (pairwise, pairwise_table(matrices, metrics, test_train_ratio=ratio), pairwise_markdown),
        (ranks, rank_table(mean_over_datasets(list(matrices.values()))[1], metrics, "metric"), ranks_markdown),
    )
    for (csv, markdown), table, render in tables:
        write_text(csv, table.to_csv(index=False))
        write_text(markdown, render(table, titles, family.title))
    return f"{family.title}: {len(metrics)} metrics on {len(matrices)} data sets"
