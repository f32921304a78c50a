"""All four tasks from data to alignment."""

import os

import numpy as np
import pandas as pd
import pytest

from uqalign.jobs import FAMILIES
from uqalign.provenance import sha256_of
from uqalign.tasks import TASKS
from workflow_project import ROOT

DECLARATION = """\
name: {task}_toy
task: {task}
file: {task}_toy.csv
target: {target}
sha256: {sha256}
"""


def check_alignment(folder, tasks):
    for task in tasks:
        for family in FAMILIES[task]:
            table = pd.read_csv(folder / f"results/tables/alignment_{family}.csv")
            assert table["median"].notna().any(), family
            assert table["median"].dropna().between(-1, 1).all()
        board = pd.read_csv(folder / f"results/tables/models_{task}.csv")
        assert (board["fits"] == board["expected"]).all()
        assert (folder / f"results/figures/alignment_{task}.png").stat().st_size > 5000


@pytest.fixture(scope="module")
def four_tasks(fresh, tmp_path_factory):
    project = fresh.copy(tmp_path_factory.mktemp("tasks") / "project")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(90, 3))
    signal = x[:, 0] + 0.5 * rng.normal(size=90)
    targets = {
        "binary": {"y": (signal > 0).astype(int)},
        "multiclass": {"y": np.digitize(signal, [-0.5, 0.5])},
        "regression": {"y": signal.round(4)},
        "multivariate": {"y": signal.round(4), "z": (x[:, 1] - signal).round(4)},
    }
    for task, columns in targets.items():
        csv = project.folder / f"{task}_toy.csv"
        pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], **columns}).to_csv(csv, index=False)
        target = "y" if len(columns) == 1 else list(columns)
        text = DECLARATION.format(task=task, target=target, sha256=sha256_of(csv))
        (project.folder / f"{task}_toy.yaml").write_text(text)
    names = ", ".join(f"{task}_toy.yaml" for task in targets)
    project.configure(f"datasets: [{names}]\nmodels: [random_forest, oracle, constant, noise]\nseeds: 2\nfolds: 2\n")
    project.snakemake()
    return project


def test_every_task_ends_in_tables_and_figures(four_tasks):
    check_alignment(four_tasks.folder, TASKS)
    assert four_tasks.planned() == {}


@pytest.mark.parametrize("task", TASKS)
def test_the_controls_rank_as_they_must(four_tasks, task):
    board = pd.read_csv(four_tasks.folder / f"results/tables/models_{task}.csv")
    loss = {"binary": "brier", "multiclass": "brier", "regression": "mse", "multivariate": "mse"}[task]
    means = board[board["metric"] == loss].set_index("model")["mean"]
    assert list(means.sort_values().index) == ["oracle", "random_forest", "constant", "noise"]
    scores = pd.concat(
        map(pd.read_parquet, (four_tasks.folder / f"results/scores/{task}").rglob("*.parquet")), ignore_index=True
    )
    utility = scores[scores["kind"] == "utility"].groupby(["name", "model"])["value"].mean().unstack()
    assert (utility["oracle"] >= utility.drop(columns="oracle").max(axis=1)).all()


@pytest.mark.skipif("UQALIGN_DATA_DIR" not in os.environ, reason="UQALIGN_DATA_DIR names no folder of raw data")
def test_the_tiny_configuration_runs_on_real_data(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    project.configure((ROOT / "configs/tiny.yaml").read_text())
    project.snakemake()
    check_alignment(project.folder, TASKS)
