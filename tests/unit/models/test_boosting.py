"""Boosters: every stage that is trained counts, no row is held out, and separable data break nothing.

ngboost #55, pytorch-frame #419: a validation set chose the best stage, and predictions came from the last one.
"""

import ngboost
import numpy as np
import pytest
import xgboost

from model_problems import binary_problem, make_problem, regression_problem
from uqalign.models import gradient_boosting
from uqalign.models import ngboost as natural
from uqalign.models.base import REGISTRY, Compute, fit_all

STAGES = 3


@pytest.fixture
def three_stages(monkeypatch):
    """Boosters of three stages that note how they are fitted."""
    fits = []
    for module, name in ((xgboost, "XGBClassifier"), (ngboost, "NGBRegressor")):
        kind = getattr(module, name)

        def fit(self, x, y, *args, _fit=kind.fit, **options):
            fits.append((self, len(x), args, options))
            return _fit(self, x, y, *args, **options)

        monkeypatch.setattr(module, name, type(name, (kind,), {"fit": fit}))
    monkeypatch.setattr(gradient_boosting, "TREES_SMALL", STAGES)
    monkeypatch.setattr(natural, "TREES_SMALL", STAGES)
    return fits


def test_gradient_boosting_predicts_by_all_its_stages(three_stages):
    given = binary_problem()
    (outcome,) = fit_all(REGISTRY.get("gradient_boosting"), [given])
    ((booster, rows, args, options),) = three_stages
    assert (rows, args, options) == (len(given.train), (), {})
    assert booster.get_params()["early_stopping_rounds"] is None
    assert booster.get_booster().num_boosted_rounds() == STAGES
    _, x_test = given.arrays(scale=False)
    stages = [booster.predict_proba(x_test, iteration_range=(0, stage + 1))[:, 1] for stage in range(STAGES)]
    np.testing.assert_allclose(outcome.prediction[0], stages[-1], rtol=1e-6)
    assert np.abs(outcome.prediction[0] - stages[0]).max() > 1e-3


def test_natural_gradient_boosting_predicts_by_all_its_stages(three_stages):
    given = regression_problem()
    (outcome,) = fit_all(REGISTRY.get("ngboost"), [given])
    ((booster, rows, args, options),) = three_stages
    assert (rows, args, options) == (len(given.train), (), {})
    # Where this is set, the library cuts its predictions off there.
    assert booster.best_val_loss_itr is None
    assert booster.early_stopping_rounds is None
    assert len(booster.base_models) == STAGES
    _, x_test = given.arrays(scale=False)
    center, scale = given.y_train.mean(), given.y_train.std()
    stages = [center + scale * booster.pred_dist(x_test, max_iter=stage + 1).loc for stage in range(STAGES)]
    np.testing.assert_allclose(outcome.prediction[0], stages[-1], rtol=1e-12)
    assert np.abs(outcome.prediction[0] - stages[0]).max() > 1e-3


def test_no_other_model_is_boosted():
    """A new booster belongs into the tests above."""
    boosted = {model.name for model in REGISTRY if "boost" in f"{model.title} {model.reference}".lower()}
    assert boosted == {"gradient_boosting", "ngboost"}


def test_two_fits_of_trees_have_the_same_bits():
    """xgboost #3921: one seed, other trees with more threads. Each fit has one thread, however many run at once."""
    model = REGISTRY.get("gradient_boosting")
    assert model.reproducible == "bitwise"
    problems = [binary_problem(seed=seed) for seed in (1, 2, 3)]
    first, again, beside = (
        [outcome.prediction[0] for outcome in fit_all(model, problems, Compute(threads))] for threads in (1, 1, 3)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, beside)


def contenders():
    for model in REGISTRY:
        for task in sorted(model.tasks):
            if not model.control and model.available() is None:
                yield pytest.param(model, task, id=f"{model.name}-{task}")


@pytest.mark.parametrize(("model", "task"), list(contenders()))
def test_a_feature_equal_to_the_label_breaks_nothing(model, task):
    """ngboost #306, #67: 40 rows, classes separable, `LinAlgError: Singular matrix`."""
    y = np.tile([0.0, 1.0], 20)
    target, width = y, 1 if task == "regression" else 2
    if task == "multivariate":
        target = np.column_stack([y, np.random.default_rng(0).normal(size=40)])
    given = make_problem(y[:, None], target, task=task, test=np.arange(30, 40), width=width)
    (outcome,) = fit_all(model, [given])
    assert outcome.error == ""
    shown = np.column_stack([1 - y, y]) if task == "multiclass" else target
    found, truth = outcome.prediction[0], shown[30:]
    column = (slice(None), 0) if found.ndim == 2 else slice(None)
    constant = np.mean((truth[column] - truth[column].mean()) ** 2)
    assert np.mean((found[column] - truth[column]) ** 2) < constant
