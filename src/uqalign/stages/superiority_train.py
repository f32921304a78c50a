"""Train one cell of the checkpoint study and keep every epoch's predictions."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from uqalign.stages.common import check_code, parse_spec
from uqalign.superiority.cache import write_epochs
from uqalign.superiority.regimes import regime
from uqalign.superiority.sets import REGISTRY
from uqalign.superiority.training import train_cell


def run(
    *,
    spec: str,
    code: str,
    out: Path,
    data_dir: Path,
    threads: int,
    device: Callable[[], AbstractContextManager[str]],
    report: Callable[[str], None],
) -> str:
    """Write the predictions of every epoch of every seed to `out`.

    Raises:
        ImageError: pictures that are missing or damaged.
    """
    orders = parse_spec(spec)
    chosen_set = REGISTRY.get(orders["dataset"])
    check_code(code, __name__, chosen_set.load.__module__)
    images = chosen_set.load(data_dir)
    first, last = orders["seeds"]
    start = time.perf_counter()
    with device() as name:
        runs = train_cell(
            images,
            chosen_set.name,
            regime(orders["regime"], share=orders["share"], noise=orders["noise"]),
            range(first, last + 1),
            epochs=orders["epochs"],
            threads=threads,
            device=name,
            report=report,
        )
    metadata = {
        "spec": orders,
        "code": code,
        "device": name,
        "seconds": round(time.perf_counter() - start, 2),
        "data_sha256": hashlib.sha256(images.pixels.tobytes() + images.labels.tobytes()).hexdigest(),
    }
    write_epochs(out, runs, images.labels, metadata)
    return f"{len(runs)} seeds of {orders['epochs']} epochs in {metadata['seconds']} s on {name}"
