"""Measure every epoch of one cell of the checkpoint study."""

from __future__ import annotations

from pathlib import Path

from uqalign.files import FileError, write_parquet
from uqalign.stages.common import check_code, parse_spec
from uqalign.superiority.cache import read_epochs, read_metadata
from uqalign.superiority.measures import measure
from uqalign.superiority.study import MEASURE_COLUMNS


def run(*, predictions: Path, spec: str, code: str, out: Path) -> str:
    """Write a row per seed, epoch and part to `out`; one epoch is in memory at a time.

    Raises:
        FileError: predictions that are damaged, of another job, made by other code, or incomplete.
    """
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    remedy = f"remove it and run again (rm {predictions})"
    metadata = read_metadata(predictions)
    for key, expected in orders["expects"].items():
        if metadata.get(key) != expected:
            raise FileError(f"{predictions} was made by another job or other code ({key} differs): {remedy}")
    job = orders["expects"]["spec"]
    rows = []
    for epoch in read_epochs(predictions):
        for part, y, p in (("validation", epoch.y, epoch.p), ("test", epoch.y_test, epoch.p_test)):
            keys = (job["dataset"], job["regime"], p.shape[1], epoch.seed, epoch.epoch, part)
            rows.append((*keys, *measure(y, p).values()))
    first, last = job["seeds"]
    if len(rows) != 2 * (last - first + 1) * job["epochs"]:
        raise FileError(f"{predictions} holds {len(rows) // 2} epochs, not {job['epochs']} of each seed: {remedy}")
    write_parquet(
        pd.DataFrame(rows, columns=MEASURE_COLUMNS), out, {"kind": "epoch measures", "spec": orders, "code": code}
    )
    return f"{len(rows)} rows of measures"
