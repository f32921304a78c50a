"""How much of the batched engine's time is matrix products, and what they alone would take.

Counts the products of `mlp` or `resnet` in 50 fits on one core and compares their rate with that of the machine, that
of a large product. A network of this size cannot be fitted in less time than its products take at that rate.

    python benchmarks/training_floor.py --models mlp,resnet --datasets heart_complete
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))
from training import DATASETS, load, resolve
from uqalign.data.preprocess import encode
from uqalign.data.splits import fold_assignment
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.models.nets import mlp, norm_linear, products, resnet
from uqalign.stages.train import split_problem

Product = Callable[..., Any]


class Counter:
    """Wraps products of stacks of R matrices, and adds up what they do and take."""

    def __init__(self) -> None:
        self.operations = 0
        self.seconds = 0.0

    def wrap(self, function: Product, matrix: int) -> Product:
        """Count `function`, in which each row of the first argument meets each number of the argument at `matrix`."""

        def counted(*given: Any) -> Any:
            start = time.thread_time()
            result = function(*given)
            self.seconds += time.thread_time() - start
            self.operations += 2 * given[0].shape[1] * given[matrix].numel()
            return result

        return counted


def install(counter: Counter) -> None:
    """Count every product of the networks with slopes in closed form, and those of evaluation."""
    for name, matrix in (("product", 1), ("product_of_columns", 2), ("product_of_rows", 1)):
        counted = counter.wrap(getattr(products, name), matrix)
        for module in (products, norm_linear, resnet, mlp):
            if hasattr(module, name):
                setattr(module, name, counted)
    plain = torch.baddbmm
    evaluated = counter.wrap(lambda x, weight, bias: plain(bias, x, weight), 1)

    def with_bias(bias: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, **options: float) -> Any:
        """Those with options are within one of the above."""
        return plain(bias, x, weight, **options) if options else evaluated(x, weight, bias)

    torch.baddbmm = with_bias


def peak(size: int = 2048) -> float:
    """Billions of operations per second of a large product on one core, the best of ten."""
    torch.set_num_threads(1)
    x = torch.randn(size, size)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        x @ x
        times.append(time.perf_counter() - start)
    return 2e-9 * size**3 / min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--models", default="mlp,resnet")
    parser.add_argument("--replicates", type=int, default=50)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")))
    options = parser.parse_args()
    rate = peak()
    print(f"a large product: {rate:.0f} GFLOP/s on one core")
    counter = Counter()
    install(counter)
    print(f"{'data set':16} {'model':8} {'cpu ms':>8} {'products':>9} {'GFLOP':>7} {'GFLOP/s':>8} {'at peak':>8}")
    for dataset in options.datasets.split(","):
        table = load(resolve(dataset), data_dir=options.data_dir)
        encoded = encode(table.features, table.kinds)
        folds = {seed: fold_assignment(table, seed=seed) for seed in range(-(-options.replicates // 5))}
        splits = [(seed, fold) for seed in folds for fold in range(1, 6)][: options.replicates]
        for name in options.models.split(","):
            model = REGISTRY.get(name)
            problems = [split_problem(model, table, encoded, folds[seed], seed, fold) for seed, fold in splits]
            list(fit_all(model, problems[:1], Compute(1)))  # first use loads libraries
            counter.operations, counter.seconds, start = 0, 0.0, time.process_time()
            list(fit_all(model, problems, Compute(1)))
            each = 1e3 / len(problems)
            giga = counter.operations * 1e-9
            print(
                f"{table.name:16} {name:8} {(time.process_time() - start) * each:8.1f} {counter.seconds * each:9.1f} "
                f"{giga / len(problems):7.2f} {giga / counter.seconds:8.1f} {giga / rate * each:8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
