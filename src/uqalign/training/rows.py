"""One problem as the arrays its replicates share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray
from uqalign.data.preprocess import Encoded, encode
from uqalign.models.base import FitFailed, Problem
from uqalign.models.probabilities import class_probabilities
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION
from uqalign.training.features import Learned, learn
from uqalign.training.heads import Bernoulli, Categorical, Gaussian, Head, MultivariateGaussian

Float32Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """What a network is fitted to: rows of a data set, prepared while they are read, and their targets.

    Attributes:
        problem: where they come from.
        encoded: the data set's features; problems of one data set share them.
        learned: how this problem prepares them.
        y: (n_train,) or (n_train, D): positions in `classes`, or standardised targets.
        classes: codes of the classes seen in training; empty for regression.
        mean, std: location and scale of the training targets; empty for classification.
        head: what the network's output means.
    """

    problem: Problem
    encoded: Encoded
    learned: Learned
    y: Float32Array
    classes: npt.NDArray[np.int64]
    mean: FloatArray
    std: FloatArray
    head: Head

    @property
    def n_train(self) -> int:
        return len(self.y)

    def prediction(self, output: FloatArray) -> Prediction:
        """The predictive distribution behind a network's `output` (n_test, outputs), in the units of the target.

        Raises:
            FitFailed: an output that is not finite.
        """
        if not np.isfinite(output).all():
            raise FitFailed("the network's output for test rows is not finite")
        parameters = self.head.distribution(output)
        if self.problem.task in CLASSIFICATION:
            return class_probabilities(parameters[0], self.classes, self.problem)
        mean, spread = parameters
        scale = self.std**2 if mean.ndim == 1 else np.outer(self.std, self.std)
        return self.mean + mean * self.std, spread * scale


def prepare(problem: Problem) -> Rows:
    """Learn how to prepare the features of a problem, number its classes or standardise its targets."""
    encoded = problem.encoded or encode(problem.features, problem.kinds)
    learned = learn(encoded, problem.train)
    y = problem.y_train
    none: FloatArray = np.empty(0)
    if problem.task in CLASSIFICATION:
        classes, codes = np.unique(y.astype(np.int64), return_inverse=True)
        head: Head = Bernoulli() if problem.task == "binary" else Categorical(len(classes))
        return Rows(problem, encoded, learned, codes.astype(np.float32), classes, none, none, head)
    mean, std = y.mean(axis=0), y.std(axis=0)
    std = np.where(std > 0, std, 1.0)
    head = Gaussian() if problem.task == "regression" else MultivariateGaussian(problem.width)
    scaled = ((y - mean) / std).astype(np.float32)
    return Rows(problem, encoded, learned, scaled, np.empty(0, dtype=np.int64), mean, std, head)
