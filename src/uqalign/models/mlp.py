"""Multi-layer perceptron."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from uqalign.models.base import Compute, Model, Problem
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, Task

if TYPE_CHECKING:
    from uqalign.training.recipe import Recipe

HIDDEN = (128, 128)
LEARNING_RATE = 1e-3
PATIENCE = 20
WEIGHT_DECAY = 1e-4
DIVERGENCE = "begun again once, with a tenth of the learning rate"

HYPERPARAMETERS = {
    "hidden": HIDDEN,
    "activation": "relu",
    "optimiser": "adam",
    "learning_rate": LEARNING_RATE,
    "batch_size": "min(512, max(32, n // 10))",
    "patience": PATIENCE,
    "divergence": DIVERGENCE,
    "max_epochs": "3000 (n < 1000) or 5000; classification 3000",
    "classification": "validation 10 % by accuracy, tolerance 1e-4, penalty 1e-4 |W|^2 / 2, Glorot weights",
    "regression": "validation 20 % by loss, tolerance 1e-6, weight decay 1e-4, gradient norm <= 5",
}


def batch_size(n: int) -> int:
    """Rows per gradient step for `n` training rows."""
    return min(512, max(32, n // 10))


def recipe(task: Task) -> Recipe:
    """How the network of a task is fitted.

    Classification follows scikit-learn's `MLPClassifier` in everything down to the random numbers it consumes
    (validation rows are stratified with two classes only).
    """
    from uqalign.models.nets.mlp import MLP
    from uqalign.training.recipe import Recipe

    if task in CLASSIFICATION:
        return Recipe(
            network=MLP(HIDDEN, "glorot"),
            score="accuracy",
            batch_size=batch_size,
            max_epochs=lambda n: 3000,
            validation=0.1,
            stratify=task == "binary",
            tolerance=1e-4,
            patience=PATIENCE,
            optimiser="adam",
            learning_rate=LEARNING_RATE,
            matrix_decay=WEIGHT_DECAY,
        )
    return Recipe(
        network=MLP(HIDDEN, "fan_in"),
        score="loss",
        batch_size=batch_size,
        max_epochs=lambda n: 3000 if n < 1000 else 5000,
        validation=0.2,
        stratify=False,
        tolerance=1e-6,
        patience=PATIENCE,
        optimiser="adam",
        learning_rate=LEARNING_RATE,
        weight_decay=WEIGHT_DECAY,
        gradient_norm=5.0,
    )


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.training.fit import fit_networks

    if problems:
        yield from (only for (only,) in fit_networks(problems, compute, recipe(problems[0].task)))


MODELS = (
    Model(
        name="mlp",
        title="MLP",
        tasks=frozenset({"binary", "multiclass", "regression", "multivariate"}),
        fit_predict_many=_fit_predict_many,
        distribution=(
            "a network of two hidden layers of 128 rectified units gives: classes softmax(o); regression "
            "N(m, (softplus(s) + 1e-6)^2); multivariate N(m, L L') with L lower triangular"
        ),
        hyperparameters=HYPERPARAMETERS,
        reference="Rumelhart, Hinton & Williams (1986), Learning representations by back-propagating errors",
        libraries=("torch", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
