"""TabPFN at its package's interface, and through the package with weights made up here where it is installed."""

import dataclasses
import hashlib
import importlib.machinery
import sys
import types

import numpy as np
import pytest
import torch
from scipy.stats import norm

from model_problems import binary_problem, make_problem, regression, regression_problem
from uqalign.models import tabpfn
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.models.engines.in_context import QUANTILES, subsample

MODEL = REGISTRY.get("tabpfn")


class StandIn:
    """The package's two estimators as far as they are used, recording what they are given."""

    seen: list = []  # noqa: RUF012

    def __init__(self, **settings):
        self.settings = settings

    def fit(self, x, y):
        self.x, self.y, self.classes_ = x, y, np.unique(y)
        self.seen.append(self)
        return self


class Classifier(StandIn):
    def predict_proba(self, x):
        share = np.array([np.mean(self.y == label) for label in self.classes_], dtype=np.float32)
        # Drawn from the global generator, as a careless library might.
        torch.rand(1)
        return np.tile(share, (len(x), 1))


class Regressor(StandIn):
    def predict(self, x, *, output_type, quantiles):
        assert output_type == "main"
        answer = norm(loc=self.y.mean(), scale=self.y.std())
        return {
            "mean": np.full(len(x), answer.mean(), dtype=np.float32),
            "quantiles": [np.full(len(x), answer.ppf(q)) for q in quantiles],
        }


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """A folder with empty checkpoints of the expected names."""
    for name in ("v2-classifier.ckpt", "v2-regressor.ckpt", "config.json"):
        (tmp_path / name).touch()
    monkeypatch.setenv(tabpfn.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def stand_in(monkeypatch, weights):
    module = types.ModuleType("tabpfn")
    module.__spec__ = importlib.machinery.ModuleSpec("tabpfn", None)
    module.TabPFNClassifier, module.TabPFNRegressor = Classifier, Regressor
    monkeypatch.setitem(sys.modules, "tabpfn", module)
    monkeypatch.setattr(StandIn, "seen", [])
    return StandIn.seen


def predict(problem):
    (outcome,) = fit_all(MODEL, [problem], Compute(threads=1))
    assert not outcome.error
    return outcome.prediction


def test_the_package_is_asked_for_by_name(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert MODEL.available() == "the package tabpfn is not installed: pip install 'uqalign[tabpfn]'"


def test_with_package_and_weights_it_is_available(stand_in):
    assert MODEL.available() is None


@pytest.mark.parametrize("absent", ["classifier", "regressor"])
def test_absent_weights_are_named_with_the_remedy(stand_in, weights, absent):
    (weights / f"v2-{absent}.ckpt").unlink()
    reason = MODEL.available()
    assert f"no TabPFN weights for the {absent} at {weights}" in reason
    assert f"set {tabpfn.VARIABLE}" in reason


def test_weights_that_leave_a_choice_are_refused(stand_in, weights):
    (weights / "v3-regressor.safetensors").touch()
    assert "several TabPFN weights for the regressor" in MODEL.available()
    assert "v2-regressor.ckpt, v3-regressor.safetensors" in MODEL.available()


def test_one_checkpoint_may_serve_both(stand_in, weights, monkeypatch):
    both = weights / "v3.5.safetensors"
    both.touch()
    monkeypatch.setenv(tabpfn.VARIABLE, str(both))
    assert MODEL.available() is None
    assert tabpfn.find_weights("classifier") == tabpfn.find_weights("regressor") == both


def test_the_checkpoint_that_predicts_a_task_is_its_identity(weights):
    before = {task: MODEL.identity(task) for task in ("binary", "multiclass", "regression")}
    assert before["binary"] == before["multiclass"]
    assert [*before["binary"], *before["regression"]] == ["v2-classifier.ckpt", "v2-regressor.ckpt"]
    (weights / "v2-classifier.ckpt").write_bytes(b"other weights")
    digest = hashlib.sha256(b"other weights").hexdigest()
    assert MODEL.identity("binary") == {"v2-classifier.ckpt": digest}
    assert MODEL.identity("regression") == before["regression"]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({tabpfn.VARIABLE: "/w", "TABPFN_MODEL_CACHE_DIR": "/c"}, "/w"),
        ({"TABPFN_MODEL_CACHE_DIR": "/c", "XDG_CACHE_HOME": "/x"}, "/c"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/tabpfn"),
        ({"HOME": "/h"}, "/h/.cache/tabpfn"),
    ],
)
def test_weights_are_looked_for_where_the_package_keeps_them(monkeypatch, environment, expected):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in (tabpfn.VARIABLE, "TABPFN_MODEL_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert str(tabpfn.weights_place()) == expected


def test_the_quantiles_are_one_standard_deviation_from_the_mean():
    assert [round(100 * q, 2) for q in QUANTILES] == [15.87, 84.13]


def test_a_normal_answer_gives_its_mean_and_variance(stand_in):
    given = regression_problem()
    mean, var = predict(given)
    np.testing.assert_allclose(mean, given.y_train.mean(), rtol=1e-6)
    np.testing.assert_allclose(var, given.y_train.var(), rtol=1e-9)


def test_probabilities_have_the_columns_of_the_data_set(stand_in):
    x, y = regression(60)
    labels = np.digitize(y, [-0.5, 0.5]) * 2.0
    given = make_problem(x, labels, task="multiclass", test=np.arange(50, 60), width=5)
    (p,) = predict(given)
    shares = [np.mean(given.y_train == label) for label in range(5)]
    np.testing.assert_allclose(p, np.tile(shares, (10, 1)), atol=1e-7)


def test_the_positive_class_is_predicted_for_two(stand_in):
    given = binary_problem()
    (p,) = predict(given)
    np.testing.assert_allclose(p, given.y_train.mean(), atol=1e-7)


def test_one_class_alone_needs_no_fit(stand_in):
    x, _ = regression(60)
    (p,) = predict(make_problem(x, np.ones(60), task="binary", test=np.arange(50, 60), width=2))
    assert (p == 1).all()
    assert not stand_in


def test_seed_device_and_weights_reach_the_package(stand_in, weights):
    predict(binary_problem(seed=17))
    predict(regression_problem(seed=18))
    one, two = (estimator.settings for estimator in stand_in)
    assert (one["random_state"], two["random_state"]) == (17, 18)
    assert (one["device"], two["device"]) == ("cpu", "cpu")
    assert (one["model_path"], two["model_path"]) == (weights / "v2-classifier.ckpt", weights / "v2-regressor.ckpt")


def test_large_tables_are_subsampled_by_the_seed(stand_in):
    x, y = regression(10_050)
    for seed in (1, 1, 2):
        predict(make_problem(x, y, task="regression", test=np.arange(10_040, 10_050), seed=seed))
    first, again, other = (estimator.y for estimator in stand_in)
    assert len(first) == 10_000
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_subsample_has_each_row_once_and_in_order():
    rows = subsample(1000, 3, most=400)
    assert len(rows) == len(set(rows.tolist())) == 400
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(subsample(400, 3, most=400), np.arange(400))


@pytest.mark.parametrize(
    ("estimator", "method", "answer", "make"),
    [
        (Classifier, "predict_proba", np.full((20, 2), np.nan), binary_problem),
        (Regressor, "predict", {"mean": np.full(20, np.inf), "quantiles": [np.ones(20)] * 2}, regression_problem),
    ],
)
def test_an_answer_that_is_not_finite_is_a_failed_fit(stand_in, monkeypatch, estimator, method, answer, make):
    monkeypatch.setattr(estimator, method, lambda self, *args, **kwargs: answer)
    (outcome,) = fit_all(MODEL, [make()])
    assert outcome.error.startswith("FitFailed: TabPFN returned NaN or infinite")


def test_the_global_state_stays_as_it_was(stand_in):
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    predict(binary_problem())
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_num_threads() == threads


def tiny_checkpoint(folder, kind):
    """Random weights of a small network in the package's own format."""
    from tabpfn.architectures import tabpfn_v2

    torch.manual_seed(0)
    heads = {"max_num_classes": 10} if kind == "classifier" else {"max_num_classes": 0, "num_buckets": 50}
    config = tabpfn_v2.TabPFNV2Config(emsize=24, nlayers=2, nhead=2, **heads)
    network = tabpfn_v2.get_architecture(config)
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    state = network.state_dict()
    if kind == "regressor":
        state["criterion.borders"] = torch.linspace(-4, 4, 51)
        state["criterion.losses_per_bucket"] = torch.zeros(50)
    torch.save({"state_dict": state, "config": dataclasses.asdict(config)}, folder / f"tiny-{kind}.ckpt")


@pytest.mark.parametrize("make", [binary_problem, regression_problem])
def test_the_package_itself_predicts_row_by_row(make, tmp_path, monkeypatch):
    pytest.importorskip("tabpfn.architectures.tabpfn_v2", reason="the package tabpfn is not installed")
    for kind in ("classifier", "regressor"):
        tiny_checkpoint(tmp_path, kind)
    monkeypatch.setenv(tabpfn.VARIABLE, str(tmp_path))
    assert MODEL.available() is None
    given = make()
    whole = predict(given)
    part = predict(dataclasses.replace(given, test=given.test[:1]))
    for a, b in zip(whole, part, strict=True):
        assert np.ptp(a) > 0
        np.testing.assert_allclose(b, a[:1], atol=1e-5)
    for a, b in zip(whole, predict(given), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
