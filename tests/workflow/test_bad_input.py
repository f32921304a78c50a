"""Bad input by the real command line: the message names thing, place and remedy, and nothing is half written."""

import shutil

import pytest

from uqalign.provenance import sha256_of
from workflow_project import CONFIG, TOY


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (CONFIG.replace("seeds", "sedes"), "unknown key 'sedes': did you mean 'seeds'?"),
        (CONFIG.replace("mlp", "mpl"), "models: unknown model 'mpl': did you mean 'mlp'?"),
        (CONFIG.replace("toy.yaml", "sonra"), "datasets: unknown data set 'sonra': did you mean 'sonar'?"),
        (CONFIG.replace("[logreg, mlp, constant]", "[]"), "models: the list is empty: name at least one"),
        (CONFIG.replace("[toy.yaml]", "[]"), "datasets: the list is empty: name at least one"),
        (CONFIG.replace("[logreg, mlp, constant]", "[mlp]"), "a ranking needs two"),
        (CONFIG + "metrics: [nnl]\n", "metrics: unknown binary metric 'nnl': did you mean 'nll'?"),
        (CONFIG + "protocol: publisht\n", "protocol: unknown protocol switch 'publisht': did you mean 'published'?"),
        (CONFIG.replace("toy.yaml", "absent.yaml"), "absent.yaml"),
    ],
    ids=["key", "model", "data set", "no models", "no data sets", "one model", "metric", "switch", "no declaration"],
)
def test_a_bad_configuration_is_explained(fresh, tmp_path, config, message):
    project = fresh.copy(tmp_path / "project")
    project.configure(config)
    output = project.snakemake("-n", ok=False)
    assert message in output
    assert "Traceback" not in output
    assert not (project.folder / "results").exists()


def test_a_label_outside_the_classes(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    csv = project.folder / "toy.csv"
    csv.write_text(csv.read_text() + "1,2,3,7\n")
    (project.folder / "toy.yaml").write_text(TOY.format(sha256=sha256_of(csv)))
    output = project.snakemake(ok=False)
    assert "a binary task has two labels, the target 'label' holds 3: 0, 1, 7" in output
    assert not list(project.folder.glob("results/data/*.parquet"))


def corrupt(path):
    path.chmod(0o644)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


CACHE = "results/predictions/binary/toy/mlp/seeds-000-001/folds-1-2.parquet"


def test_a_corrupt_cache_is_named_with_its_remedy(project):
    corrupt(project.folder / CACHE)
    output = project.snakemake("--forcerun", "score", ok=False)
    assert f"{CACHE} is damaged or incomplete" in output
    assert f"rm {CACHE}" in output
    (project.folder / CACHE).unlink()
    project.snakemake("alignment", "--forcerun", "score")
    assert project.planned("alignment") == {}


def test_a_cache_of_another_job_is_refused(project):
    shutil.copy(project.folder / CACHE.replace("mlp", "logreg"), project.folder / CACHE)
    output = project.snakemake("--forcerun", "score", ok=False)
    assert "comes from another job (model is 'logreg', expected 'mlp')" in output


def test_a_stale_cache_is_noticed_even_without_snakemakes_records(project):
    shutil.rmtree(project.folder / ".snakemake")
    shutil.rmtree(project.folder / "results/scores")
    path = project.folder / "src/uqalign/models/mlp.py"
    path.write_text(path.read_text() + "\nADDED = 1\n")
    # Snakemake sees an existing output and nothing wrong with it; the file itself knows better.
    output = project.snakemake("scores", ok=False)
    assert f"{CACHE} was made by other code" in output


def test_a_truncated_data_set_is_named(project):
    corrupt(project.folder / "results/data/toy.parquet")
    output = project.snakemake("--forcerun", "split_data", ok=False)
    assert "results/data/toy.parquet" in output
    assert "Parquet" in output


def test_no_network_and_no_local_file(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    project.configure(CONFIG.replace("toy.yaml", "sonar") + "data_dir: nowhere\n")
    output = project.snakemake(
        "data", ok=False, http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9", PIP_INDEX_URL="http://127.0.0.1:9",
        PIP_RETRIES="0",
    )  # fmt: skip
    assert "sonar" in output
    assert "nowhere/sonar/sonar.all-data" in output
    assert "Traceback" not in output
    assert not list(project.folder.glob("results/data/*"))
    assert not list(project.folder.glob("data/downloads/**/*.data"))


def test_a_local_file_with_another_content(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    (project.folder / "mine/sonar").mkdir(parents=True)
    (project.folder / "mine/sonar/sonar.all-data").write_text("0.1,0.2,R\n")
    project.configure(CONFIG.replace("toy.yaml", "sonar") + "data_dir: mine\n")
    output = project.snakemake(
        "data", ok=False, http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9", PIP_INDEX_URL="http://127.0.0.1:9",
        PIP_RETRIES="0",
    )  # fmt: skip
    assert "mine/sonar/sonar.all-data" in output
    assert "sha256" in output
