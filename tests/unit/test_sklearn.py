"""Scorers for scikit-learn's model selection."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_regression
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_validate, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from uqalign.metrics import crps_gaussian, log_score
from uqalign.metrics.registry import for_task, get
from uqalign.priors import Beta
from uqalign.pwu import binary_decision_pwu, one_vs_rest_pwu
from uqalign.registry import UnknownNameError
from uqalign.sklearn import make_scorer, scorers


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], np.array(["malignant", "benign"])[y]


def classifier():
    return make_pipeline(StandardScaler(), LogisticRegression())


def test_cross_validate_scores_every_binary_metric(cancer):
    X, y = cancer
    result = cross_validate(classifier(), X, y, scoring=scorers("binary"), cv=3, error_score="raise")
    names = {name[5:] for name in result if name.startswith("test_")}
    assert names == {("" if m.higher_is_better else "neg_") + m.name for m in for_task("binary").values()}
    losses = result["test_neg_nll"]
    reference = cross_validate(classifier(), X, y, scoring="neg_log_loss", cv=3)["test_score"]
    np.testing.assert_allclose(losses, reference, rtol=1e-12)


def test_labels_set_the_positive_class(cancer):
    X, y = cancer
    train_X, test_X, train_y, test_y = train_test_split(X, y, random_state=0)
    model = classifier().fit(train_X, train_y)
    proba = model.predict_proba(test_X)
    assert model.classes_.tolist() == ["benign", "malignant"]
    default = make_scorer("binary", "pwu_c")(model, test_X, test_y)
    assert default == -binary_decision_pwu(test_y == "malignant", proba[:, 1])
    swapped = make_scorer("binary", "pwu_c", labels=["malignant", "benign"])(model, test_X, test_y)
    assert swapped == -binary_decision_pwu(test_y == "benign", proba[:, 0])
    assert swapped != default


def test_the_prior_is_a_parameter_of_the_search(cancer):
    X, y = cancer
    search = GridSearchCV(
        classifier(),
        {"logisticregression__C": [1e-4, 1.0]},
        scoring={
            "default": make_scorer("binary", "pwu_c"),
            "text": make_scorer("binary", "pwu_c", prior="beta:10,2"),
            "object": make_scorer("binary", "pwu_c", prior=Beta(10, 2)),
        },
        refit="text",
        cv=3,
    ).fit(X, y)
    results = search.cv_results_
    assert (results["mean_test_text"] == results["mean_test_object"]).all()
    assert (results["mean_test_text"] != results["mean_test_default"]).all()
    assert search.best_params_ == {"logisticregression__C": 1.0}
    assert search.best_score_ == results["mean_test_text"].max()


def test_multiclass_and_a_class_missing_from_a_training_fold():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = classifier().fit(X, names)
    value = make_scorer("multiclass", "pwu_jc")(model, X, names)
    assert value == pytest.approx(-one_vs_rest_pwu(y, model.predict_proba(X)))
    partial = classifier().fit(X[y > 0], names[y > 0])
    every = make_scorer("multiclass", "brier", labels=["setosa", "versicolor", "virginica"])
    padded = np.column_stack([np.zeros(len(y)), partial.predict_proba(X)])
    assert every(partial, X, names) == -get("multiclass", "brier").evaluate(y, (padded,))
    with pytest.raises(ValueError, match=r"y\[0\] = .*setosa.* labels="):
        make_scorer("multiclass", "brier")(partial, X, names)
    in_blocks = cross_validate(classifier(), X, names, scoring=every, cv=KFold(3), error_score="raise")
    assert np.isfinite(in_blocks["test_score"]).all()


def test_regressors_with_standard_deviations():
    X, y = make_regression(80, 3, noise=5, random_state=0)
    result = cross_validate(BayesianRidge(), X, y, scoring=scorers("regression"), cv=3, error_score="raise")
    assert len([name for name in result if name.startswith("test_")]) == len(for_task("regression"))
    model = make_pipeline(StandardScaler(), BayesianRidge()).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert make_scorer("regression", "crps")(model, X, y) == pytest.approx(-crps_gaussian(y, mean, std=std))


def test_estimators_without_a_distribution_are_refused():
    X, y = make_regression(30, 3, random_state=0)
    with pytest.raises(TypeError, match=r"Ridge.*standard deviations"):
        make_scorer("regression", "nll")(Ridge().fit(X, y), X, y)
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        make_scorer("binary", "nll")(LinearSVC().fit(X, y > 0), X, y > 0)


def test_sample_weight(cancer):
    X, y = cancer
    model = classifier().fit(X, y)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    value = make_scorer("binary", "nll")(model, X, y, sample_weight=w)
    assert value == pytest.approx(-log_loss(y, model.predict_proba(X), sample_weight=w), rel=1e-12)


def test_sign_follows_the_orientation(cancer):
    X, y = cancer
    model = classifier().fit(X, y)
    assert make_scorer("binary", "accuracy")(model, X, y) == pytest.approx(model.score(X, y))
    assert make_scorer("binary", "nll")(model, X, y) == -log_score(y == "malignant", model.predict_proba(X))


def test_scorers_can_be_selected_configured_and_sent_to_workers(cancer):
    X, y = cancer
    chosen = scorers("binary", ["ece", "accuracy"], options={"ece": {"n_bins": 4}})
    assert list(chosen) == ["neg_ece", "accuracy"]
    assert chosen["neg_ece"].metric.options["n_bins"] == 4
    model = classifier().fit(X, y)
    again = pickle.loads(pickle.dumps(chosen["neg_ece"]))
    assert again(model, X, y) == chosen["neg_ece"](model, X, y)


def test_mistakes_are_named(cancer):
    X, y = cancer
    with pytest.raises(UnknownNameError, match="did you mean 'brier'"):
        make_scorer("binary", "breir")
    with pytest.raises(ValueError, match="multivariate"):
        scorers("multivariate")
    with pytest.raises(ValueError, match="is for binary problems, not multiclass"):
        make_scorer("multiclass", get("binary", "nll"))
    with pytest.raises(ValueError, match="options for pwu_k"):
        scorers("binary", ["nll"], options={"pwu_k": {}})
    model = classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"labels=.*do not name"):
        make_scorer("binary", "nll", labels=["benign", "other"])(model, X, y)
    flowers, species = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="binary metric needs two classes"):
        make_scorer("binary", "nll")(classifier().fit(flowers, species), flowers, species)


def test_the_module_imports_no_scikit_learn():
    code = "import sys, uqalign.sklearn; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
