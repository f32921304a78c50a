"""Files are whole or absent."""

import pandas as pd
import pytest

from uqalign.files import FileError, atomic_path, read_parquet, write_parquet, write_text


def test_a_failed_write_leaves_nothing_and_keeps_the_old_file(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    write_text(path, "old")

    def write_half():
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_parquet_round_trip_with_metadata(tmp_path):
    frame = pd.DataFrame({"a": [1.0, float("nan"), float("inf")], "b": ["x", "", "é"]})
    write_parquet(frame, tmp_path / "f.parquet", {"kind": "test", "n": [1, 2]})
    found, metadata = read_parquet(tmp_path / "f.parquet", "remedy")
    pd.testing.assert_frame_equal(found, frame)
    assert metadata == {"kind": "test", "n": [1, 2]}


def test_damage_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "f.parquet"
    with pytest.raises(FileError, match=r"f\.parquet does not exist: do this"):
        read_parquet(path, "do this")
    write_parquet(pd.DataFrame({"a": range(1000)}), path, {})
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], b"", b"<html>not found</html>"):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match=r"f\.parquet is damaged or incomplete .*: do this"):
            read_parquet(path, "do this")


def test_a_foreign_parquet_file_is_refused(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "f.parquet")
    with pytest.raises(FileError, match="not written by uqalign"):
        read_parquet(tmp_path / "f.parquet", "do this")
