"""The profiles can be used as they are, where their schedulers are not."""

import re

import pytest
import yaml

from uqalign.retries import grows
from workflow_project import ROOT

PROFILES = sorted(path.parent.name for path in (ROOT / "profiles").glob("*/profile.yaml"))
SHARED = ("rerun-incomplete", "keep-going", "show-failed-logs", "scheduler", "max-checksum-file-size")


def profile(name):
    return yaml.safe_load((ROOT / f"profiles/{name}/profile.yaml").read_text())


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_plans_the_same_run(finished, name):
    target = "results/predictions/binary/toy/noise/seeds-000-001/folds-1-2.parquet"
    config = ("--config", "models=[logreg,noise]", "--")
    assert finished.planned("--workflow-profile", f"profiles/{name}", *config, target) == {"train": 1}


@pytest.mark.parametrize("name", sorted({*PROFILES} - {"default"}))
def test_what_replaces_the_default_profile_repeats_it(name):
    # Comparing inputs otherwise would make other things stale on the cluster than at home.
    assert {key: profile(name)[key] for key in SHARED} == {key: profile("default")[key] for key in SHARED}


@pytest.mark.parametrize("name", sorted({*PROFILES} - {"default"}))
def test_a_cluster_tries_again(name):
    assert profile(name)["retries"] == 2


def test_every_rule_gets_more_memory_and_time_at_each_attempt():
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        text = path.read_text()
        for resource in ("mem_mb", "runtime"):
            given = re.findall(rf"^ +{resource}=(.*),$", text, re.MULTILINE)
            assert len(given) == text.count("    resources:\n"), path
            assert all(re.fullmatch(r"grows\(\d+\)", value) for value in given), path
    assert [grows(2000)(None, attempt) for attempt in (1, 2, 3)] == [2000, 4000, 6000]


def test_rules_leave_retries_to_the_profile():
    # A retry that a rule asks for happens inside the same allocation, with the same memory.
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        assert "retries:" not in path.read_text(), path
