"""Which rows are tested in which fold, for every seed.

A splits file covers a block of 100 seeds, whichever of them the config asks for: adding seeds never changes
a file that exists. Splits depend on the data alone, never on a model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from uqalign.data.errors import DataError, SplitError
from uqalign.data.table import Table
from uqalign.files import METADATA_KEY, atomic_path
from uqalign.tasks import CLASSIFICATION

Scheme = Literal["shuffled", "grouped", "blocked"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
BLOCK = 100
"""Seeds per splits file."""
FORMAT = "uqalign splits 1"


def seed_block(seed: int) -> range:
    """The seeds that share a splits file with `seed`."""
    if seed < 0:
        raise SplitError(f"seed {seed} is negative")
    start = seed // BLOCK * BLOCK
    return range(start, start + BLOCK)


def block_name(seed: int) -> str:
    """File stem of the block of `seed`: `seeds-000-099`."""
    block = seed_block(seed)
    return f"seeds-{block[0]:03d}-{block[-1]:03d}"


def fold_assignment(table: Table, *, scheme: Scheme = "shuffled", n_folds: int = 5, seed: int) -> npt.NDArray[np.int8]:
    """The fold 1..n_folds in which each row is a test row, (n,).

    `shuffled` is scikit-learn's StratifiedKFold (classification) or KFold (regression) with shuffling and
    random_state = seed. `grouped` keeps the rows of a group in one fold (stratified for classification).
    `blocked` cuts the rows, ordered by time, into contiguous stretches; the seed moves the first cut, and
    the stretch across the end goes on at the beginning.

    Raises:
        SplitError: too few rows, groups or members of a class for the folds; no group or time column.
    """
    if scheme not in SCHEMES:
        raise SplitError(f"split {scheme!r} is none of {', '.join(SCHEMES)}")
    if not 2 <= n_folds <= 127:
        raise SplitError(f"{n_folds} folds: use between 2 and 127")
    n = len(table)
    if n < n_folds:
        raise SplitError(f"data set {table.name!r} has {n} rows, too few for {n_folds} folds")
    if scheme == "blocked":
        return _blocked(table, n_folds, seed)
    if table.task in CLASSIFICATION:
        _check_classes(table, n_folds)
    if scheme == "grouped":
        return _grouped(table, n_folds, seed)
    return _shuffled(table, n_folds, seed)


def _check_classes(table: Table, n_folds: int) -> None:
    counts = np.bincount(table.target.astype(np.intp), minlength=len(table.classes))
    rare = int(np.argmin(counts))
    if counts[rare] < n_folds:
        raise SplitError(
            f"data set {table.name!r}: class {table.classes[rare]!r} has {counts[rare]} rows, too few for "
            f"{n_folds} stratified folds: use at most {max(int(counts[rare]), 1)} folds, or merge or "
            f"drop the class"
        )


def _shuffled(table: Table, n_folds: int, seed: int) -> npt.NDArray[np.int8]:
    from sklearn.model_selection import KFold, StratifiedKFold

    folds = np.zeros(len(table), dtype=np.int8)
    if table.task in CLASSIFICATION:
        parts = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(folds, table.target.astype(np.intp))
    else:
        parts = KFold(n_folds, shuffle=True, random_state=seed).split(folds)
    for fold, (_, test) in enumerate(parts, start=1):
        folds[test] = fold
    return folds


def _grouped(table: Table, n_folds: int, seed: int) -> npt.NDArray[np.int8]:
    from sklearn.model_selection import KFold, StratifiedGroupKFold

    if table.group is None:
        raise SplitError(f"data set {table.name!r} has no group column: use split 'shuffled'")
    _, group = np.unique(table.group.astype(str), return_inverse=True)
    n_groups = int(group.max()) + 1
    if n_groups < n_folds:
        raise SplitError(f"data set {table.name!r} has {n_groups} groups, too few for {n_folds} folds")
    folds = np.zeros(len(table), dtype=np.int8)
    if table.task in CLASSIFICATION:
        parts = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed).split(
            folds, table.target.astype(np.intp), group
        )
        for fold, (_, test) in enumerate(parts, start=1):
            folds[test] = fold
    else:
        for fold, (_, test) in enumerate(
            KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_groups)), start=1
        ):
            folds[np.isin(group, test)] = fold
    return folds


def _blocked(table: Table, n_folds: int, seed: int) -> npt.NDArray[np.int8]:
    if table.time is None:
        raise SplitError(f"data set {table.name!r} has no time column: use split 'shuffled'")
    moments, moment = np.unique(table.time, return_inverse=True)
    if len(moments) < n_folds:
        raise SplitError(f"data set {table.name!r} has {len(moments)} moments, too few for {n_folds} blocks")
    start = int(np.random.default_rng(seed).integers(len(moments)))
    turned = (moment - start) % len(moments)
    return (turned * n_folds // len(moments) + 1).astype(np.int8)


def write_splits(
    path: Path | str, table: Table, *, scheme: Scheme = "shuffled", n_folds: int = 5, first_seed: int
) -> None:
    """Write the folds of the block of seeds from `first_seed`: int8 columns `seed_000` .., a line per row.

    Raises:
        SplitError: `first_seed` does not start a block, or the table cannot be split so.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = seed_block(first_seed)
    if seeds[0] != first_seed:
        raise SplitError(f"seed {first_seed} does not start a block of {BLOCK}: use {seeds[0]}")
    columns = {
        f"seed_{seed:03d}": pa.array(fold_assignment(table, scheme=scheme, n_folds=n_folds, seed=seed))
        for seed in seeds
    }
    meta = {
        "format": FORMAT,
        "dataset": table.name,
        "data_sha256": table.digest,
        "scheme": scheme,
        "n_folds": n_folds,
    }
    arrow = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(meta)})
    with atomic_path(Path(path)) as temporary:
        pq.write_table(arrow, temporary, compression="zstd")


def read_splits(path: Path | str, seed: int, *, table: Table | None = None) -> npt.NDArray[np.int8]:
    """The fold 1..n_folds in which each row is a test row under `seed`, (n,) int8.

    Args:
        path: a file of `write_splits`.
        seed: one of the file's block.
        table: when given, refuse splits made for another table.

    Raises:
        DataError: missing, corrupt or foreign file, or splits of other data; names the file and the remedy.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    remedy = f"delete {path} and run again to rebuild it"
    if not path.is_file():
        raise DataError(f"{path} does not exist: run the step that writes it")
    name = f"seed_{seed:03d}"
    try:
        with pq.ParquetFile(path) as file:
            raw = (file.schema_arrow.metadata or {}).get(METADATA_KEY)
            meta = json.loads(raw) if raw else {}
            if meta.get("format") != FORMAT:
                raise DataError(f"{path} is a Parquet file, but not splits written by this version: {remedy}")
            if name not in file.schema_arrow.names:
                raise DataError(f"{path} holds no seed {seed}: its block is {block_name(seed)}")
            folds: npt.NDArray[np.int8] = file.read([name])[name].to_numpy().astype(np.int8)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} is not a readable Parquet file ({error}): {remedy}") from error
    if table is not None and meta["data_sha256"] != table.digest:
        raise DataError(f"{path} splits other data than the present table {table.name!r}: {remedy}")
    if folds.min() < 1 or folds.max() > meta["n_folds"]:
        raise DataError(f"{path}: folds outside 1..{meta['n_folds']}: {remedy}")
    return folds
