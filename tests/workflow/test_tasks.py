"""All four tasks from data to alignment."""

import os

import numpy as np
import pandas as pd
import pytest

from uqalign.alignment import seed_taus
from uqalign.audit.settings import AUDITED
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


def run_four_tasks(project):
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


@pytest.fixture(scope="module")
def four_tasks(fresh, prepared):
    return prepared("four_tasks", fresh, run_four_tasks)


def test_every_task_ends_in_tables_and_figures(four_tasks):
    check_alignment(four_tasks.folder, TASKS)
    for task in TASKS:
        for name in ("alignment", "top_1", "top_3", "pearson", "model_ranks"):
            assert (four_tasks.folder / f"results/figures/{name}_{task}.png").stat().st_size > 5000
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


def check_taus(folder, setting):
    """The workflow's alignments are those that the audit has for a setting."""
    for task in TASKS:
        ours = pd.read_parquet(folder / f"results/audit/taus/{task}/{task}_toy.parquet")
        ours = ours[ours["setting"] == setting].set_index(["family", "metric", "seed"])
        theirs = seed_taus(pd.read_parquet(folder / f"results/alignment/{task}/{task}_toy.parquet"))
        theirs = theirs[theirs["metric"].isin(AUDITED[task])].set_index(["family", "metric", "seed"])
        assert set(ours.index) == set(theirs.index)
        theirs = theirs.reindex(ours.index)
        np.testing.assert_allclose(ours["tau"], theirs["tau"], atol=1e-14)
        assert ours["defined"].tolist() == theirs["defined"].tolist()
        assert (theirs["decisions"] == 5).all()  # an overwritten decision keeps its place in the mean


def test_the_audit_and_the_published_protocol(four_tasks, tmp_path):
    project = four_tasks.copy(tmp_path / "project")
    config = (project.folder / "config.yaml").read_text().replace("oracle, constant, noise", "constant, noise")
    project.configure(config)
    project.snakemake("audit", "alignment")
    check_taus(project.folder, "definitions")
    folder = project.folder / "results/audit"
    assert "No data set of the published tables" in (folder / "comparison.md").read_text()
    assert "## Errata" in (folder / "audit.md").read_text()
    assert set(pd.read_csv(folder / "claims.csv")["definitions_verdict"]) <= {"undecided", "not run"}  # two seeds
    assert len(pd.read_csv(folder / "top_k_ties.csv")) == 5
    assert (folder / "switches.png").stat().st_size > 5000
    claims = pd.read_csv(folder / "claims.csv").set_index("claim")
    assert claims.loc[["ablations", "sensitivity_top_k"], "definitions_verdict"].tolist() == ["undecided"] * 2
    assert claims.loc["ablations", "published_detail"].endswith("here the definitions")
    assert not (project.folder / "results/sensitivity/levels/multiclass").exists()
    project.configure(config + "protocol: published\n")
    project.snakemake("alignment")
    check_taus(project.folder, "published")
    # It holds every protocol already, but for the claims that follow the protocol of the configuration.
    assert set(project.planned("audit")) == {"sensitivity_scores", "sensitivity_alignment", "audit_report", "audit"}
    project.configure(config.replace("constant, noise", "constant, noise, oracle"))
    planned = project.planned("audit")
    assert planned.pop("audit_score") == 4
    shown = {"audit_comparison": 1, "audit_report": 1, "audit_figures": 1, "audit": 1}
    yardsticks = {
        "score": 6,
        "align": 2,
        "sensitivity_scores": 2,
        "sensitivity_alignment": 2,
    }  # under definitions again
    assert planned == {"audit_align": 4, "audit_ties": 1, **shown, **yardsticks}


@pytest.mark.skipif("UQALIGN_DATA_DIR" not in os.environ, reason="UQALIGN_DATA_DIR names no folder of raw data")
def test_the_tiny_configuration_runs_on_real_data(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    project.configure((ROOT / "configs/tiny.yaml").read_text())
    project.snakemake("tables")
    check_alignment(project.folder, TASKS)
