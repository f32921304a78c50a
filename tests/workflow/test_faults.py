"""Machines, jobs and people fail; a plain rerun completes, and the tables are those of an undisturbed run."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import contextmanager

import pandas as pd
import pytest

from workflow_project import CONFIG

TARGETS = ("results/tables/alignment_top_k.csv", "results/tables/models_binary.csv")
CACHES = "results/predictions/binary/toy"
CACHE = f"{CACHES}/fickle/seeds-000-001/folds-1-2.parquet"

FICKLE = """\
import os
import resource
import time
from pathlib import Path
import numpy as np
from uqalign.models.base import Model

def fit(problem):
    mode = Path("mode").read_text()
    if mode == "greedy":  # as on a machine with little memory
        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
        np.ones(2**28)
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")
    while mode == "wait" and Path("mode").read_text() == "wait":
        time.sleep(0.1)
    return (np.linspace(0.1, 0.9, len(problem.test)),)

FICKLE = Model(name="fickle", title="Fickle", tasks=frozenset({"binary"}), fit_predict=fit, distribution="p")
"""


@pytest.fixture(scope="module")
def unfinished(finished, tmp_path_factory):
    """A finished run with one model added that has not run yet."""
    project = finished.copy(tmp_path_factory.mktemp("unfinished") / "project")
    (project.folder / "mine.py").write_text(FICKLE)
    (project.folder / "mode").write_text("calm")
    project.configure(CONFIG.replace("constant", "'mine:FICKLE'"))
    return project


@pytest.fixture(scope="module")
def calm(unfinished, tmp_path_factory):
    """The tables of the undisturbed run."""
    project = unfinished.copy(tmp_path_factory.mktemp("calm") / "project")
    project.snakemake(*TARGETS)
    return tables(project)


@pytest.fixture
def shaky(unfinished, tmp_path):
    return unfinished.copy(tmp_path / "project")


def tables(project) -> dict[str, bytes]:
    return {target: (project.folder / target).read_bytes() for target in TARGETS}


def fitting(project) -> list[int]:
    """Process ids of the fits that have begun."""
    path = project.folder / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def half_written(project) -> list[str]:
    """Temporary files that were left behind."""
    return [str(path) for path in project.folder.glob("results/**/.*") if path.name != ".snakemake_timestamp"]


@contextmanager
def mounted(folder, *options: str):
    """A file system of one's own at `folder`, which only root may have."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, folder], text=True, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no mounting here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_killed_jobs_killed_runs_and_two_runs_at_once(shaky, calm):
    mode = shaky.folder / "mode"
    mode.write_text("wait")
    run = shaky.start(*TARGETS)
    shaky.wait_for(lambda: fitting(shaky), "first fit")
    assert "Directory cannot be locked" in shaky.snakemake(*TARGETS, ok=False)  # the first run goes on
    os.kill(fitting(shaky)[-1], signal.SIGKILL)  # as the system does when memory is short
    assert run.wait(timeout=600) != 0
    assert "Killed" in (shaky.folder / "run.log").read_text()
    assert not (shaky.folder / CACHE).exists()
    assert not half_written(shaky)

    started = len(fitting(shaky))
    run = shaky.start(*TARGETS)
    shaky.wait_for(lambda: len(fitting(shaky)) > started, "second fit")
    run.kill()
    run.wait()
    output = shaky.snakemake(*TARGETS, ok=False)
    assert "Directory cannot be locked" in output
    assert "--unlock" in output
    shaky.snakemake("--unlock")
    # Its job outlived the run and writes the same file as the job of the next run: each whole, both alike.
    mode.write_text("calm")
    shaky.snakemake(*TARGETS)
    assert tables(shaky) == calm
    assert shaky.planned(*TARGETS) == {}
    assert not half_written(shaky)
    records = [json.loads(path.read_text()) for path in sorted((shaky.folder / "results/manifest").iterdir())]
    assert [record["status"] for record in records[-3:]] == ["failed", "running or killed", "complete"]


def test_neither_memory_nor_disk(shaky, calm):
    (shaky.folder / "mode").write_text("greedy")
    cache = shaky.folder / CACHES / "logreg/seeds-000-001"
    shutil.rmtree(cache)
    with mounted(cache, "-t", "tmpfs", "-o", "size=4k", "none"):
        output = shaky.snakemake("--forcerun", "train", "--until", "train", "--", *TARGETS, ok=False)
        assert not list(cache.iterdir())
    assert "Unable to allocate 2.00 GiB" in output
    assert "No space left on device" in output
    assert f"free space on the disk of {CACHES}/logreg" in output
    assert not (shaky.folder / CACHE).exists()
    (shaky.folder / "mode").write_text("calm")
    shaky.snakemake(*TARGETS)
    assert tables(shaky) == calm
    assert shaky.planned(*TARGETS) == {}


def test_results_that_cannot_be_written(shaky, calm):
    results = shaky.folder / "results"
    with mounted(results, "--bind", str(results)):
        subprocess.run(["mount", "-o", "remount,ro,bind", results], check=True)
        rewritten = shaky.snakemake(*TARGETS, ok=False)
        new = shaky.snakemake(CACHE, ok=False)
    assert "Write-protected output files" in rewritten
    assert "results cannot be written" in new
    assert "Read-only file system" in new
    assert "Traceback" not in new + rewritten
    shaky.snakemake(*TARGETS)
    assert tables(shaky) == calm


def test_damaged_caches(project):
    before = project.tables()
    damaged = {
        model: project.folder / CACHES / model / "seeds-000-001/folds-1-2.parquet" for model in ("logreg", "mlp")
    }
    content = damaged["logreg"].read_bytes()
    damaged["logreg"].write_bytes(content[: len(content) // 2] + content[len(content) // 2 + 64 :])
    damaged["mlp"].write_bytes(b"")
    scores = project.folder / "results/scores/binary/toy/constant/seeds-000-001/folds-1-2.parquet"
    scores.write_bytes(scores.read_bytes()[:-100])
    output = project.snakemake("--forcerun", "score", "align", "--", "tables", ok=False)
    for path in (*damaged.values(), scores):
        name = str(path.relative_to(project.folder))
        if path is scores:  # rewritten from its predictions, which are sound
            assert pd.read_parquet(path).notna().any(axis=None)
            continue
        assert f"{name} is damaged or incomplete" in output
        assert f"rm {name}" in output
        path.unlink()
    project.snakemake("predictions", "tables")
    assert project.tables() == before


def test_clocks_and_locales(project):
    before = project.tables()
    data = [*project.folder.glob("results/data/*.parquet"), *project.folder.glob("results/splits/*/*.parquet")]
    for path in project.folder.glob("results/**/*.parquet"):
        when = 4e9 if path in data else 1e9  # inputs from the future, outputs from the past
        os.utime(path, (when, when))
    assert project.planned("tables") == {}
    abroad = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "7"}
    assert project.snakemake("-n", "tables", **abroad).count("Nothing to be done") == 1
    constant = f"{CACHES}/constant/seeds-000-001/folds-1-2.parquet"
    (project.folder / constant).unlink()
    assert "clock skew" in project.snakemake(constant, ok=False)
    for path in data:
        os.utime(path)  # what the page says to do
    project.snakemake("--forcerun", "score", "--", *TARGETS, constant, **abroad)
    assert {target: before[target.rsplit("/", 1)[1]] for target in TARGETS} == tables(project)
