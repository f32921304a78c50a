"""What a network model is: architecture, loss, optimiser and stopping rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from uqalign.models.nets.network import Network


@dataclass(frozen=True)
class Recipe:
    """How replicates of one network are fitted.

    After each epoch the validation rows give a score (accuracy, or minus the mean loss). An epoch counts as progress
    where the score exceeds the best so far by `tolerance`; training ends after more than `patience` epochs in a row
    without progress or after `max_epochs`. Either way the state with the best score is the result.

    Attributes:
        network: the architecture.
        score: what the validation rows measure.
        batch_size: rows per gradient step, from the number of training rows (validation rows included).
        max_epochs: from the number of training rows.
        validation: share of the training rows that is held out for the score (rounded up).
        stratify: hold out the same share of each class.
        optimiser: "adam" adds `weight_decay` times the weights to the gradient, "adamw" shrinks the weights directly.
        matrix_decay: adds this multiple of each weight matrix (biases are exempt), divided by the rows of the batch,
            to the gradient: the penalty of scikit-learn's networks.
        cosine_epochs: the learning rate follows half a cosine down to zero over this many epochs; None: constant.
        gradient_norm: gradients longer than this are shortened to it.
        retries: a fit that diverges (a validation loss that is not finite) begins again, from the same initial weights,
            with its learning rate times the first of these; then times the second, and so on. After the last it failed.
        bfloat16_on: kinds of device ("cuda", "cpu") on which matrix products take bfloat16; weights, optimiser and loss
            stay in single precision, and so do networks with slopes in closed form. Predictions then differ from those
            of other devices by more than rounding.
    """

    network: Network
    score: Literal["accuracy", "loss"]
    batch_size: Callable[[int], int]
    max_epochs: Callable[[int], int]
    validation: float
    stratify: bool
    tolerance: float
    patience: int
    optimiser: Literal["adam", "adamw"]
    learning_rate: float
    weight_decay: float = 0.0
    matrix_decay: float = 0.0
    cosine_epochs: int | None = None
    gradient_norm: float | None = None
    retries: tuple[float, ...] = (0.1,)
    bfloat16_on: tuple[str, ...] = ()
