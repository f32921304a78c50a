"""(edit -> exactly these rules rerun), asked of the real command line."""

import os
import shutil

import pandas as pd
import pytest

from uqalign.provenance import sha256_of
from workflow_project import CONFIG, TOY

# What shows alignments, and what shows scores.
ALIGNED = {"align": 1, "table": 2, "compare": 2, "comparison_figure": 2, "ablations": 1, "figure": 1, "report": 1}
SHOWN = {**ALIGNED, "leaderboard": 1, "stability": 1, "model_figure": 1, "report_dataset": 1}


def test_a_second_run_does_nothing(project):
    assert project.planned() == {}
    assert "Nothing to be done" in project.snakemake()


def test_a_new_seed_trains_the_new_seed_only(project):
    before = pd.read_parquet(project.folder / "results/predictions/binary/toy/mlp/seeds-000-001/folds-1-2.parquet")
    project.configure(CONFIG.replace("seeds: 2", "seeds: 3"))
    # One chunk grows from two seeds to three: one job per model, which fits the new seed and takes the rest over.
    assert project.planned() == {"train": 3, "score": 3, **SHOWN}
    project.snakemake("alignment")
    log = (project.folder / "results/logs/train/binary/toy/mlp/seeds-000-002/folds-1-2.log").read_text()
    assert "4 of 6 splits taken from earlier caches" in log
    assert log.count("seed 2 fold") == 2
    assert "seed 0 fold" not in log
    after = pd.read_parquet(project.folder / "results/predictions/binary/toy/mlp/seeds-000-002/folds-1-2.parquet")
    pd.testing.assert_frame_equal(after[after["seed"] < 2].reset_index(drop=True), before)
    assert project.planned("alignment") == {}


def test_a_new_seed_in_the_literal_grid_is_a_new_job(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    literal = CONFIG + "chunk: {seeds: 1, folds: 1}\n"
    project.configure(literal)
    project.snakemake("predictions")
    project.configure(literal.replace("seeds: 2", "seeds: 3"))
    assert project.planned("predictions") == {"train": 3 * 2, "predictions": 1}


def test_chunking_does_not_change_a_prediction(project, fresh, tmp_path):
    literal = fresh.copy(tmp_path / "literal")
    literal.configure(CONFIG + "chunk: {seeds: 1, folds: 1}\n")
    literal.snakemake("predictions")
    for model in ("logreg", "mlp", "constant"):
        whole = pd.read_parquet(
            project.folder / f"results/predictions/binary/toy/{model}/seeds-000-001/folds-1-2.parquet"
        )
        parts = sorted((literal.folder / f"results/predictions/binary/toy/{model}").rglob("*.parquet"))
        assert len(parts) == 4
        pieces = pd.concat(map(pd.read_parquet, parts)).sort_values(["seed", "fold", "row"], ignore_index=True)
        pd.testing.assert_frame_equal(pieces, whole, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            "src/uqalign/models/logreg.py",
            '"C": 1.0',
            '"C": 2.0',
            {"train": 1, "score": 1, **SHOWN},
        ),
        (
            "src/uqalign/models/base.py",
            "return 10 * seed + fold",
            "return 11 * seed + fold",
            {"train": 3, "score": 3, **SHOWN},
        ),
        (
            "src/uqalign/metrics/probability.py",
            "def brier_score(",
            "NEW = 1\n\n\ndef brier_score(",
            {"score": 3, **SHOWN, "theory_table": 1},
        ),
        (
            "src/uqalign/agreement.py",
            "TIE_TOLERANCE = 1e-12",
            "TIE_TOLERANCE = 1e-11",
            {**SHOWN, "theory_table": 1},
        ),
        (
            "src/uqalign/reporting/figures.py",
            '"#D55E00"',
            '"#D55E01"',
            {"figure": 1, "comparison_figure": 2, "model_figure": 1, "prior_figures": 1},
        ),
        (
            "src/uqalign/data/splits.py",
            "BLOCK = 100",
            "BLOCK = 100 + 0",
            {"split_data": 1, "train": 3, "score": 3, **SHOWN},
        ),
        (
            "src/uqalign/priors/defaults.py",
            "PRIOR_C = Beta(2, 10)",
            "PRIOR_C = Beta(2, 11)",
            {"score": 3, **SHOWN, "theory_table": 1, "prior_figures": 1},
        ),
        (
            "src/uqalign/families.py",
            "rng = np.random.default_rng(SEED)",
            "rng = np.random.default_rng(SEED + 1)",
            {"score": 3, **SHOWN, "theory_table": 1},
        ),
        ("src/uqalign/models/random_forest.py", '"n_estimators": 200', '"n_estimators": 300', {}),
        ("envs/train.yaml", "- python=3.11", "- python=3.12", {}),
        ("src/uqalign/cli/stage.py", "import typer\n", "import typer\n\nUNUSED = 1\n", {}),
        ("src/uqalign/models/logreg.py", '"""L2-regularised logistic regression."""', '"""Other."""\n# A note.', {}),
    ],
    ids=[
        "a model", "a shared module", "a metric", "the alignment", "the figure", "the splits", "a prior", "the thetas",
        "a model not in the config", "an environment file", "the command line", "comments and docstrings",
    ],
)  # fmt: skip
def test_an_edit_makes_stale_what_it_touches(project, path, before, after, expected):
    project.edit(path, before, after)
    assert project.planned() == expected


def test_the_mlp_module_retrains_the_mlp_only(project):
    path = project.folder / "src/uqalign/models/mlp.py"
    path.write_text(path.read_text() + "\nADDED = 1\n")
    assert project.planned() == {"train": 1, "score": 1, **SHOWN}
    output = project.snakemake("alignment")
    assert "results/predictions/binary/toy/mlp/" in output
    assert "results/predictions/binary/toy/logreg/" not in output.split("rule score")[0].split("rule train:")[-1]
    assert project.planned("alignment") == {}


def test_a_metric_is_rescored_and_nothing_is_trained(project):
    path = project.folder / "src/uqalign/metrics/probability.py"
    path.write_text(path.read_text() + "\nADDED = 1\n")
    predictions = sorted(project.folder.glob("results/predictions/**/*.parquet"))
    times = [file.stat().st_mtime_ns for file in predictions]
    project.snakemake("alignment")
    assert [file.stat().st_mtime_ns for file in predictions] == times
    assert project.planned("alignment") == {}


def test_touching_files_changes_nothing(project):
    for pattern in ("src/**/*.py", "workflow/**/*", "Snakefile", "config.yaml", "results/**/*.parquet"):
        for file in project.folder.glob(pattern):
            os.utime(file)
    assert project.planned() == {}


def test_losing_snakemakes_records_makes_nothing_stale(project):
    # What was made by other code is noticed all the same: every cache says where it comes from.
    shutil.rmtree(project.folder / ".snakemake")
    assert project.planned() == {}


def test_a_new_model_trains_that_model(project):
    project.configure(CONFIG.replace("constant]", "constant, noise]"))
    assert project.planned() == {"train": 1, "score": 1, **SHOWN}


def test_other_metrics_are_a_new_scoring(project):
    project.configure(CONFIG + "metrics: [nll, brier, pwu_c]\n")
    assert project.planned() == {"score": 3, **SHOWN}


def test_a_new_data_set_leaves_the_others_alone(project):
    text = (project.folder / "toy.csv").read_text().replace("a,b,c", "a,b,d")
    (project.folder / "other.csv").write_text(text)
    declaration = TOY.replace("toy", "other").format(sha256=sha256_of(project.folder / "other.csv"))
    (project.folder / "other.yaml").write_text(declaration)
    project.configure(CONFIG.replace("[toy.yaml]", "[toy.yaml, other.yaml]"))
    # The jobs of the new data set, and one each of what shows the whole task.
    assert project.planned() == {"clean_data": 1, "split_data": 1, "train": 3, "score": 3, **SHOWN}
    plan = project.snakemake("-n")
    assert "results/predictions/binary/other/" in plan
    assert "output: results/predictions/binary/toy/" not in plan
    assert "output: results/scores/binary/toy/" not in plan
    assert "output: results/alignment/binary/toy" not in plan


def test_fewer_decisions_are_a_new_scoring(project):
    project.configure(CONFIG + "thetas: 2\n")
    assert project.planned() == {"score": 3, **SHOWN}


def test_the_published_protocol_is_a_new_scoring(project):
    project.configure(CONFIG + "protocol: published\n")
    assert project.planned() == {"score": 3, **SHOWN}
    # A switch of the alignment leaves the scores alone; one of other tasks leaves everything alone.
    project.configure(CONFIG + "protocol: [tau_row_order]\n")
    assert project.planned() == ALIGNED
    project.configure(CONFIG + "protocol: [gamma_scale]\n")
    assert project.planned() == {"report": 1}  # which tells the configuration


def test_the_data_folder_and_the_machine_are_no_reason_to_run(project):
    project.configure(CONFIG + "data_dir: elsewhere\ndevice: cpu\n")
    assert project.planned() == {}


def test_a_plan_does_not_depend_on_hash_seeds(project):
    for seed in ("1", "2"):
        assert "Nothing to be done" in project.snakemake("-n", PYTHONHASHSEED=seed)
