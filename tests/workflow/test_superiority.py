"""The checkpoint study through the real Snakemake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from uqalign.superiority.settings import FIGURES, TABLES
from workflow_project import Project

STUDY = """\
superiority:
  datasets: [digits]
  regimes: [subset, hard]
  seeds: 2
  epochs: {epochs}
  patience: {patience}
"""


@pytest.fixture(scope="module")
def studied(fresh: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    clone = fresh.copy(tmp_path_factory.mktemp("study") / "project")
    clone.configure(STUDY.format(epochs=3, patience=2))
    clone.snakemake("superiority")
    return clone


def test_every_table_and_picture_is_there(studied: Project) -> None:
    folder = studied.folder / "results/superiority"
    assert {path.stem for path in (folder / "tables").glob("*.md")} == set(TABLES)
    assert {path.stem for path in (folder / "figures").glob("*.png")} == set(FIGURES)
    assert studied.planned("superiority") == {}


def test_after_an_interruption_finished_cells_stay(studied: Project) -> None:
    tables = Path(studied.folder / "results/superiority/tables")
    before = {path.name: path.read_bytes() for path in tables.iterdir()}
    for part in ("predictions/digits/hard", "measures/digits/hard", "tables", "figures"):
        shutil.rmtree(studied.folder / "results/superiority" / part)
    planned = studied.planned("superiority")
    assert planned.pop("superiority", 1) == 1
    assert planned == {"superiority_train": 1, "superiority_score": 1, "superiority_report": 1}
    studied.snakemake("superiority")
    assert {path.name: path.read_bytes() for path in tables.iterdir()} == before


def test_patience_reselects_and_trains_nothing(studied: Project) -> None:
    studied.configure(STUDY.format(epochs=3, patience=1))
    planned = studied.planned("superiority")
    assert planned.pop("superiority", 1) == 1
    assert planned == {"superiority_report": 1}
    studied.configure(STUDY.format(epochs=3, patience=2))


def test_unknown_image_set(studied: Project) -> None:
    config = studied.folder / "config.yaml"
    before = config.read_text()
    studied.configure(before.replace("[digits]", "[digit]"))
    assert "did you mean 'digits'?" in studied.snakemake("-n", "superiority", ok=False)
    studied.configure(before)
