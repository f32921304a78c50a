"""From a classifier's output to the benchmark's class columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray
from uqalign.models.base import Problem
from uqalign.predictions import Prediction


def class_probabilities(p: npt.ArrayLike, classes: npt.ArrayLike, problem: Problem) -> Prediction:
    """Probabilities in the data set's class order; classes absent from the training rows get probability zero.

    Args:
        p: (n, m) probabilities of the classes seen in training.
        classes: (m,) their codes.
    """
    full: FloatArray = np.zeros((len(problem.test), problem.width))
    full[:, np.asarray(classes, dtype=int)] = np.asarray(p, dtype=np.float64)
    # float32 rows sum to one within 1e-7 only; in float64 they should do so exactly enough for every metric.
    full /= full.sum(axis=1, keepdims=True)
    return (full[:, 1],) if problem.task == "binary" else (full,)
