"""Files and orders of the sensitivity analysis."""

import json
from types import SimpleNamespace

from uqalign.config import Config
from uqalign.jobs import Plan
from uqalign.provenance import modules_behind
from uqalign.sensitivity.plan import SensitivityPlan


def plan(**settings):
    return SensitivityPlan(
        Plan(Config(**{"datasets": ["iris", "auto_mpg"], "models": ["random_forest", "gp"], **settings}))
    )


def wildcards(**changes):
    base = {"task": "regression", "dataset": "auto_mpg", "model": "random_forest"}
    return SimpleNamespace(**{**base, "seeds": "seeds-000-002", "folds": "folds-1-5", **changes})


def test_each_prediction_cache_has_one_file():
    jobs = plan()
    assert jobs.scores_of(wildcards()) == [
        "results/scores/regression/auto_mpg/random_forest/seeds-000-002/folds-1-5.parquet",
        "results/scores/regression/auto_mpg/gp/seeds-000-002/folds-1-5.parquet",
        "results/sensitivity/scores/regression/auto_mpg/random_forest/seeds-000-002/folds-1-5.parquet",
        "results/sensitivity/scores/regression/auto_mpg/gp/seeds-000-002/folds-1-5.parquet",
    ]
    assert jobs.results_of(wildcards()) == [
        "results/sensitivity/levels/regression/auto_mpg.parquet",
        "results/sensitivity/surfaces/regression/auto_mpg.parquet",
    ]


def test_the_targets_are_the_report_of_every_task():
    targets = plan().targets()
    assert len(targets) == len(set(targets)) == 2 * 14
    assert "results/sensitivity/figures/surfaces_multiclass.pdf" in targets
    assert "results/sensitivity/tables/levels_regression.md" in targets


def test_metrics_are_no_part_of_the_utilities():
    base = plan()
    spec = json.loads(base.scores_spec(wildcards()))
    assert spec["expects"] == json.loads(base.plan.score_spec(wildcards()))["expects"]
    assert spec["protocol"] == spec["modules"] == []
    other = plan(metrics=["nll"])
    assert other.scores_spec(wildcards()) == base.scores_spec(wildcards())
    assert other.report_spec(wildcards()) != base.report_spec(wildcards())
    assert plan(thetas=2).scores_spec(wildcards()) != base.scores_spec(wildcards())
    behind = modules_behind("uqalign.stages.sensitivity_scores")
    assert not [name for name in behind if name.startswith(("uqalign.metrics", "uqalign.protocol", "uqalign.models"))]


def test_switches_of_decisions_and_utilities_reach_the_utilities():
    base, published = plan(), plan(protocol="published")
    spec = json.loads(published.scores_spec(wildcards()))
    assert {"abstention_cost", "gamma_scale", "theta_label", "argsort_order"} <= set(spec["protocol"])
    assert not {"rauc_int", "tau_row_order", "pwu_mc"} & set(spec["protocol"])
    assert published.scores_code(wildcards()) != base.scores_code(wildcards())
    alone = plan(protocol=["rauc_int"])
    assert alone.scores_spec(wildcards()) == base.scores_spec(wildcards())
    assert alone.scores_code(wildcards()) == base.scores_code(wildcards())


def test_the_stages_import_no_models():
    for stage in ("sensitivity_scores", "sensitivity_alignment", "sensitivity_report"):
        behind = modules_behind(f"uqalign.stages.{stage}")
        assert not [name for name in behind if name.startswith(("uqalign.models", "uqalign.training"))], stage
