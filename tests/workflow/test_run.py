"""A complete run by the real command line: what it leaves, that it repeats, and the controls' known order."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

from workflow_project import CONFIG


def test_a_run_leaves_tables_and_figures(finished):
    results = finished.folder / "results"
    for family in ("binary_decision", "top_k"):
        for suffix in ("csv", "md", "tex"):
            assert (results / f"tables/alignment_{family}.{suffix}").stat().st_size > 100
    names = [f"{name}_binary" for name in ("alignment", "top_1", "top_3", "pearson", "model_ranks")]
    pairwise = ("critical_difference", "better")
    names += [f"{name}_{family}" for name in pairwise for family in ("binary_decision", "top_k")]
    for name in [*names, "priors_base", "priors_implicit", "priors_perturbed"]:
        assert (results / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (results / f"figures/{name}.pdf").read_bytes().startswith(b"%PDF")
    table = pd.read_csv(results / "tables/alignment_binary_decision.csv")
    assert set(table["dataset"]) == {"toy"}
    assert {"nll", "brier", "accuracy", "ece", "mce", "rauc", "edet", "pwu_c", "pwu_k"} <= set(table["metric"])
    assert table["median"].dropna().between(-1, 1).all()
    assert (table["expected"] == 2 * 5).all()
    known = table.dropna(subset=["mean_low"])
    assert (known["mean_low"] <= known["mean"]).all()
    assert (known["mean"] <= known["mean_high"]).all()
    assert len(known)
    pairs = pd.read_csv(results / "tables/pairwise_top_k.csv")
    assert (pairs["scope"].value_counts() == 9 * 8 / 2).all()
    ablations = pd.read_csv(results / "tables/ablations.csv")
    assert set(ablations["agreement"]) == {"tau", "top_1", "top_3", "pearson"}
    # Three models: the three best are always the same three.
    assert (ablations.loc[ablations["agreement"] == "top_3", "defined"] == 0).all()
    stability = pd.read_csv(results / "tables/stability_binary.csv")
    assert stability.loc[stability["name"] == "nll", "kendall_w"].between(0, 1).all()
    shares = pd.read_csv(results / "tables/first_places_binary.csv").dropna()
    assert shares.groupby(["name", "theta"], dropna=False)["share"].sum().round(9).eq(1).all()
    assert "35 entries" in (results / "logs/theory_table/all.log").read_text()
    board = pd.read_csv(results / "tables/models_binary.csv")
    assert set(board["model"]) == {"logreg", "mlp", "constant"}
    assert (board["fits"] == 4).all()


def test_every_rule_has_a_log_and_a_benchmark(finished):
    results = finished.folder / "results"
    rules = ["clean_data", "split_data", "train", "score", "align", "table", "compare", "ablations", "leaderboard"]
    rules += ["stability", "theory_table", "figure", "comparison_figure", "model_figure", "prior_figures"]
    for rule in [*rules, "report_dataset", "report"]:
        logs = list((results / "logs" / rule).rglob("*.log"))
        assert logs, rule
        assert len(list((results / "benchmarks" / rule).rglob("*.tsv"))) == len(logs), rule
        assert all(log.read_text().strip() for log in logs), rule


def test_a_cache_says_where_it_comes_from(finished):
    path = finished.folder / "results/predictions/binary/toy/mlp/seeds-000-001/folds-1-2.parquet"
    metadata = json.loads(pq.read_schema(path).metadata[b"uqalign"])
    assert metadata["spec"]["dataset"] == "toy"
    assert metadata["spec"]["seeds"] == [0, 1]
    assert len(metadata["code"]) == 16
    assert len(metadata["data_sha256"]) == 64
    assert {"python", "uqalign", "numpy", "scikit-learn"} <= set(metadata["versions"])
    assert [split["rows"] for split in metadata["splits"]] == [30] * 4
    assert all(split["seconds"] > 0 for split in metadata["splits"])


def test_the_same_run_gives_the_same_tables(fresh, finished, tmp_path):
    again = fresh.copy(tmp_path / "again")
    again.snakemake("tables")
    tables = sorted((finished.folder / "results/tables").iterdir())
    assert len(tables) == 29
    for table in tables:
        assert (again.folder / "results/tables" / table.name).read_bytes() == table.read_bytes(), table.name


def test_the_controls_come_out_in_their_known_order(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    project.configure(CONFIG.replace("[logreg, mlp, constant]", "[oracle, logreg, constant, noise]"))
    project.snakemake("results/tables/models_binary.md")
    board = pd.read_csv(project.folder / "results/tables/models_binary.csv")
    brier = board[board["metric"] == "brier"].set_index("model")["mean"]
    assert list(brier.sort_values().index) == ["oracle", "logreg", "constant", "noise"]
    assert brier["oracle"] == 0
    accuracy = board[board["metric"] == "accuracy"].set_index("model")
    assert accuracy.loc["oracle", "mean"] == 1
    assert bool(accuracy.loc["oracle", "best"])
    # The oracle makes no errors, so error detection is undefined for it; it is left out, not ranked anywhere.
    edet = board[board["metric"] == "edet"].set_index("model")["mean"]
    assert pd.isna(edet["oracle"])
    assert "toy, oracle, E-Det: 4 splits" in (project.folder / "results/tables/models_binary.md").read_text()
    scores = pd.read_parquet(project.folder / "results/scores/binary/toy/oracle/seeds-000-001/folds-1-2.parquet")
    assert "no label is wrong" in scores.loc[scores["name"] == "edet", "note"].iloc[0]


def test_a_failed_fit_is_shown_and_stops_nothing(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    (project.folder / "mine.py").write_text(
        "import numpy as np\n"
        "from uqalign.models.base import FitFailed, Model\n"
        "def fit(problem):\n"
        "    if problem.seed == 2:\n"
        "        raise FitFailed('singular matrix')\n"
        "    if problem.seed == 11:\n"
        "        return (np.full(len(problem.test), np.nan),)\n"
        "    return (np.linspace(0, 1, len(problem.test)),)\n"
        "MINE = Model(name='mine', title='Mine', tasks=frozenset({'binary'}), fit_predict=fit, distribution='p')\n"
    )
    project.configure(CONFIG.replace("mlp", "'mine:MINE'"))
    project.snakemake("results/tables/models_binary.md", "alignment")
    board = pd.read_csv(project.folder / "results/tables/models_binary.csv").set_index("model")
    assert (board.loc["mine", "fits"] == 2).all()
    assert (board.loc["mine", "expected"] == 4).all()
    assert "| mine | 2/4 |" in (project.folder / "results/tables/models_binary.md").read_text()
    log = (project.folder / "results/logs/train/binary/toy/mine/seeds-000-001/folds-1-2.log").read_text()
    assert "FitFailed: singular matrix" in log
    assert "NotFiniteError: the prediction holds NaN" in log
    # Both seeds lack a fold of this model: rankings are over the two others.
    alignment = pd.read_parquet(project.folder / "results/alignment/binary/toy.parquet")
    assert set(alignment.loc[alignment["metric"] == "brier", "models"]) == {2}
    assert project.planned("results/tables/models_binary.md", "alignment") == {}


def test_a_data_set_on_which_every_fit_fails_is_told_and_stops_nothing(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    (project.folder / "mine.py").write_text(
        "from uqalign.models.base import FitFailed, Model\n"
        "def fit(problem):\n"
        "    raise FitFailed('always')\n"
        "TASKS = frozenset({'binary'})\n"
        "A, B = (Model(name=n, title=n, tasks=TASKS, fit_predict=fit, distribution='p') for n in 'ab')\n"
    )
    project.configure(CONFIG.replace("[logreg, mlp, constant]", "['mine:A', 'mine:B']"))
    project.snakemake()
    board = pd.read_csv(project.folder / "results/tables/models_binary.csv")
    assert set(board["model"]) == {"a", "b"}
    assert board["mean"].isna().all()
    assert (board["fits"] == 0).all()
    assert (board["expected"] == 4).all()
    table = (project.folder / "results/tables/alignment_top_k.md").read_text()
    assert "No fit of any model succeeded on toy." in table


def test_the_published_protocol_runs_and_differs(fresh, finished, tmp_path):
    project = fresh.copy(tmp_path / "project")
    project.configure(CONFIG + "protocol: published\n")
    project.snakemake("tables")
    table, plain = (
        pd.read_csv(folder / "results/tables/alignment_top_k.csv") for folder in (project.folder, finished.folder)
    )
    # Ranked by row order, ties never leave a tau undefined.
    assert (table["defined"] == table["expected"]).all()
    assert not table["median"].equals(plain["median"])
    scores = pd.read_parquet(project.folder / "results/scores/binary/toy/mlp/seeds-000-001/folds-1-2.parquet")
    utility = scores[scores["name"] == "binary_decision"]["value"]
    assert utility.min() < -1  # summed over rows, not averaged


@pytest.mark.parametrize(
    "stage", ["data", "splits", "predictions", "scores", "alignment", "tables", "figures", "report"]
)
def test_every_stage_is_a_target(finished, stage):
    assert finished.planned(stage) == {}
