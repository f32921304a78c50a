"""Estimators of one's own."""

import numpy as np
import pandas as pd
import pytest

from uqalign.models.base import Problem, fit_all
from uqalign.models.estimators import estimator_model
from uqalign.predictions import check_prediction
from uqalign.provenance import declaration_modules


def problem(task, target, width):
    features = pd.DataFrame({"x": np.arange(40.0), "z": np.tile([0.0, 1.0], 20)})
    kinds = {"x": "numeric", "z": "numeric"}
    return Problem(task, features, kinds, target, np.arange(30), np.arange(30, 40), width, 7)


def classifier(seed):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed)


class Means:
    """Predicts training means with spreads of a given shape."""

    def __init__(self, std):
        self.std = std

    def fit(self, x, y):
        self.mean = y.mean(axis=0)
        return self

    def predict(self, x, return_std):
        assert return_std
        mean = np.broadcast_to(self.mean, (len(x), *np.shape(self.mean)))
        return mean, np.broadcast_to(self.std, (len(x), *np.shape(self.std)))


def test_a_classifier_in_its_own_class_order():
    # Class 0 is absent from training: its column is zero, the others keep their places.
    target = np.where(np.arange(40) < 30, np.where(np.arange(40) % 2, 2.0, 1.0), 0.0)
    given = problem("multiclass", target, 3)
    (outcome,) = fit_all(estimator_model("tree", classifier, tasks=("multiclass",)), [given])
    assert (outcome.prediction[0][:, 0] == 0).all()
    np.testing.assert_array_equal(outcome.prediction[0][:, 2], given.features["z"][30:])


@pytest.mark.parametrize(("task", "std", "width"), [("regression", 2.0, 1), ("multivariate", [1.0, 3.0], 2)])
def test_a_regressor_with_standard_deviations(task, std, width):
    target = np.arange(40.0) if width == 1 else np.column_stack([np.arange(40.0), -np.arange(40.0)])
    model = estimator_model("means", lambda seed: Means(std), tasks=(task,))
    (outcome,) = fit_all(model, [problem(task, target, width)])
    mean, spread = check_prediction(task, outcome.prediction, 10, width)
    assert (mean == target[:30].mean(axis=0)).all()
    expected = 4.0 if width == 1 else np.diag([1.0, 9.0])
    np.testing.assert_array_equal(spread, np.broadcast_to(expected, spread.shape))


def test_one_spread_for_all_coordinates():
    target = np.column_stack([np.arange(40.0), -np.arange(40.0)])
    model = estimator_model("means", lambda seed: Means(3.0), tasks=("multivariate",))
    (outcome,) = fit_all(model, [problem("multivariate", target, 2)])
    np.testing.assert_array_equal(outcome.prediction[1][0], np.diag([9.0, 9.0]))


def test_the_users_code_is_part_of_what_is_tracked():
    model = estimator_model("tree", classifier, tasks=("binary",))
    assert __name__ in declaration_modules(model)


def test_unknown_tasks_are_refused():
    with pytest.raises(ValueError, match="unknown task 'binari': did you mean 'binary'"):
        estimator_model("tree", classifier, tasks=("binari",))
