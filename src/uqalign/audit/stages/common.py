"""What the stages of one data set share."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from uqalign.audit.files import read
from uqalign.audit.means import fold_means
from uqalign.audit.measures import audited_metrics
from uqalign.audit.taus import Aligner
from uqalign.families import published_thetas
from uqalign.metrics.select import selected
from uqalign.protocol.rankings import published_row_order


def aligner_of(measures: Sequence[Path], orders: Mapping[str, Any]) -> tuple[Aligner, list[str], dict[str, Any]]:
    """The aligner of one data set, its audited metrics, and what there is to say about its fits.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    frame, metadata = read(measures, "measures")
    frame = frame[frame["seed"].isin(orders["seeds"])]
    task = orders["task"]
    splits = [status for about in metadata for status in about["splits"]]
    classes = next((about["n_classes"] for about in metadata if about["n_classes"]), None)
    thetas = {f.name: t[: orders["thetas"]] for f, t in published_thetas(task, classes).items()}
    names = audited_metrics(task, orders["metrics"])
    chosen = selected(task, orders["metrics"])
    means = fold_means(frame, published_row_order(orders["models"]), orders["n_folds"])
    about = {
        "dataset": orders["dataset"],
        "task": task,
        "models": orders["models"],
        "seeds": means.seeds,
        "n_folds": orders["n_folds"],
        "fits": len(splits),
        "failed": sum(1 for status in splits if status["error"]),
        "rows": int(statistics.median([s["rows"] for s in splits if not s["error"]] or [0])),
    }
    return Aligner(task, means, thetas, {name: chosen[name].higher_is_better for name in names}), names, about
