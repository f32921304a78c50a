"""Tables keep every type through their file, and refuse what is not theirs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from uqalign.data.errors import DataError
from uqalign.data.table import Table, read_table, write_table


def multivariate(table: Table) -> Table:
    target = np.column_stack([np.linspace(-1e300, 1e300, 30), np.arange(30) * 1e-310])
    return dataclasses.replace(
        table, task="multivariate", target=target, classes=(), target_names=("a b", "ü"), group=None, time=None
    )


def assert_same(a: Table, b: Table) -> None:
    pd.testing.assert_frame_equal(a.features, b.features, check_exact=True, check_column_type=False)
    np.testing.assert_array_equal(a.target, b.target)
    assert a.target.shape == b.target.shape
    assert (a.name, a.task, a.classes, a.target_names) == (b.name, b.task, b.classes, b.target_names)
    assert dict(a.kinds) == dict(b.kinds)
    assert list(a.kinds) == list(b.kinds)
    assert dict(a.source) == dict(b.source)
    for one, other in ((a.group, b.group), (a.time, b.time)):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
    assert a.digest == b.digest


@pytest.mark.parametrize("future", [False, True], ids=["object strings", "pandas 3 strings"])
def test_a_round_trip_is_exact(table: Table, tmp_path: Path, future: bool) -> None:
    with pd.option_context("future.infer_string", future):
        for case in (table, multivariate(table), dataclasses.replace(table, time=np.arange(30.0))):
            write_table(case, tmp_path / "t.parquet")
            assert_same(case, read_table(tmp_path / "t.parquet"))


def test_an_all_missing_column_survives(table: Table, tmp_path: Path) -> None:
    features = table.features.assign(width=np.nan, color=pd.Series([None] * 30, dtype=object))
    case = dataclasses.replace(table, features=features)
    write_table(case, tmp_path / "t.parquet")
    assert_same(case, read_table(tmp_path / "t.parquet"))


def test_width(table: Table) -> None:
    assert (table.n_classes, table.width, len(table)) == (2, 2, 30)
    other = multivariate(table)
    assert (other.n_classes, other.width) == (0, 2)


def test_the_file_is_compressed_and_shows_its_roles(table: Table, tmp_path: Path) -> None:
    write_table(table, tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.names == ["width", "color", "__target_0", "__group", "__time"]
    assert b'"place": "toy.csv"' in file.schema_arrow.metadata[b"uqalign"]


def test_the_digest_sees_values_and_roles_not_provenance(table: Table) -> None:
    assert dataclasses.replace(table, source={}).digest == table.digest
    assert dataclasses.replace(table, name="other").digest == table.digest
    changed = table.features.copy()
    changed.loc[0, "width"] += 1e-12
    variants = [
        dataclasses.replace(table, features=changed),
        dataclasses.replace(table, target=1 - table.target),
        dataclasses.replace(table, classes=("yes", "no")),
        dataclasses.replace(table, group=None),
        dataclasses.replace(table, time=table.time[::-1] if table.time is not None else None),
        dataclasses.replace(
            table,
            features=table.features.rename(columns={"width": "w"}),
            kinds={"w": "numeric", "color": "categorical"},
        ),
    ]
    digests = {variant.digest for variant in variants}
    assert len(digests) == len(variants)
    assert table.digest not in digests


def test_the_digest_does_not_see_the_sign_of_zero_or_the_kind_of_nan(table: Table) -> None:
    odd = np.frombuffer(np.uint64(0xFFF8000000000001).tobytes(), dtype=np.float64)[0]
    zero, minus = table.features.copy(), table.features.copy()
    zero.loc[0, "width"], minus.loc[0, "width"] = 0.0, -0.0
    minus.loc[3, "width"] = odd
    assert dataclasses.replace(table, features=zero).digest == dataclasses.replace(table, features=minus).digest


def test_writing_leaves_nothing_behind_when_it_fails(table: Table, tmp_path: Path) -> None:
    reserved = dataclasses.replace(
        table,
        features=table.features.rename(columns={"width": "__target_0"}),
        kinds={"__target_0": "numeric", "color": "categorical"},
    )
    with pytest.raises(DataError, match="names starting with __ are reserved"):
        write_table(reserved, tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.parquet does not exist: run the step"):
        read_table(tmp_path / "absent.parquet")


@pytest.mark.parametrize("keep", [0, 3, 100, -5])
def test_a_truncated_file_is_named_with_the_remedy(table: Table, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "t.parquet"
    write_table(table, path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"t\.parquet is not a readable Parquet file.*delete .*t\.parquet and run"):
        read_table(path)


def test_a_foreign_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(DataError, match="not a table written by this version"):
        read_table(path)


def test_an_altered_file_is_refused(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(table, path)
    arrow = pq.read_table(path)
    values = arrow["width"].to_numpy().copy()
    values[0] += 1
    place = arrow.column_names.index("width")
    pq.write_table(arrow.set_column(place, "width", pa.array(values)), path)
    with pytest.raises(DataError, match="altered after it was written"):
        read_table(path)
    pq.write_table(arrow.drop_columns(["color"]), path)
    with pytest.raises(DataError, match=r"lacks the columns \['color'\]"):
        read_table(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": np.zeros(29)}, r"target is float64 \(29,\), expected float64 \(30,\)"),
        ({"target": np.zeros(30, dtype=int)}, "target is int64"),
        ({"target": np.full(30, np.nan)}, "target row 0 is not finite"),
        ({"target": np.full(30, 2.0)}, r"class codes \[2.0\] for 2 classes"),
        ({"kinds": {"width": "numeric"}}, "kinds name"),
        ({"kinds": {"width": "numeric", "color": "numeric"}}, "numeric column 'color' is object"),
        ({"group": np.zeros(3, dtype=object)}, "group has shape"),
        ({"task": "ranking"}, "unknown task 'ranking'"),
        ({"features": pd.DataFrame(index=range(30)), "kinds": {}}, "has no features"),
        ({"features": pd.DataFrame({"width": [], "color": []})}, "has no rows"),
    ],
)
def test_parts_that_do_not_fit_are_refused(table: Table, change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        dataclasses.replace(table, **change)  # type: ignore[arg-type]
