"""Which files the page rests on, and what its stages are told."""

import json
from types import SimpleNamespace

import pytest

from uqalign.cases.plan import CasePlan
from uqalign.config import Config, ConfigError, parse_config
from uqalign.jobs import Plan
from uqalign.report.plan import PagePlan

BASE = {"datasets": ["iris", "wine"], "models": ["logreg", "random_forest"], "seeds": 2, "folds": 2}


def plan(**more) -> PagePlan:
    config = parse_config({**BASE, **more})
    return PagePlan(Plan(config), CasePlan.of(config))


def test_sections_add_their_files_and_nothing_else():
    plain = plan().inputs()
    assert not [path for path in plain if path.split("/")[1] in ("sensitivity", "audit", "superiority", "predictions")]
    assert "results/report/data/multiclass/iris/curves.parquet" in plain
    assert len(plain) == len(set(plain))
    for section in ("sensitivity", "audit", "superiority"):
        more = plan(report={"sections": [section]}).inputs()
        assert set(plain) < set(more)
        assert {path.split("/")[1] for path in set(more) - set(plain)} == {section}
        assert not [path for path in more if path.endswith(".pdf")]


def test_unknown_sections_are_refused():
    with pytest.raises(ConfigError, match=r"report\.sections"):
        parse_config({"report": {"sections": ["theory"]}})


def test_a_data_set_is_told_its_jobs():
    found = plan()
    place = SimpleNamespace(task="multiclass", dataset="wine")
    spec = json.loads(found.dataset_spec(place))
    assert spec["models"] == ["logreg", "random_forest"]
    assert len(spec["expects"]) == len(found.predictions_of(place)) == 2
    assert [job["spec"]["model"] for job in spec["expects"]] == spec["models"]
    assert all(job["spec"]["dataset"] == "wine" for job in spec["expects"])


def test_the_page_is_told_what_changes_it_only():
    spec = plan().page_spec()
    assert spec == plan(data_dir="elsewhere", device="cpu", chunk={"seeds": 1, "folds": 1}).page_spec()
    assert spec != plan(thetas=2).page_spec()
    found = json.loads(spec)
    assert [entry["name"] for entry in found["datasets"]] == ["iris", "wine"]
    assert found["datasets"][0]["rows"] == 150
    absent = {entry["model"]: entry["why"] for entry in found["absent"]}
    assert absent["gp"] == "not in the configuration" if "gp" in absent else True
    assert "logreg" not in absent
    assert absent["mlp"] == "not in the configuration"
    assert "linreg" not in absent  # it knows none of these tasks


def test_the_default_configuration_shows_no_extra_section():
    assert Config().report.sections == []
