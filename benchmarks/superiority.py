"""Time and memory of scoring one cell of the checkpoint study over the whole penalty grid.

python benchmarks/superiority.py --classes 10 --epochs 50 --rows 10000
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from uqalign.superiority.cache import read_epochs, write_epochs
from uqalign.superiority.measures import measure
from uqalign.superiority.regimes import Split
from uqalign.superiority.study import MEASURE_COLUMNS, select
from uqalign.superiority.training import Run


def write(path: Path, classes: int, epochs: int, rows: int) -> None:
    """A file with `rows` pictures in all, half of them for validation; predictions sharpen over the epochs."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, rows)
    logits = rng.normal(size=(epochs, rows, classes)).astype(np.float32)
    logits[:, np.arange(rows), labels] += np.linspace(0.5, 3, epochs, dtype=np.float32)[:, None]
    p = np.exp(logits)
    p /= p.sum(axis=2, keepdims=True)
    half = rows // 2
    split = Split(np.arange(2), labels[:2], np.arange(half), np.arange(half, rows))
    write_epochs(path, [Run(0, split, p)], labels, {})


def score(path: Path) -> None:
    """Measure every epoch, then select by every monitor in both modes."""
    start = time.perf_counter()
    rows = []
    for epoch in read_epochs(path):
        for part, y, p in (("validation", epoch.y, epoch.p), ("test", epoch.y_test, epoch.p_test)):
            keys = ("synthetic", "full", p.shape[1], epoch.seed, epoch.epoch, part)
            rows.append((*keys, *measure(y, p).values()))
    chosen = select(pd.DataFrame(rows, columns=MEASURE_COLUMNS), patience=5)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(rows) // 2} epochs, {len(chosen)} selections: {seconds:.1f} s, {peak:.0f} MB (budget 20 s, 1024 MB)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--score", type=Path, help="score this file (used by the benchmark itself)")
    options = parser.parse_args()
    if options.score:
        score(options.score)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.parquet"
        write(path, options.classes, options.epochs, options.rows)
        print(f"file: {path.stat().st_size / 2**20:.0f} MB")
        # A process of its own, so that its peak memory is that of scoring alone.
        subprocess.run([sys.executable, __file__, "--score", str(path)], check=True)


if __name__ == "__main__":
    main()
