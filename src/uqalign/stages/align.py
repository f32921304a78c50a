"""Rank the models of one data set by every metric and every decision, and compare the rankings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from uqalign.alignment import align, fold_mean, per_seed
from uqalign.contracts.alignment import ALIGNMENT_COLUMNS
from uqalign.contracts.scores import read_scores
from uqalign.files import write_parquet
from uqalign.metrics.select import selected
from uqalign.protocol.agreements import agree_under
from uqalign.protocol.rankings import fold_mean_published, published_row_order
from uqalign.stages.common import check_code, parse_spec


def run(*, scores: Sequence[Path], spec: str, code: str, out: Path) -> str:
    """Write the agreements of every metric with every decision in every seed to `out`.

    Raises:
        FileError: score files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    frame, statuses = read_scores(scores)
    frame = frame[frame["seed"].isin(orders["seeds"])]
    task = orders["task"]
    orientation = {name: metric.higher_is_better for name, metric in selected(task, orders["metrics"]).items()}
    switches = orders["protocol"]
    if switches:
        models = published_row_order(orders["models"])
        mean = fold_mean_published if "nan_last" in switches else fold_mean
        table = align(
            per_seed(frame, models, orders["n_folds"], mean), orientation, partial(agree_under, switches=switches)
        )
    else:
        table = align(per_seed(frame, orders["models"], orders["n_folds"]), orientation)
    table = table.assign(task=task, dataset=orders["dataset"])
    failed = [status for status in statuses if status["error"]]
    metadata = {"kind": "alignment", "spec": orders, "code": code, "failed": failed, "fits": len(statuses)}
    write_parquet(table[ALIGNMENT_COLUMNS], out, metadata)
    undefined = int(table["tau"].isna().sum())
    return (
        f"{orders['dataset']}: {len(table)} alignments of {len(orders['models'])} models, {undefined} undefined, "
        f"{len(failed)} of {len(statuses)} fits failed"
    )
