"""Gradient-boosted trees (XGBoost)."""

from __future__ import annotations

from uqalign.models.base import Model, Problem
from uqalign.predictions import Prediction

HYPERPARAMETERS = {"learning_rate": 0.03, "max_depth": 3, "tree_method": "hist"}
SMALL, TREES_SMALL, TREES_LARGE = 1000, 500, 1000


def _fit_predict(problem: Problem) -> Prediction:
    from xgboost import XGBClassifier

    from uqalign.models.probabilities import class_probabilities

    x_train, x_test = problem.arrays(scale=False)
    y = problem.y_train.astype(int)
    # XGBoost insists on consecutive labels; a fold may lack a class.
    classes = sorted(set(y.tolist()))
    codes = {label: code for code, label in enumerate(classes)}
    model = XGBClassifier(
        **HYPERPARAMETERS,
        n_estimators=TREES_SMALL if len(y) < SMALL else TREES_LARGE,
        random_state=problem.seed,
        n_jobs=1,
    )
    model.fit(x_train, [codes[label] for label in y.tolist()])
    return class_probabilities(model.predict_proba(x_test), classes, problem)


MODELS = (
    Model(
        name="gradient_boosting",
        title="Gradient boosting",
        tasks=frozenset({"binary", "multiclass"}),
        fit_predict=_fit_predict,
        distribution="p = softmax of the summed trees, fitted to the cross-entropy stage by stage",
        hyperparameters={
            **HYPERPARAMETERS,
            "n_estimators": f"{TREES_SMALL} below {SMALL} training rows, else {TREES_LARGE}",
        },
        reference="Friedman (2001), Greedy function approximation; Chen & Guestrin (2016), XGBoost",
        libraries=("xgboost", "scikit-learn"),
    ),
)
