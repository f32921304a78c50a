"""The audit's files and orders."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from uqalign.audit.claimed_cases import CASES
from uqalign.audit.declared import UNIVARIATE
from uqalign.audit.plan import CLAIMED, AuditPlan
from uqalign.audit.stages.report import FILES
from uqalign.cases.case import FixedTest
from uqalign.cases.plan import CasePlan
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.config import Config, ConfigError
from uqalign.families import FAMILIES
from uqalign.jobs import Plan

ROOT = Path(__file__).parents[3]


def plan(**changes: object) -> AuditPlan:
    settings = {"datasets": ["sonar_keel", "iris"], "models": ["logreg", "random_forest"], "seeds": 12}
    config = Config.model_validate(settings | changes)
    return AuditPlan(Plan(config), CasePlan.of(config))


WILDCARDS = SimpleNamespace(task="binary", dataset="sonar_keel", model="logreg")


def test_one_job_scores_all_caches_of_a_model() -> None:
    audit = plan(seeds=[0, 1, 100])
    files = audit.score_files(WILDCARDS)
    assert files == [
        "results/predictions/binary/sonar_keel/logreg/seeds-000-001/folds-1-5.parquet",
        "results/predictions/binary/sonar_keel/logreg/seeds-100-100/folds-1-5.parquet",
        "results/splits/sonar_keel/seeds-000-099.parquet",
        "results/splits/sonar_keel/seeds-100-199.parquet",
    ]
    spec = json.loads(audit.score_spec(WILDCARDS))
    assert [cache["splits"] for cache in spec["caches"]] == [0, 1]
    assert [cache["spec"]["seeds"] for cache in spec["caches"]] == [[0, 1], [100, 100]]


def test_only_binary_data_sets_have_ties_to_count() -> None:
    audit = plan()
    assert audit.ties() == ["results/audit/ties/binary/sonar_keel.parquet"]
    assert len(audit.taus()) == len(audit.without()) == 2
    assert set(audit.report().values()) == {f"results/audit/{name}" for name in FILES}


def test_the_protocol_of_a_run_changes_no_order_but_that_of_the_claims() -> None:
    one, other = plan(), plan(protocol="published")
    assert one.score_spec(WILDCARDS) == other.score_spec(WILDCARDS)
    assert one.dataset_spec(WILDCARDS) == other.dataset_spec(WILDCARDS)
    assert one.report_spec(None) == other.report_spec(None)
    assert one.claims_spec(None) != other.claims_spec(None)


@pytest.mark.parametrize(
    ("protocol", "setting"),
    [
        ("definitions", "definitions"),
        ("published", "published"),
        (["threshold_geq"], "+threshold_geq"),
        (["threshold_geq", "rauc_oracle"], ""),
        (["abstention_cost"], "definitions"),  # acts on regression only
    ],
)
def test_other_yardsticks_are_those_of_the_protocol(protocol: str | list[str], setting: str) -> None:
    assert json.loads(plan(protocol=protocol).claims_spec(None))["settings"] == {"binary": setting}


def test_other_yardsticks_are_asked_for_where_there_are_claims() -> None:
    assert plan().other_yardsticks() == [
        "results/alignment/binary/sonar_keel.parquet",
        "results/sensitivity/levels/binary/sonar_keel.parquet",
    ]
    assert {FAMILIES[family].task for family in UNIVARIATE} == set(CLAIMED)
    assert not any("surfaces" in path for path in plan().other_yardsticks())


@pytest.mark.parametrize(
    ("protocol", "setting"),
    [
        ("definitions", "definitions"),
        ("published", "published"),
        (["greedy_stop"], ""),
        (["rauc_oracle"], "+rauc_oracle"),
        (["bid_risk"], "definitions"),  # acts on bids only
    ],
)
def test_case_studies_are_asked_for_where_there_are_claims(protocol: str | list[str], setting: str) -> None:
    audit = plan(cases=["lending"], protocol=protocol)
    assert audit.other_yardsticks()[2:] == ["results/cases/lending/alignment/lending_club.parquet"]
    assert json.loads(audit.claims_spec(None))["cases"] == {"lending": setting}


def test_an_audit_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="list some under `datasets`"):
        plan(datasets=[], cases=["lending"]).audit()


def test_claims_name_case_studies_and_arms_that_there_are() -> None:
    for name, claimed in CASES.items():
        case = CASES_REGISTRY.get(name)
        assert case.task == claimed.task
        assert set(claimed.arms) <= {arm.name for arm in case.arms}
        assert claimed.redrawn == isinstance(case.splits, FixedTest)


def test_reports_know_published_names_and_missing_models() -> None:
    spec = json.loads(plan().report_spec(None))
    assert spec["published"]["names"] == {"sonar_keel": "sonar"}
    assert "tabpfn" in spec["missing"]["binary"]
    assert "logreg" not in spec["missing"]["binary"]
    assert spec["missing"]["multiclass"] == ["gradient_boosting", "mlp", "tabpfn"]


def test_each_stage_has_its_rule() -> None:
    rules = (ROOT / "workflow/rules/audit.smk").read_text()
    for name in ("score", "align", "ties", "comparison", "report", "figures"):
        assert f"code=audit_plan.{name}_code," in rules
        assert f"uqalign stage audit {name} " in rules
        assert len(getattr(plan(), f"{name}_code")(WILDCARDS)) == 16
