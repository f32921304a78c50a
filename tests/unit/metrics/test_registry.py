"""Metrics by name."""

import importlib.metadata
import json
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest

from uqalign.metrics import registry
from uqalign.metrics.metric import Metric
from uqalign.metrics.registry import METRICS, for_task, get
from uqalign.registry import UnknownNameError
from uqalign.tasks import TASKS


def largest_loss(y_true, p, *, sample_weight=None):
    return float(np.max(np.abs(np.asarray(p) - y_true)))


MINE = Metric("largest", "Largest", "binary", "classical", largest_loss, bounds=(0, 1))


def test_names_by_task():
    assert {task: list(for_task(task)) for task in TASKS} == {
        "binary": ["nll", "brier", "accuracy", "ece", "mce", "rauc", "edet", "pwu_c", "pwu_k"],
        "multiclass": [
            *["nll", "brier", "accuracy", "ece", "mce", "rauc", "edet", "pwu_jc"],
            *["brier_infimal", "brier_published", "brier_implemented", "log_infimal", "log_published"],
        ],
        "regression": [
            *["nll", "mse", "crps", "ece", "mce", "rauc", "edet"],
            *["pwu_lambda", "pwu_phi", "pwu_phi_residual"],
        ],
        "multivariate": ["nll", "mse", "energy_score", "ece", "mce", "rauc", "edet", "pwu_lambda"],
    }
    assert sum(len(for_task(task)) for task in TASKS) == len(METRICS)


def test_get_and_evaluate():
    metric = get("binary", "mce")
    assert metric.title == "MCE"
    assert metric.evaluate([0, 1], ([0.2, 0.6],)) == pytest.approx(0.4)


def test_unknown_names_get_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"unknown binary metric 'breir': did you mean 'brier'\?"):
        get("binary", "breir")
    with pytest.raises(UnknownNameError, match="unknown regression metric"):
        get("regression", "brier")
    with pytest.raises(ValueError, match="task must be one of"):
        get("classification", "nll")


def test_a_users_own_metric_by_path(monkeypatch):
    module = types.ModuleType("my_metrics")
    module.MINE = MINE
    module.OTHER = "no metric"
    monkeypatch.setitem(sys.modules, "my_metrics", module)
    assert get("binary", "my_metrics:MINE") is MINE
    with pytest.raises(ValueError, match="binary problems, expected one for regression"):
        get("regression", "my_metrics:MINE")
    with pytest.raises(ValueError, match="expected a Metric"):
        get("binary", "my_metrics:OTHER")
    with pytest.raises(UnknownNameError, match="cannot be loaded"):
        get("binary", "my_metrics:ABSENT")


class Point:
    name = "mine"
    value = "my_metrics:MINE"

    def load(self):
        return MINE


def test_installed_metrics_join_their_task(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Point()] if group == registry.GROUP else [])
    registry._registry.cache_clear()
    try:
        assert list(for_task("binary"))[-1] == "largest"
        assert "largest" not in for_task("regression")
        assert get("binary", "largest") is MINE
    finally:
        registry._registry.cache_clear()


def test_orientation():
    assert get("binary", "accuracy").signed(0.8) == -0.8
    assert get("binary", "nll").signed(0.8) == 0.8
    assert np.isnan(get("binary", "edet").signed(np.nan))
    assert {m.name for m in METRICS if m.higher_is_better} == {"accuracy", "edet"}


def test_rows_are_only_for_means_over_rows():
    assert get("binary", "brier").rows([0, 1], ([0.5, 0.5],)).tolist() == [0.25, 0.25]
    with pytest.raises(ValueError, match="'rauc' is not a mean over rows"):
        get("binary", "rauc").rows([0, 1], ([0.5, 0.5],))


def test_metrics_are_immutable_and_hashable():
    metric = get("binary", "mce")
    with pytest.raises(AttributeError):
        metric.name = "other"
    with pytest.raises(TypeError):
        metric.options["aggregate"] = "mean"
    assert len(set(METRICS)) == len(METRICS)


def test_metrics_can_be_sent_to_workers():
    for metric in METRICS:
        again = pickle.loads(pickle.dumps(metric))
        assert again == metric
        assert type(again.options) is type(metric.options)


def test_scoring_imports_neither_torch_nor_scikit_learn():
    code = "import json, sys, uqalign.metrics.registry; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert not {"torch", "sklearn", "torchmetrics", "pandas"} & set(loaded)
