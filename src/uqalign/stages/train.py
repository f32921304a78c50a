"""Fit one model to some seeds and folds of a data set and keep its predictions of the test rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from uqalign.contracts import Cache, SplitResult, read_predictions, write_predictions
from uqalign.data.splits import read_splits
from uqalign.data.table import Table, read_table
from uqalign.models.base import NUMERICAL_FAILURES, REGISTRY, Model, Problem, model_seed
from uqalign.files import FileError
from uqalign.predictions import check_prediction
from uqalign.provenance import declaration_modules, versions
from uqalign.stages.common import check_code, parse_spec

LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow")


def fit_split(model: Model, table: Table, folds: np.ndarray, seed: int, fold: int) -> SplitResult:
    """Fit `model` to one split; a numerical failure becomes part of the result, any other error is raised.

    Args:
        folds: (n,) the fold in which each row is a test row.
    """
    test = np.flatnonzero(folds == fold)
    target = table.target.copy()
    if not model.sees_truth:
        target[test] = np.nan
    problem = Problem(
        task=table.task,
        features=table.features,
        kinds=table.kinds,
        target=target,
        train=np.flatnonzero(folds != fold),
        test=test,
        width=table.width,
        seed=model_seed(seed, fold),
    )
    start = time.perf_counter()
    try:
        prediction = check_prediction(table.task, model.fit_predict(problem), len(test), table.width)
        error = ""
    except NUMERICAL_FAILURES as failure:
        prediction, error = None, f"{type(failure).__name__}: {failure}"
    return SplitResult(seed, fold, test, table.target[test], prediction, error, time.perf_counter() - start)


def reusable(folder: Path, spec: Mapping[str, Any], code: str, data_sha256: str) -> Iterator[SplitResult]:
    """Splits that other caches of the same model already hold: same job apart from its range, same code, same data.

    This makes the grain of the grid free: adding a seed to a chunk, or cutting the grid differently, fits only what
    no file has yet.
    """
    for path in sorted(folder.glob("seeds-*/folds-*.parquet")):
        try:
            cache = read_predictions(path, code=code)
        except FileError:
            continue
        theirs = cache.provenance.get("spec", {})
        same = all(theirs.get(key) == spec[key] for key in spec if key not in ("seeds", "folds"))
        if same and cache.provenance.get("data_sha256") == data_sha256:
            yield from cache.splits


def run(*, data: Path, splits: Path, spec: str, code: str, out: Path, threads: int = 1) -> Iterator[str]:
    """Write the predictions of every split of the job to `out`, yielding a line per split.

    Splits are independent, so they are fitted `threads` at a time, each on one core.

    Raises:
        DataError, FileError: inputs that do not fit together.
    """
    from threadpoolctl import threadpool_limits

    orders = parse_spec(spec)
    model = REGISTRY.get(orders["model"])
    check_code(code, __name__, *declaration_modules(model))
    table = read_table(data)
    first, last = orders["seeds"]
    wanted = [
        (seed, fold)
        for seed in range(first, last + 1)
        for fold in range(orders["folds"][0], orders["folds"][1] + 1)
    ]
    folds = {seed: read_splits(splits, seed, table=table) for seed in range(first, last + 1)}
    known = {(s.seed, s.fold): s for s in reusable(out.parent.parent, orders, code, table.digest)}
    results = [known[split] for split in wanted if split in known]
    todo = [split for split in wanted if split not in known]
    if results:
        yield f"{len(results)} of {len(wanted)} splits taken from earlier caches"
    with threadpool_limits(1), ThreadPoolExecutor(max(1, threads)) as pool:
        fits = pool.map(lambda split: fit_split(model, table, folds[split[0]], *split), todo)
        for done, result in enumerate(fits, start=1):
            results.append(result)
            outcome = f"failed: {result.error}" if result.error else f"{result.seconds:.2f} s"
            yield f"[{done}/{len(todo)}] {table.name} {model.name} seed {result.seed} fold {result.fold}: {outcome}"
    provenance = {
        "spec": orders,
        "code": code,
        "data_sha256": table.digest,
        "versions": versions(*LIBRARIES, *model.libraries),
        "device": "cpu",
        "reproducible": model.reproducible,
    }
    write_predictions(out, Cache(table.task, table.width, results, provenance))
