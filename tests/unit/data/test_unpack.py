"""Contents inside archives: found, bounded, verified."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from toy_data import CSV, content_of
from uqalign.data.declare import GUNZIP, Content
from uqalign.data.errors import SourceError
from uqalign.data.unpack import open_member


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


def put(folder: Path, data: bytes) -> Path:
    (folder / "file").write_bytes(data)
    return folder / "file"


@pytest.mark.parametrize(
    ("data", "inside"),
    [
        (CSV, ()),
        (gzip.compress(CSV, mtime=0), (GUNZIP,)),
        (zipped(toy=CSV), ("toy",)),
        (zipped(folder__toy=CSV), ("toy",)),
        (zipped(toy=CSV), ("folder/toy",)),
        (zipped(inner=zipped(toy=CSV)), ("inner", "toy")),
        (zipped(toy=gzip.compress(CSV, mtime=0)), ("toy", GUNZIP)),
    ],
    ids=["plain", "gz", "zip", "zip folder", "no folder", "zip in zip", "gz in zip"],
)
def test_contents_are_found_in_archives(data: bytes, inside: tuple[str, ...], tmp_path: Path) -> None:
    with open_member(put(tmp_path, data), content_of(CSV).at("x", *inside)) as stream:
        assert stream.read() == CSV
        stream.seek(0)
        assert stream.read(1) == CSV[:1]


@pytest.mark.parametrize(
    ("data", "inside", "message"),
    [
        (CSV[:-3], (), r"has 34 bytes, expected 37 \(truncated\?\)"),
        (CSV + b"x", (), "has 38 bytes, expected 37$"),
        (CSV.replace(b"1", b"9"), (), "has sha256 [0-9a-f]{64}, expected [0-9a-f]{64}"),
        (b"<!doctype html><title>404</title>", (), "is an HTML page"),
        (gzip.compress(CSV, mtime=0)[:-9], (GUNZIP,), "cannot be unpacked at 'gunzip'"),
        (CSV, (GUNZIP,), "cannot be unpacked at 'gunzip'"),
        (CSV, ("toy",), "cannot be unpacked at 'toy'"),
        (zipped(toy=CSV)[:-30], ("toy",), "cannot be unpacked"),
        (zipped(other=CSV), ("toy",), "no member 'toy' among other"),
        (zipped(a__toy=CSV, b__toy=CSV), ("toy",), "no member 'toy' among a/toy, b/toy"),
    ],
)
def test_what_is_not_the_content_is_refused(data: bytes, inside: tuple[str, ...], message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message):
        open_member(put(tmp_path, data), content_of(CSV).at("x", *inside))


def test_a_corrupt_zip_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(toy=CSV))
    data[data.index(b"1,no")] ^= 1
    with pytest.raises(SourceError, match="cannot be unpacked at 'toy'"):
        open_member(put(tmp_path, bytes(data)), content_of(CSV).at("x", "toy"))


def test_a_bomb_is_not_unpacked_beyond_the_declared_size(tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(50_000_000), mtime=0)
    with pytest.raises(SourceError, match="has 38 bytes, expected 37"):
        open_member(put(tmp_path, bomb), content_of(CSV).at("x", GUNZIP))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("toy", bytes(50_000_000))
    with pytest.raises(SourceError, match="has 38 bytes, expected 37"):
        open_member(put(tmp_path, buffer.getvalue()), content_of(CSV).at("x", "toy"))


def test_an_undeclared_checksum_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"add `sha256: {content_of(CSV).sha256}` to its declaration"):
        open_member(put(tmp_path, CSV), Content("toy", "", 0).at("x"))
