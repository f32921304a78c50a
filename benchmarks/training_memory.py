"""Memory of fitting many splits of a large table at once.

An epoch of `mlp` on each of 50 splits of 100,000 made-up rows x 50 columns; prints the peak memory of the process
before and after.

    python benchmarks/training_memory.py --rows 100000 --columns 50 --splits 50
"""

from __future__ import annotations

import argparse
import os
import resource
from dataclasses import replace

import numpy as np
import pandas as pd

from uqalign.data.preprocess import encode
from uqalign.models import mlp
from uqalign.models.base import Compute, Problem
from uqalign.training.fit import fit_networks


def problems(rows: int, columns: int, splits: int) -> list[Problem]:
    """Splits, four fifths of the rows for training, of one table."""
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.normal(size=(rows, columns)), columns=[f"x{i}" for i in range(columns)])
    target = features["x0"].to_numpy() + rng.normal(size=rows)
    kinds = dict.fromkeys(features, "numeric")
    encoded = encode(features, kinds)
    made = []
    for seed in range(splits):
        train, test = np.split(np.random.default_rng(seed).permutation(rows), [rows * 4 // 5])
        made.append(
            Problem("regression", features, kinds, target, np.sort(train), np.sort(test), 1, seed, encoded=encoded)
        )
    return made


def peak() -> float:
    """Most memory that this process ever held, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--splits", type=int, default=50)
    options = parser.parse_args()
    given = problems(options.rows, options.columns, options.splits)
    recipe = replace(mlp.recipe("regression"), max_epochs=lambda n: 1)
    list(fit_networks(given[:1], Compute(1), recipe))  # first use loads libraries
    before = peak()
    list(fit_networks(given, Compute(os.cpu_count() or 1), recipe, memory=16 * 2**30))
    print(f"peak before {before:.0f} MB, with {options.splits} splits {peak():.0f} MB")


if __name__ == "__main__":
    main()
