"""L2-regularised logistic regression."""

from __future__ import annotations

from uqalign.models.base import Model, Problem
from uqalign.predictions import Prediction

HYPERPARAMETERS = {"C": 1.0, "solver": "lbfgs", "max_iter": 1000}


def _fit_predict(problem: Problem) -> Prediction:
    from sklearn.linear_model import LogisticRegression

    from uqalign.models.probabilities import class_probabilities

    x_train, x_test = problem.arrays(scale=True)
    model = LogisticRegression(**HYPERPARAMETERS, random_state=problem.seed)
    model.fit(x_train, problem.y_train.astype(int))
    return class_probabilities(model.predict_proba(x_test), model.classes_, problem)


MODELS = (
    Model(
        name="logreg",
        title="Logistic regression",
        tasks=frozenset({"binary", "multiclass"}),
        fit_predict=_fit_predict,
        distribution="p = softmax(W x + b), minimising cross-entropy + |W|^2 / (2 C)",
        hyperparameters=HYPERPARAMETERS,
        reference="Cox (1958), The regression analysis of binary sequences",
        libraries=("scikit-learn",),
    ),
)
