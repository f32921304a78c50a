"""A copy of the project with a toy data set, run once by the real Snakemake; tests start from copies of the result."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock

from uqalign.provenance import sha256_of
from workflow_project import CONFIG, ROOT, TOY, Project


@pytest.fixture(scope="session")
def fresh(tmp_path_factory) -> Project:
    """The project with the toy data set, before any run."""
    folder = tmp_path_factory.mktemp("fresh") / "project"
    folder.mkdir()
    for name in ("src", "workflow", "profiles", "envs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "Snakefile", folder)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).round(6)
    frame["label"] = (x[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int)
    frame.to_csv(folder / "toy.csv", index=False)
    (folder / "toy.yaml").write_text(TOY.format(sha256=sha256_of(folder / "toy.csv")))
    (folder / "config.yaml").write_text(CONFIG)
    return Project(folder)


Prepared = Callable[[str, Project, Callable[[Project], object]], Project]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Prepared:
    """Copies of projects to which something was done, once for all worker processes: not to be changed."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def prepared(name: str, start: Project, do: Callable[[Project], object]) -> Project:
        place = folder / name
        with FileLock(folder / f"{name}.lock"):
            if not place.exists():
                project = start.copy(tmp_path_factory.mktemp(name) / "project")
                do(project)
                project.folder.rename(place)
        return replace(start, folder=place)

    return prepared


@pytest.fixture(scope="session")
def finished(fresh, prepared) -> Project:
    """The project after a complete run."""
    return prepared("finished", fresh, Project.snakemake)


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A finished project of one's own to change."""
    return finished.copy(tmp_path / "project")
