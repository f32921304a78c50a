"""The grid that a configuration asks for."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.config import Config, ConfigError
from uqalign.jobs import FAMILIES, Plan, fold_token, parse_token, seed_token
from uqalign.models import tabpfn
from uqalign.models.base import REGISTRY

DATASETS = ["iris", "sonar"]
MODELS = ["logreg", "random_forest", "gradient_boosting"]


def plan(**settings):
    return Plan(Config(**{"datasets": DATASETS, "models": MODELS, **settings}))


@given(
    st.lists(st.integers(0, 250), min_size=1, max_size=30, unique=True),
    st.integers(1, 100),
    st.integers(2, 11),
    st.integers(1, 12),
)
def test_the_jobs_cover_every_split_once(seeds, chunk_seeds, folds, chunk_folds):
    grid = plan(seeds=seeds, folds=folds, chunk={"seeds": chunk_seeds, "folds": chunk_folds})
    covered = [(j.dataset, j.model, seed, fold) for j in grid.jobs for seed in j.seeds for fold in j.folds]
    expected = {
        (dataset, model, seed, fold)
        for dataset in DATASETS for model in MODELS for seed in seeds for fold in range(1, folds + 1)
    }  # fmt: skip
    assert len(covered) == len(expected)
    assert set(covered) == expected
    for job in grid.jobs:
        assert len(job.seeds) <= chunk_seeds
        assert job.seeds[0] // 100 == job.seeds[-1] // 100


def test_paths_name_the_chunk():
    job = plan(seeds=12).jobs[0]
    assert job.path == "multiclass/iris/logreg/seeds-000-009/folds-1-5"
    assert len(plan(seeds=12).jobs) == 2 * 3 * 2


def test_adding_a_seed_leaves_complete_chunks_alone():
    before = {job.path for job in plan(seeds=20).jobs}
    after = {job.path for job in plan(seeds=21).jobs}
    assert before < after


@given(st.integers(0, 900), st.integers(1, 100))
def test_tokens_are_read_back(start, length):
    seeds = range(start, start + length)
    assert parse_token(seed_token(seeds)) == seeds
    folds = range(1, length + 1)
    assert parse_token(fold_token(folds)) == folds


def test_a_foreign_token_is_refused():
    with pytest.raises(ValueError, match="no range of seeds or folds"):
        parse_token("seeds-1")


def test_each_model_is_fitted_where_it_knows_the_task():
    grid = plan(datasets=["iris", "auto_mpg"], models=["logreg", "random_forest", "constant"])
    assert {(job.dataset, job.model) for job in grid.jobs} == {
        ("iris", "logreg"), ("iris", "random_forest"), ("iris", "constant"),
        ("auto_mpg", "random_forest"), ("auto_mpg", "constant"),
    }  # fmt: skip
    assert grid.check() is grid
    with pytest.raises(ConfigError, match=r"models: 1 of them can be fitted to auto_mpg \(regression\)"):
        plan(datasets=["auto_mpg"], models=["logreg", "random_forest"]).check()


def test_a_model_that_lacks_something_is_refused_with_the_remedy():
    lacking = replace(REGISTRY.get("logreg"), available=lambda: "no weights: run `fetch`")
    grid = plan()
    grid.models["logreg"] = lacking
    with pytest.raises(ConfigError, match="logreg is not available here: no weights: run `fetch`"):
        grid.check()


def test_suites_stand_for_their_models():
    grid = plan(datasets=["sonar", "auto_mpg", "iris", "energy_2d"], models=["paper_open", "noise"])
    suites = {}
    for job in grid.jobs:
        suites.setdefault(job.task, []).append(job.model)
    # The published suites have ten, ten, five and five models; TabPFN is missing from the first three.
    assert {task: len(names) - 1 for task, names in suites.items()} == {
        "binary": 9, "regression": 9, "multiclass": 4, "multivariate": 5,
    }  # fmt: skip
    assert plan(models=["paper_open", "mlp"]).models == plan(models=["paper_open"]).models
    with pytest.raises(ConfigError, match=r"tabpfn is not available here: .*; the suite paper_open does without it"):
        plan(models=["paper"]).check()


def test_gpus_are_asked_for_where_they_can_be_used():
    networks = {"datasets": ["sonar"], "models": ["logreg", "mlp"]}
    asked = {
        device: {job.model: plan(**networks, device=device).gpus(wildcards(job)) for job in plan(**networks).jobs}
        for device in ("cpu", "cuda")
    }
    assert asked == {"cpu": {"logreg": 0, "mlp": 0}, "cuda": {"logreg": 0, "mlp": 1}}


def test_jobs_with_and_without_a_gpu_have_rules_of_their_own():
    networks = {"datasets": ["sonar"], "models": ["logreg", "mlp", "random_forest"]}
    assert plan(**networks, device="cuda").trained_with(gpus=0) == "logreg|random_forest"
    assert plan(**networks, device="cuda").trained_with(gpus=1) == "mlp"
    nothing = plan(**networks, device="cpu").trained_with(gpus=1)
    assert not any(re.search(nothing, text) for text in ("", "mlp", "logreg"))


def test_a_split_needs_its_column():
    assert plan(datasets=["parkinsons"], models=["random_forest", "constant"], split="grouped").check()
    assert plan(datasets=["air_quality"], models=["random_forest", "constant"], split="blocked").check()
    with pytest.raises(ConfigError, match="split: grouped needs a group column, which iris does not have"):
        plan(split="grouped").check()
    with pytest.raises(ConfigError, match="split: blocked needs a time column, which parkinsons does not have"):
        plan(datasets=["parkinsons"], models=["random_forest", "constant"], split="blocked").check()


def test_metrics_are_checked_only_where_they_are_named():
    with pytest.raises(ConfigError, match="unknown multiclass metric 'nnl': did you mean 'nll'"):
        plan(metrics=["nnl"]).check()
    with pytest.raises(ConfigError, match="none of them scores multiclass problems"):
        plan(metrics=["pwu_c"]).check()
    assert plan(metrics=["nll", "pwu_c"]).check()


def wildcards(job):
    return SimpleNamespace(
        task=job.task, dataset=job.dataset, model=job.model, seeds=seed_token(job.seeds), folds=fold_token(job.folds)
    )


def test_a_spec_holds_what_changes_results_and_no_more():
    base = plan(seeds=2)
    job = base.jobs[0]
    spec = json.loads(base.train_spec(wildcards(job)))
    assert spec == {
        "task": "multiclass", "dataset": "iris", "model": "logreg", "split": "shuffled", "n_folds": 5,
        "seeds": [0, 1], "folds": [1, 5],
    }  # fmt: skip
    for other in (
        plan(seeds=2, data_dir="else/where"),
        plan(seeds=2, metrics=["nll"]),
        plan(seeds=2, datasets=["iris"]),
    ):
        assert other.train_spec(wildcards(job)) == base.train_spec(wildcards(job))
        assert other.train_code(wildcards(job)) == base.train_code(wildcards(job))
    assert plan(seeds=2, split="grouped").train_spec(wildcards(job)) != base.train_spec(wildcards(job))
    score = json.loads(base.score_spec(wildcards(job)))
    assert score["expects"] == {"spec": spec, "code": base.train_code(wildcards(job))}


def test_what_decides_predictions_beyond_code_is_in_the_spec(monkeypatch, tmp_path):
    (tmp_path / "classifier.ckpt").write_bytes(b"weights")
    monkeypatch.setenv(tabpfn.VARIABLE, str(tmp_path))
    base, other = plan(seeds=2), plan(seeds=2)
    job = base.jobs[0]
    monkeypatch.setitem(other.models, "logreg", replace(REGISTRY.get("logreg"), identity=tabpfn.identity))
    spec = json.loads(other.train_spec(wildcards(job)))
    identity = {"classifier.ckpt": sha256(b"weights").hexdigest()}
    assert spec == json.loads(base.train_spec(wildcards(job))) | {"identity": identity}
    assert json.loads(other.score_spec(wildcards(job)))["expects"]["spec"] == spec


def test_models_have_code_of_their_own():
    grid = plan()
    codes = {job.model: grid.train_code(wildcards(job)) for job in grid.jobs}
    assert len(set(codes.values())) == len(MODELS)


def test_the_families_are_those_of_the_library():
    from uqalign.families import families_of

    assert {task: tuple(f.name for f in families_of(task)) for task in FAMILIES} == FAMILIES
