"""Fit one model to some seeds and folds of a data set and keep its predictions of the test rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from uqalign.contracts.predictions import Cache, SplitResult, read_predictions, write_predictions
from uqalign.data.preprocess import Encoded, encode
from uqalign.data.splits import read_splits
from uqalign.data.table import Table, read_table
from uqalign.files import FileError
from uqalign.models.base import REGISTRY, Compute, Model, Problem, fit_all, model_seed
from uqalign.provenance import canonical_json, declaration_modules, versions
from uqalign.stages.common import check_code, parse_spec

LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow")


def split_problem(model: Model, table: Table, encoded: Encoded, folds: np.ndarray, seed: int, fold: int) -> Problem:
    """What a model may see of one split: test labels are blanked unless it is a control that declares to need them.

    Args:
        encoded: the table's features as arrays.
        folds: (n,) the fold in which each row is a test row.
    """
    test = np.flatnonzero(folds == fold)
    target = table.target.copy()
    if not model.sees_truth:
        target[test] = np.nan
    return Problem(
        task=table.task,
        features=table.features,
        kinds=table.kinds,
        target=target,
        train=np.flatnonzero(folds != fold),
        test=test,
        width=table.width,
        seed=model_seed(seed, fold),
        encoded=encoded,
    )


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


def run(
    *,
    data: Path,
    splits: Path,
    spec: str,
    code: str,
    out: Path,
    threads: int,
    device: Callable[[], AbstractContextManager[str]],
) -> Iterator[str]:
    """Write the predictions of every split of the job to `out`, yielding a line per split.

    Args:
        device: holds a device while the fits run; asked only if the model can use another than the CPU.

    Raises:
        DataError, FileError: inputs that do not fit together.
    """
    orders = parse_spec(spec)
    model = REGISTRY.get(orders["model"])
    check_code(code, __name__, *declaration_modules(model))
    table = read_table(data)
    planned, found = orders.get("identity", {}), dict(model.identity(table.task))
    if planned != found:
        raise FileError(
            f"model {model.name}: planned with {canonical_json(planned)}, but here is {canonical_json(found)}: "
            "use the same files on every machine, or start the run again"
        )
    first, last = orders["seeds"]
    wanted = [
        (seed, fold) for seed in range(first, last + 1) for fold in range(orders["folds"][0], orders["folds"][1] + 1)
    ]
    folds = {seed: read_splits(splits, seed, table=table) for seed in range(first, last + 1)}
    known = {(s.seed, s.fold): s for s in reusable(out.parent.parent, orders, code, table.digest)}
    results = [known[split] for split in wanted if split in known]
    todo = [split for split in wanted if split not in known]
    if results:
        yield f"{len(results)} of {len(wanted)} splits taken from earlier caches"
    encoded = encode(table.features, table.kinds)
    problems = [split_problem(model, table, encoded, folds[seed], seed, fold) for seed, fold in todo]
    useful = "cuda" in model.devices and bool(todo)
    with device() if useful else nullcontext("cpu") as place:
        outcomes = fit_all(model, problems, Compute(threads, place))
        for done, ((seed, fold), problem, outcome) in enumerate(zip(todo, problems, outcomes, strict=True), start=1):
            y = table.target[problem.test]
            results.append(SplitResult(seed, fold, problem.test, y, outcome.prediction, outcome.error, outcome.seconds))
            told = f"failed: {outcome.error}" if outcome.error else f"{outcome.seconds:.2f} s"
            yield f"[{done}/{len(todo)}] {table.name} {model.name} seed {seed} fold {fold}: {told}"
    provenance = {
        "spec": orders,
        "code": code,
        "data_sha256": table.digest,
        "versions": versions(*LIBRARIES, *model.libraries),
        "device": place,
        "reproducible": model.reproducible,
    }
    write_predictions(out, Cache(table.task, table.width, results, provenance))
