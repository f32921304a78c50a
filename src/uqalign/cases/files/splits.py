"""A fixed set of test rows, as a file that the training and scoring stages read like any other splits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from uqalign.cases.case import NEVER_TESTED, SCHEME, TESTED, FixedTest
from uqalign.data.errors import SplitError
from uqalign.data.splits import FORMAT, seed_block
from uqalign.data.table import Table
from uqalign.files import METADATA_KEY, atomic_path


def fixed_folds(scheme: FixedTest, table: Table) -> npt.NDArray[np.int8]:
    """(n,) 1 for test rows and 2 for all others.

    Raises:
        SplitError: a test set that is empty, everything, or not a boolean per row.
    """
    test = np.asarray(scheme.test(table))
    where = f"the fixed test set of data set {table.name!r}"
    if test.shape != (len(table),) or test.dtype != np.bool_:
        raise SplitError(f"{where} must be ({len(table)},) booleans, got {test.dtype} {test.shape}")
    if not test.any() or test.all():
        raise SplitError(f"{where} holds {int(test.sum())} of {len(table)} rows: test some, and train on some")
    return np.where(test, TESTED, NEVER_TESTED).astype(np.int8)


def write_fixed_splits(path: Path, scheme: FixedTest, table: Table, *, first_seed: int) -> None:
    """Write the folds of a fixed test set, the same for every seed of a block.

    Raises:
        SplitError: as `fixed_folds`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folds = pa.array(fixed_folds(scheme, table))
    meta = {
        "format": FORMAT,
        "dataset": table.name,
        "data_sha256": table.digest,
        "scheme": SCHEME,
        "n_folds": NEVER_TESTED,
    }
    columns = {f"seed_{seed:03d}": folds for seed in seed_block(first_seed)}
    arrow = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(meta)})
    with atomic_path(path) as temporary:
        pq.write_table(arrow, temporary, compression="zstd")
