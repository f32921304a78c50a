"""Rank the models of one data set by every metric and every decision, and compare the rankings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import align, per_seed
from uqalign.contracts import ALIGNMENT_COLUMNS, read_scores
from uqalign.files import write_parquet
from uqalign.metrics.select import selected
from uqalign.stages.common import check_code, parse_spec


def run(*, scores: Sequence[Path], spec: str, code: str, out: Path) -> str:
    """Write Kendall's tau-b per seed, decision and metric to `out`.

    Raises:
        FileError: score files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    frame, statuses = read_scores(scores)
    frame = frame[frame["seed"].isin(orders["seeds"])]
    task = orders["task"]
    wide = per_seed(frame, orders["models"], orders["n_folds"])
    metrics = selected(task, orders["metrics"])
    signs = {name: 1 if metric.higher_is_better else -1 for name, metric in metrics.items()}
    table = align(wide, signs).assign(task=task, dataset=orders["dataset"])
    failed = [status for status in statuses if status["error"]]
    metadata = {"kind": "alignment", "spec": orders, "code": code, "failed": failed, "fits": len(statuses)}
    write_parquet(table[ALIGNMENT_COLUMNS], out, metadata)
    undefined = int(table["tau"].isna().sum())
    return (
        f"{orders['dataset']}: {len(table)} alignments of {len(orders['models'])} models, {undefined} undefined, "
        f"{len(failed)} of {len(statuses)} fits failed"
    )
