"""Settings and variants."""

from __future__ import annotations

import pytest

from uqalign.audit.settings import (
    AUDITED,
    measurable,
    metric_variants,
    settings,
    unmeasurable,
    utility_variants,
)
from uqalign.jobs import FAMILIES
from uqalign.metrics.registry import for_task
from uqalign.protocol import SWITCHES, acting_on_metric, acting_on_utility
from uqalign.tasks import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_every_setting_has_its_variants(task: str) -> None:
    names = [setting.name for setting in settings(task)]
    ids = [switch.id for switch in measurable(task)]
    assert names == ["definitions", "published", *(f"+{i}" for i in ids), *(f"-{i}" for i in ids)]
    assert set(AUDITED[task]) <= set(for_task(task))
    for setting in settings(task):
        for metric in AUDITED[task]:
            assert acting_on_metric(task, metric, setting.switches) in metric_variants(task, metric).values()
        for family in FAMILIES[task]:
            assert acting_on_utility(family, setting.switches) in utility_variants(task, family).values()


def test_no_variant_is_computed_twice() -> None:
    assert set(metric_variants("regression", "pwu_phi")) == {
        "",
        "gamma_scale",
        "pwu_mc",
        "argsort_order+gamma_scale+pwu_mc",
        "argsort_order+pwu_mc",
        "gamma_scale+pwu_mc",
    }
    assert set(metric_variants("regression", "nll")) == {""}
    assert sum(len(metric_variants("binary", name)) for name in AUDITED["binary"]) == 21  # docs/audit.md
    assert set(utility_variants("binary", "binary_decision")) == {"", "threshold_geq"}


def test_every_switch_is_measured_or_named_as_unmeasured() -> None:
    measured = {switch.id for task in TASKS for switch in measurable(task)}
    rest = {switch.id for switch in unmeasurable(TASKS)}
    assert measured | rest == set(SWITCHES)
    assert not measured & rest
    assert "global_rng" in rest
    assert "abstention_cost" not in {switch.id for switch in measurable("binary")}
