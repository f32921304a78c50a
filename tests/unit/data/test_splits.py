"""Folds are the published ones, partition the rows, and depend on the data alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

from uqalign.data.errors import DataError, SplitError
from uqalign.data.splits import block_name, fold_assignment, read_splits, seed_block, write_splits
from uqalign.data.table import Table


def as_regression(table: Table) -> Table:
    return dataclasses.replace(table, task="regression", classes=())


@pytest.mark.parametrize("seed", [0, 1, 99])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_shuffled_folds_are_those_of_scikit_learn(table: Table, seed: int, n_folds: int) -> None:
    folds = fold_assignment(table, n_folds=n_folds, seed=seed)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(splitter.split(np.zeros(30), table.target), start=1):
        np.testing.assert_array_equal(np.flatnonzero(folds == fold), test)
        np.testing.assert_array_equal(np.flatnonzero(folds != fold), train)
    folds = fold_assignment(as_regression(table), n_folds=n_folds, seed=seed)
    for fold, (_, test) in enumerate(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(30)), start=1):
        np.testing.assert_array_equal(np.flatnonzero(folds == fold), test)
    assert folds.dtype == np.int8


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 500), n_folds=st.integers(2, 10), scheme=st.sampled_from(["shuffled", "grouped", "blocked"]))
def test_every_row_is_tested_exactly_once(seed: int, n_folds: int, scheme: str) -> None:
    table = example()
    for case in (table, as_regression(table)):
        folds = fold_assignment(case, scheme=scheme, n_folds=n_folds, seed=seed)  # type: ignore[arg-type]
        assert folds.shape == (40,)
        assert set(folds.tolist()) == set(range(1, n_folds + 1))
        if scheme == "grouped":
            assert len(set(zip(case.group.tolist(), folds.tolist(), strict=True))) == 20  # type: ignore[union-attr]


def example() -> Table:
    import pandas as pd

    return Table(
        name="example",
        task="binary",
        features=pd.DataFrame({"x": np.arange(40.0)}),
        target=np.tile([0.0, 1.0], 20),
        classes=("a", "b"),
        target_names=("y",),
        kinds={"x": "numeric"},
        group=np.repeat([f"g{number}" for number in range(20)], 2).astype(object),
        time=np.random.default_rng(0).permutation(40).astype(float),
    )


def test_blocks_are_contiguous_in_time_up_to_one_turn() -> None:
    table = example()
    starts = set()
    for seed in range(30):
        folds = fold_assignment(table, scheme="blocked", n_folds=5, seed=seed)
        in_time = folds[np.argsort(table.time)]  # type: ignore[arg-type]
        changes = int((in_time != np.roll(in_time, 1)).sum())
        assert changes == 5
        assert np.bincount(folds)[1:].tolist() == [8] * 5
        starts.add(in_time.tobytes())
    assert len(starts) > 10


def test_rows_of_one_moment_stay_together() -> None:
    table = dataclasses.replace(example(), time=np.repeat(np.arange(8.0), 5))
    for seed in range(10):
        folds = fold_assignment(table, scheme="blocked", n_folds=4, seed=seed)
        assert all(len(set(folds[start : start + 5])) == 1 for start in range(0, 40, 5))


def test_a_class_too_rare_for_the_folds_is_named(table: Table) -> None:
    target = np.zeros(30)
    target[:3] = 1
    case = dataclasses.replace(table, target=target)
    with pytest.raises(SplitError, match=r"'toy': class 'yes' has 3 rows, too few for 5 stratified folds: .*3 folds"):
        fold_assignment(case, n_folds=5, seed=0)
    fold_assignment(case, n_folds=3, seed=0)
    unseen = dataclasses.replace(table, classes=("no", "yes", "maybe"), task="multiclass")
    with pytest.raises(SplitError, match="class 'maybe' has 0 rows"):
        fold_assignment(unseen, n_folds=2, seed=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "grouped"}, "no group column"),
        ({"scheme": "blocked"}, "no time column"),
        ({"scheme": "random"}, "'random' is none of shuffled, grouped, blocked"),
        ({"n_folds": 1}, "use between 2 and 127"),
        ({"n_folds": 31}, "30 rows, too few for 31 folds"),
    ],
)
def test_what_cannot_be_split_is_refused(table: Table, options: dict[str, object], message: str) -> None:
    bare = dataclasses.replace(table, group=None, time=None)
    with pytest.raises(SplitError, match=message):
        fold_assignment(bare, seed=0, **options)  # type: ignore[arg-type]


def test_too_few_groups_or_moments(table: Table) -> None:
    case = dataclasses.replace(table, group=np.array(["a"] * 15 + ["b"] * 15, dtype=object), time=np.zeros(30))
    with pytest.raises(SplitError, match="2 groups, too few for 5"):
        fold_assignment(case, scheme="grouped", n_folds=5, seed=0)
    with pytest.raises(SplitError, match="1 moments, too few for 5"):
        fold_assignment(case, scheme="blocked", n_folds=5, seed=0)


def test_blocks_of_seeds() -> None:
    assert seed_block(0) == seed_block(99) == range(100)
    assert seed_block(100) == range(100, 200)
    assert block_name(7) == "seeds-000-099"
    assert block_name(1234) == "seeds-1200-1299"
    with pytest.raises(SplitError, match="negative"):
        seed_block(-1)


def test_a_file_holds_the_folds_of_its_block(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "seeds-000-099.parquet"
    write_splits(path, table, n_folds=5, first_seed=0)
    for seed in (0, 42, 99):
        expected = fold_assignment(table, n_folds=5, seed=seed)
        found = read_splits(path, seed, table=table)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.int8
    assert pq.read_schema(path).names[:2] == ["seed_000", "seed_001"]
    assert len(pq.read_schema(path).names) == 100
    with pytest.raises(DataError, match=r"holds no seed 100: its block is seeds-100-199"):
        read_splits(path, 100)
    with pytest.raises(SplitError, match="seed 5 does not start a block of 100: use 0"):
        write_splits(path, table, n_folds=5, first_seed=5)


def test_the_same_data_give_the_same_file(table: Table, tmp_path: Path) -> None:
    write_splits(tmp_path / "a", table, n_folds=3, first_seed=100)
    write_splits(tmp_path / "b", dataclasses.replace(table, source={"kind": "wheel"}), n_folds=3, first_seed=100)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_that_are_not_these_splits_are_refused(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    with pytest.raises(DataError, match="does not exist"):
        read_splits(path, 0)
    write_splits(path, table, n_folds=5, first_seed=0)
    other = dataclasses.replace(table, target=np.roll(table.target, 1))
    with pytest.raises(DataError, match="splits other data than the present table 'toy': delete"):
        read_splits(path, 0, table=other)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="not a readable Parquet file"):
        read_splits(path, 0)
    pq.write_table(pa.table({"seed_000": [1]}), path)
    with pytest.raises(DataError, match="not splits written by this version"):
        read_splits(path, 0)
