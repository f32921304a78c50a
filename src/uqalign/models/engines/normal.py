"""The normal distribution as NGBoost wants it, without the scipy object that costs its own most of a fit."""

from __future__ import annotations

import math

import numpy as np
from ngboost.distns.distn import RegressionDistn
from ngboost.scores import LogScore

from uqalign.checks import FloatArray

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class NormalLogScore(LogScore):  # type: ignore[misc]
    """-log N(y; loc, scale^2), its gradient along (loc, log scale) and their Fisher information."""

    loc: FloatArray
    scale: FloatArray
    log_scale: FloatArray

    def score(self, y: FloatArray) -> FloatArray:
        return 0.5 * ((y - self.loc) / self.scale) ** 2 + self.log_scale + HALF_LOG_TWO_PI

    def d_score(self, y: FloatArray) -> FloatArray:
        z = (self.loc - y) / self.scale
        return np.column_stack([z / self.scale, 1 - z**2])

    def metric(self) -> FloatArray:
        information: FloatArray = np.zeros((len(self.scale), 2, 2))
        information[:, 0, 0] = self.scale**-2
        information[:, 1, 1] = 2
        return information


class Normal(RegressionDistn):  # type: ignore[misc]
    """N(loc, scale^2) with parameters loc and log scale."""

    n_params = 2
    scores = (NormalLogScore,)

    def __init__(self, params: FloatArray) -> None:
        super().__init__(params)
        self.loc, self.log_scale = params
        self.scale = np.exp(self.log_scale)

    @staticmethod
    def fit(y: FloatArray) -> FloatArray:
        """Parameters of the marginal distribution, from which boosting starts."""
        return np.array([y.mean(), math.log(y.std())])
