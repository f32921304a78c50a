"""One fit among many: its randomness, its rows and its progress."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch

from uqalign.checks import FloatArray
from uqalign.models.base import FitFailed
from uqalign.models.nets.network import noise_stream
from uqalign.tasks import CLASSIFICATION
from uqalign.training.recipe import Recipe
from uqalign.training.rows import Indices, Rows


@dataclass
class _Drawn:
    """What chance gives a replicate: positions of the rows to fit, which are shuffled, and of those held out."""

    rng: np.random.RandomState
    weights: dict[str, FloatArray]
    fit: Indices
    validation: Indices


class Replicate:
    """A network to be fitted to `rows` with the randomness of `seed`.

    Initial weights, validation rows and shuffles come in this order from one `RandomState` of the seed: its stream is
    frozen by NumPy's policy, the same on every device, and the one scikit-learn's networks consume. They are drawn when
    first asked for, which is in the worker that trains the replicate.

    Attributes:
        lengths: numbers of rows to fit and held out.
        batch: rows per gradient step.
        output: (n_test, outputs) of the best state, once trained.
        error: why there is no output: training diverged.
    """

    def __init__(self, rows: Rows, seed: int, recipe: Recipe, device: torch.device) -> None:
        n = rows.n_train
        if n < 2:
            raise FitFailed(f"{n} training rows: a network needs one to fit and one for validation")
        self.rows, self.seed, self.recipe = rows, seed, recipe
        self.noise = noise_stream(seed, device)
        held_out = math.ceil(recipe.validation * n)
        self.lengths = n - held_out, held_out
        self.batch = min(recipe.batch_size(n), n - held_out)
        self.max_epochs = recipe.max_epochs(n)
        self.epoch = 0
        self.output: FloatArray | None = None
        self.error: FitFailed | None = None
        self._best = -np.inf
        self._without_progress = 0

    @cached_property
    def _drawn(self) -> _Drawn:
        rng, rows, recipe = np.random.RandomState(self.seed % 2**32), self.rows, self.recipe
        parameters = recipe.network.parameters(rows.learned.columns, rows.head.outputs)
        weights = {name: parameter.draw(rng) for name, parameter in parameters.items()}
        stratify = recipe.stratify and rows.problem.task in CLASSIFICATION
        fit, validation = hold_out(rows.n_train, recipe.validation, rows.y if stratify else None, rng)
        return _Drawn(rng, weights, fit, validation)

    @property
    def weights(self) -> dict[str, FloatArray]:
        """Initial weights by name."""
        return self._drawn.weights

    @property
    def validation(self) -> Indices:
        """Positions of the rows held out, ascending."""
        return self._drawn.validation

    @property
    def finished(self) -> bool:
        return self.error is not None or self._without_progress > self.recipe.patience or self.epoch >= self.max_epochs

    def shuffle(self) -> Indices:
        """The rows to fit in the order of the next epoch."""
        drawn = self._drawn
        order = np.arange(len(drawn.fit))
        drawn.rng.shuffle(order)
        drawn.fit = drawn.fit[order]
        return drawn.fit

    def end_epoch(self, score: float) -> bool:
        """Take note of an epoch's validation score; True if it is the best so far."""
        self.epoch += 1
        if not np.isfinite(score):
            rate = self.recipe.learning_rate
            self.error = FitFailed(
                f"the validation loss is {-score} after epoch {self.epoch} at learning rate {rate:g}: training diverged"
            )
            return False
        self._without_progress = self._without_progress + 1 if score < self._best + self.recipe.tolerance else 0
        best = score > self._best
        self._best = max(self._best, score)
        return best


def hold_out(
    n: int, share: float, classes: npt.NDArray[np.float32] | None, rng: np.random.RandomState
) -> tuple[Indices, Indices]:
    """Row positions to fit and to validate on, the latter ascending.

    Args:
        share: of the rows, for validation, rounded up.
        classes: (n,) codes to stratify by; ignored where a class has one row or there are fewer rows than classes on
            either side, for which no stratified split exists.
    """
    from sklearn.model_selection import train_test_split

    if classes is not None:
        sizes = np.unique(classes, return_counts=True)[1]
        held = int(np.ceil(share * n))
        if sizes.min() < 2 or len(sizes) > min(held, n - held):
            classes = None
    fit, validation = train_test_split(np.arange(n), test_size=share, stratify=classes, random_state=rng)
    return fit, np.sort(validation)
