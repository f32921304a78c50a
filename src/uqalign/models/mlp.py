"""Multi-layer perceptron."""

from __future__ import annotations

import warnings

from uqalign.models.base import FitFailed, Model, Problem
from uqalign.predictions import Prediction

HYPERPARAMETERS = {
    "hidden_layer_sizes": (128, 128),
    "activation": "relu",
    "solver": "adam",
    "alpha": 1e-4,
    "learning_rate_init": 1e-3,
    "early_stopping": True,
    "validation_fraction": 0.1,
    "n_iter_no_change": 20,
    "tol": 1e-4,
    "max_iter": 3000,
}


def batch_size(n: int) -> int:
    """Rows per gradient step for `n` training rows."""
    return min(512, max(32, n // 10))


def _fit_predict(problem: Problem) -> Prediction:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    from uqalign.models.probabilities import class_probabilities

    x_train, x_test = problem.arrays(scale=True)
    model = MLPClassifier(**HYPERPARAMETERS, batch_size=batch_size(len(x_train)), random_state=problem.seed)
    with warnings.catch_warnings():
        # Reaching max_iter is an outcome of the stated training budget, not a fault.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(x_train, problem.y_train.astype(int))
        except ValueError as error:
            if "finite" in str(error):
                raise FitFailed(f"training diverged: {error}") from error
            raise
    return class_probabilities(model.predict_proba(x_test), model.classes_, problem)


MODELS = (
    Model(
        name="mlp",
        title="MLP",
        tasks=frozenset({"binary", "multiclass"}),
        fit_predict=_fit_predict,
        distribution="p = softmax of a network of two hidden layers of 128 rectified units",
        hyperparameters={**HYPERPARAMETERS, "batch_size": "min(512, max(32, n // 10))"},
        reference="Rumelhart, Hinton & Williams (1986), Learning representations by back-propagating errors",
        libraries=("scikit-learn",),
    ),
)
