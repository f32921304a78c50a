"""What the residual network and the two transformers have in common: how they are fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from uqalign.models.base import Compute, Problem
from uqalign.models.mlp import DIVERGENCE
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, Task

if TYPE_CHECKING:
    from uqalign.models.nets.network import Network
    from uqalign.training.recipe import Recipe

EPOCHS = 200
BATCH_SIZE = 256
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-5
VALIDATION = 0.1
TOLERANCE = 1e-6
PATIENCE = 20
GRADIENT_NORM = 5.0

HYPERPARAMETERS = {
    "optimiser": "adamw",
    "learning_rate": LEARNING_RATE,
    "weight_decay": WEIGHT_DECAY,
    "schedule": f"cosine over {EPOCHS} epochs",
    "batch_size": BATCH_SIZE,
    "validation": VALIDATION,
    "tolerance": TOLERANCE,
    "patience": PATIENCE,
    "divergence": DIVERGENCE,
    "gradient_norm": f"<= {GRADIENT_NORM:g} (regression)",
}


def recipe(network: Network, task: Task) -> Recipe:
    """How a network of this kind is fitted."""
    from uqalign.training.recipe import Recipe

    return Recipe(
        network=network,
        score="loss",
        batch_size=lambda n: BATCH_SIZE,
        max_epochs=lambda n: EPOCHS,
        validation=VALIDATION,
        stratify=task in CLASSIFICATION,
        tolerance=TOLERANCE,
        patience=PATIENCE,
        optimiser="adamw",
        learning_rate=LEARNING_RATE,
        weight_decay=WEIGHT_DECAY,
        cosine_epochs=EPOCHS,
        gradient_norm=None if task in CLASSIFICATION else GRADIENT_NORM,
    )


def fit(
    problems: Sequence[Problem], compute: Compute, network: Network, bfloat16_on: tuple[str, ...] = ()
) -> Iterator[Prediction | Exception]:
    """One network per problem.

    Args:
        bfloat16_on: as in `Recipe`.
    """
    from uqalign.training.fit import fit_networks

    if problems:
        how = replace(recipe(network, problems[0].task), bfloat16_on=bfloat16_on)
        yield from (only for (only,) in fit_networks(problems, compute, how))
