"""A user's own torch module as a model of the benchmark, trained by the engine that trains all splits side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from uqalign.models.base import Compute, Model, Problem
from uqalign.models.mlp import DIVERGENCE
from uqalign.models.tabular_networks import GRADIENT_NORM, TOLERANCE
from uqalign.predictions import Prediction
from uqalign.registry import did_you_mean
from uqalign.tasks import CLASSIFICATION, TASKS, Task

if TYPE_CHECKING:
    from torch import nn

    from uqalign.training.recipe import Recipe

DISTRIBUTION = (
    "a module o(x) gives: classes softmax(o); regression N(m, (softplus(s) + 1e-6)^2); "
    "multivariate N(m, L L') with L lower triangular"
)


@dataclass(frozen=True)
class _Fit:
    """Fits modules to problems; a dataclass, so that the settings are part of the model's declaration."""

    name: str
    make: Callable[[int, int], nn.Module]
    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    patience: int
    validation: float

    def recipe(self, task: Task) -> Recipe:
        """How a module is fitted: as the residual network and the transformers, with these settings."""
        from uqalign.models.nets.module import ModuleNetwork
        from uqalign.training.recipe import Recipe

        return Recipe(
            network=ModuleNetwork(self.make, self.name),
            score="loss",
            batch_size=lambda n: self.batch_size,
            max_epochs=lambda n: self.epochs,
            validation=self.validation,
            stratify=task in CLASSIFICATION,
            tolerance=TOLERANCE,
            patience=self.patience,
            optimiser="adamw",
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            cosine_epochs=self.epochs,
            gradient_norm=None if task in CLASSIFICATION else GRADIENT_NORM,
        )

    def __call__(self, problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
        from uqalign.training.fit import fit_networks

        if problems:
            yield from (only for (only,) in fit_networks(problems, compute, self.recipe(problems[0].task)))


def module_model(
    name: str,
    make: Callable[[int, int], nn.Module],
    *,
    tasks: tuple[Task, ...],
    title: str = "",
    distribution: str = DISTRIBUTION,
    reference: str = "",
    libraries: tuple[str, ...] = ("torch", "scikit-learn"),
    epochs: int = 200,
    batch_size: int = 256,
    learning_rate: float = 1e-3,
    weight_decay: float = 1e-5,
    patience: int = 20,
    validation: float = 0.1,
) -> Model:
    """A model that trains the module `make(columns, outputs)` on each split, many splits as one tensor program.

    The loss is the negative log-likelihood of the training target, continuous targets standardised. What the columns
    of the module's output (rows, outputs) mean depends on the task:

    | task | outputs | meaning |
    | --- | --- | --- |
    | binary | 1 | logit of class 1 |
    | multiclass | K, the classes seen in training | a logit per class |
    | regression | 2 | mean m, raw spread s; standard deviation softplus(s) + 1e-6 |
    | multivariate | D + D (D + 1) / 2 | D means, then the lower Cholesky factor of the covariance row by row, its |
    | | | diagonal as softplus(.) + 1e-6 |

    Optimiser AdamW; the learning rate follows half a cosine to zero over `epochs`; the weights with the best loss on
    the held-out rows are the result; regression gradients longer than 5 are shortened. A prediction depends on its
    problem's seed and rows alone, to about 1e-5, which a module with dropout, batch normalisation or other random,
    stateful or row-mixing parts could not promise: those are refused with the layer's name when a fit starts.

    Args:
        name: id in results: lower-case letters, digits and underscores.
        make: returns a new module from (rows, columns) to (rows, outputs), initial weights drawn by torch's own
            generator. Import torch inside, so that listing models stays fast.
        tasks: prediction tasks it can do.
        title, distribution, reference, libraries: for the model card.
        epochs: at most.
        batch_size: rows per gradient step.
        learning_rate: at the start.
        weight_decay: per step, times the learning rate.
        patience: epochs in a row without progress after which training ends.
        validation: share of the training rows held out to choose the epoch.

    Raises:
        ValueError: an unknown task, or a setting out of range.
    """
    for task in tasks:
        if task not in TASKS:
            raise ValueError(f"model {name!r}: unknown task {task!r}: {did_you_mean(task, TASKS)}")
    for setting, value, valid, wanted in (
        ("epochs", epochs, epochs >= 1, "at least 1"),
        ("batch_size", batch_size, batch_size >= 1, "at least 1"),
        ("learning_rate", learning_rate, learning_rate > 0, "positive"),
        ("weight_decay", weight_decay, weight_decay >= 0, "not negative"),
        ("patience", patience, patience >= 0, "not negative"),
        ("validation", validation, 0 < validation < 1, "between 0 and 1"),
    ):
        if not valid:
            raise ValueError(f"model {name!r}: {setting} = {value}: must be {wanted}")
    return Model(
        name=name,
        title=title or name,
        tasks=frozenset(tasks),
        fit_predict_many=_Fit(name, make, epochs, batch_size, learning_rate, weight_decay, patience, validation),
        distribution=distribution,
        hyperparameters={
            "optimiser": "adamw",
            "learning_rate": learning_rate,
            "weight_decay": weight_decay,
            "schedule": f"cosine over {epochs} epochs",
            "batch_size": batch_size,
            "validation": validation,
            "tolerance": TOLERANCE,
            "patience": patience,
            "divergence": DIVERGENCE,
            "gradient_norm": f"<= {GRADIENT_NORM:g} (regression)",
        },
        reference=reference,
        libraries=libraries,
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    )
