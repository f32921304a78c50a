"""The list of switches, and its look-up."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from uqalign.families import families_of, published_thetas
from uqalign.metrics.registry import for_task
from uqalign.protocol import (
    PUBLISHED,
    SWITCHES,
    acting_on_metric,
    acting_on_utility,
    concerning,
    evaluate_utility,
    expand,
    metrics_under,
)
from uqalign.registry import UnknownNameError
from uqalign.tasks import TASKS

IDS = {
    "abstention_cost",
    "gamma_scale",
    "rauc_oracle",
    "rauc_int",
    "ece_drop_one",
    "tau_row_order",
    "theta_label",
    "edet_degenerate",
    "edet_rounding",
    "threshold_geq",
    "argsort_order",
    "nan_last",
    "jitter_always",
    "energy_mc",
    "negative_credit",
    "lookahead_bid",
    "greedy_stop",
    "global_rng",
    "impute_before_split",
    "pwu_mc",
    "bid_risk",
    "annual_rates",
    "averages_all_rows",
}


def test_every_known_deviation_has_one_declaration() -> None:
    assert set(SWITCHES) == IDS
    for switch in SWITCHES.values():
        assert switch.published != switch.definition
        assert switch.stages
        assert set(switch.tasks) <= set(TASKS)
        assert switch.tasks


def test_expand() -> None:
    assert expand([]) == frozenset()
    assert expand([PUBLISHED]) == expand(PUBLISHED) == set(SWITCHES)
    assert expand(["pwu_mc", "pwu_mc", "nan_last"]) == {"pwu_mc", "nan_last"}


def test_a_misspelt_switch_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="unknown protocol switch 'rauc_oracel': did you mean 'rauc_oracle'"):
        expand(["rauc_oracel"])
    with pytest.raises(UnknownNameError, match="did you mean 'published'"):
        expand(["publishd"])


def test_concerning() -> None:
    assert [switch.id for switch in concerning("binary", "theta")] == ["theta_label"]
    assert {switch.id for switch in concerning("multivariate", "metric")} == {
        "rauc_oracle",
        "argsort_order",
        "jitter_always",
        "energy_mc",
        "pwu_mc",
    }


@pytest.mark.parametrize("task", TASKS)
def test_without_switches_the_metrics_are_the_registered_ones(task: str) -> None:
    assert metrics_under(task, []) == for_task(task)


def example(task: str):
    """Rows on which every metric has a value: errors of both kinds, ties, non-integer targets."""
    rng = np.random.default_rng(5)
    n = 23
    match task:
        case "binary":
            p = np.round(rng.uniform(0.05, 0.95, n), 1)
            return (rng.uniform(size=n) < p).astype(int), (p,)
        case "multiclass":
            p = rng.dirichlet(np.ones(3), n)
            return np.array([rng.choice(3, p=row) for row in p]), (p,)
        case "regression":
            mean, var = rng.normal(3, 2, n), np.round(rng.uniform(0.1, 2, n), 1)
            return mean + rng.normal(size=n) * np.sqrt(var), (mean, var)
        case _:
            mean = rng.normal(3, 2, (n, 2))
            root = rng.normal(size=(n, 2, 2))
            return mean + rng.normal(size=(n, 2)), (mean, root @ root.transpose(0, 2, 1) + 0.1 * np.eye(2))


@pytest.mark.parametrize("task", TASKS)
def test_each_metric_switch_changes_a_metric_of_each_of_its_tasks(task: str) -> None:
    y, prediction = example(task)
    if task == "binary":
        prediction = (np.where(y == 1, prediction[0], np.minimum(prediction[0], 0.9)),)
    defined = metrics_under(task, [])
    for switch in concerning(task, "metric"):
        changed = {n: m for n, m in metrics_under(task, [switch.id]).items() if m != defined[n]}
        assert changed, switch.id
        for metric in changed.values():
            assert switch.id in metric.description
            assert np.isfinite(metric.evaluate(y, prediction))
            assert pickle.loads(pickle.dumps(metric)) == metric
            with pytest.raises(ValueError, match="no sample weights"):
                metric.evaluate(y, prediction, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("task", TASKS)
def test_a_users_own_metric_is_left_alone(task: str) -> None:
    from dataclasses import replace

    own = {
        name: replace(metric, title="Mine") for name, metric in for_task(task).items() if name in ("ece", "pwu_lambda")
    }
    assert metrics_under(task, [PUBLISHED], own) == own


def prediction(task: str, rng: np.random.Generator) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    n = 12
    if task == "binary":
        return rng.integers(0, 2, n), (np.append(rng.uniform(size=n - 2).round(1), [1.0, 0.0]),)
    if task == "multiclass":
        return rng.integers(0, 3, n), (rng.dirichlet([1, 1, 1], n),)
    if task == "regression":
        return 9 + rng.normal(size=n), (9 + rng.normal(size=n).round(1), rng.gamma(2, 1, n).round(1))
    return rng.normal(size=(n, 2)), (rng.normal(size=(n, 2)), np.tile(np.eye(2), (n, 1, 1)))


@pytest.mark.parametrize("task", TASKS)
def test_switches_that_do_not_act_change_nothing(task: str) -> None:
    y, predicted = prediction(task, np.random.default_rng(0))
    scoring = {s.id for stage in ("metric", "utility") for s in concerning(task, stage)}
    acting: set[str] = set()
    for switches in ([PUBLISHED], *([s] for s in scoring), *(scoring - {s} for s in scoring)):
        under = metrics_under(task, switches)
        for name in under:
            acts = acting_on_metric(task, name, switches)
            acting |= acts
            alone = metrics_under(task, acts)[name]
            assert (alone.function, alone.options) == (under[name].function, under[name].options)
        for family, thetas in published_thetas(task, 3 if task == "multiclass" else None).items():
            acts = acting_on_utility(family.name, switches)
            acting |= acts
            values = [evaluate_utility(family, y, predicted, thetas[0], s) for s in (switches, acts)]
            assert values[0] == values[1]
    assert acting == scoring


def test_the_order_of_ties_acts_on_a_risk_averse_expectation_over_draws_only() -> None:
    assert acting_on_metric("regression", "pwu_phi", ["argsort_order"]) == set()
    assert acting_on_metric("regression", "pwu_phi", ["argsort_order", "gamma_scale"]) == {"gamma_scale"}
    assert acting_on_metric("regression", "pwu_phi", ["argsort_order", "pwu_mc"]) == {"argsort_order", "pwu_mc"}
    assert {family.name for family in families_of("regression") if acting_on_utility(family.name, PUBLISHED)} == {
        "selective",
        "risk_averse_top_k",
    }
