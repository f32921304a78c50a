"""What `uqalign doctor` finds, here and on machines that lack something."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner

from uqalign import doctor
from uqalign.cli import app
from uqalign.config import Config
from uqalign.doctor import Finding, examine


def findings(tmp_path: Path, **config: object) -> dict[str, Finding]:
    found = examine(Config(**config), tmp_path / "results", tmp_path / "raw", tmp_path / "downloads")
    return {finding.subject: finding for finding in found}


def test_this_machine_can_run_the_default(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert not [f for f in found.values() if f.status == "problem"], found
    assert found["libraries: train"].status == "ok"
    assert "iris (installed)" in found["data on disk"].detail
    assert "heart_complete (wheel)" in found["data to be fetched"].detail
    assert not (tmp_path / "results").exists()
    assert not (tmp_path / "downloads").exists()


def test_a_library_that_is_absent_or_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "snakemake":
            raise importlib.metadata.PackageNotFoundError
        return "0.1" if name == "torch" else real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = findings(tmp_path)
    assert found["libraries: workflow"] == Finding(
        "problem", "libraries: workflow", "snakemake is not installed", "pip install 'uqalign[workflow]'"
    )
    assert "torch 0.1 is installed, ==2.13.0 is needed" in found["libraries: train"].detail


def test_full_and_forbidden_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10, 9, 1))
    assert findings(tmp_path)["results"].remedy == "make room, or run elsewhere"
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    assert "cannot be written to" in findings(tmp_path)["results"].detail


def test_a_model_without_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UQALIGN_TABPFN_WEIGHTS", str(tmp_path / "nothing"))
    assert findings(tmp_path)["model tabpfn"].status == "note"
    wanted = findings(tmp_path, models=["logreg", "tabpfn"])["model tabpfn"]
    assert wanted.status == "problem"
    assert wanted.remedy


def test_a_cluster_without_the_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert findings(tmp_path)["slurm"].status == "ok"
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "snakemake-executor-plugin-slurm":
            raise importlib.metadata.PackageNotFoundError
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert "pip install snakemake-executor-plugin-slurm" in findings(tmp_path)["slurm"].remedy


@pytest.mark.parametrize(
    ("requirement", "answer"),
    [
        ("numpy>=1", ""),
        ("numpy<1", "numpy {version} is installed, <1 is needed"),
        ("no-such-package-anywhere>=1", "no-such-package-anywhere is not installed"),
    ],
)
def test_one_requirement(requirement: str, answer: str) -> None:
    expected = answer.format(version=importlib.metadata.version("numpy"))
    assert doctor._lacking(Requirement(requirement)) == expected


def test_command(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("models: [logreg, mlp]\n")
    options = ["--configfile", str(config), "--results", str(tmp_path)]
    result = CliRunner().invoke(app, ["doctor", "--json", *options])
    assert result.exit_code == 0, result.output
    assert {finding["status"] for finding in json.loads(result.output)} <= {"ok", "note"}
    shown = CliRunner().invoke(app, ["doctor", *options])
    assert "2 in the configuration: logreg, mlp" in " ".join(shown.output.split())
    config.write_text("models: [logreg, tabpfn]\n")
    broken = CliRunner().invoke(app, ["doctor", *options], env={"UQALIGN_TABPFN_WEIGHTS": str(tmp_path / "none")})
    assert broken.exit_code == 1
    assert "pip install 'uqalign[tabpfn]'" in broken.output or "download" in broken.output
