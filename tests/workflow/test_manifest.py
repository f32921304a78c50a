"""Every run leaves a record of itself, which makes nothing stale and holds no secrets."""

import json

SECRET = "do-not-tell-8c1f"


def records(project) -> list[dict]:
    return [json.loads(path.read_text()) for path in sorted((project.folder / "results/manifest").glob("*.json"))]


def test_a_run_is_recorded_once_and_without_secrets(project):
    (earlier,) = records(project)
    assert earlier["status"] == "complete"
    assert earlier["config"]["models"] == ["logreg", "mlp", "constant"]
    assert earlier["command"][1:3] == ["--cores", "2"]
    assert earlier["git"] == {}  # no checkout
    assert {"cores", "memory_bytes", "gpus", "python", "system"} <= set(earlier["machine"])
    assert {"uqalign", "numpy", "snakemake", "torch"} <= set(earlier["versions"])
    assert earlier["started"] <= earlier["ended"]

    secrets = dict.fromkeys(("HF_TOKEN", "KAGGLE_KEY", "TABPFN_TOKEN", "ENTSOE_API_KEY", "UQALIGN_SECRET"), SECRET)
    path = "results/predictions/binary/toy/constant/seeds-000-001/folds-1-2.parquet"
    (project.folder / path).unlink()
    project.snakemake(path, "--forcerun", "clean_data", "--verbose", **secrets)
    project.snakemake(path, ok=True, **secrets)  # nothing to do, nothing to record
    assert [record["status"] for record in records(project)] == ["complete", "complete"]
    written = [
        file for folder in ("results", ".snakemake") for file in (project.folder / folder).rglob("*") if file.is_file()
    ]
    assert len(written) > 20
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


def test_the_record_makes_nothing_stale(project):
    for file in (project.folder / "results/manifest").iterdir():
        file.unlink()
    assert project.planned() == {}
    assert not list((project.folder / "results/manifest").iterdir())  # a dry run is no run
