"""The weights over costs that classical scores carry without saying so.

With weight w(c) in place of a prior, the binary prior-weighted utility
y E[(1-c) 1{c >= f}] + (1-y) E[c 1{c < f}] *is* a classical score (Schneider et al. 2026, Table 1):

| score | weight |
| --- | --- |
| log loss | 1 / (c (1 - c)), infinite mass at both trivial decisions |
| Brier score (f - y)^2 | 2 |
| error rate of the label 1{f > 1/2} | all weight, 2, on c = 1/2 |
| multiclass log loss, summed over one-vs-rest problems | 1 / c |
| multiclass Brier score, summed likewise | 2 |
| squared error (selective prediction) | all mass at an infinite abstention cost |
| Gaussian negative log likelihood (selective prediction) | Pareto(1, eps), eps below every variance |
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NoReturn

import numpy as np
from scipy import special

from uqalign.checks import FloatArray
from uqalign.priors.base import NotAProbabilityError, Prior, parameter
from uqalign.priors.families import Pareto, Uniform
from uqalign.priors.point import PointMass


class Weight(Prior):
    """A weight over the parameter that is no probability: partial integrals only.

    `tail`, `cdf` and `interval_mass` are masses, `partial_mean(x)` is the integral of theta over theta < x.
    `mean`, `quantile` and `sample` raise NotAProbabilityError.
    """

    is_probability: ClassVar[bool] = False

    def _refuse(self, what: str) -> NoReturn:
        raise NotAProbabilityError(
            f"{self} has no {what}: its total mass is {self.total_mass:g}, not 1; "
            "use a proper prior such as Beta(2, 10)"
        )

    @property
    def mean(self) -> float:
        self._refuse("mean")

    def _quantile(self, q: FloatArray) -> FloatArray:
        self._refuse("quantiles")

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        self._refuse("samples")


@dataclass(frozen=True)
class Scaled(Weight):
    """`factor` times a proper prior: the same ranking of models, in the unit of a classical score.

    Raises:
        ValueError: factor not finite and > 0, or `prior` itself no probability.
    """

    prior: Prior
    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", parameter("Scaled", "factor", self.factor, positive=True))
        if not self.prior.is_probability:
            raise NotAProbabilityError(f"Scaled needs a proper prior, got {self.prior}")

    @property
    def total_mass(self) -> float:
        return self.factor

    @property
    def mode(self) -> float:
        return self.prior.mode

    @property
    def support(self) -> tuple[float, float]:
        return self.prior.support

    def _cdf(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._cdf(x)

    def _tail(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._tail(x)

    def _below(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._below(x)

    def _above(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._above(x)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._partial_mean(x)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._upper_mean(x)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._lower_partial(x)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._upper_partial(x)

    def _density(self, x: FloatArray) -> FloatArray:
        return self.factor * self.prior._density(x)


class _UnboundedOnUnitInterval(Weight):
    """Shared by the two weights of infinite mass on (0, 1)."""

    @property
    def total_mass(self) -> float:
        return math.inf

    @property
    def mode(self) -> float:
        return 0.0

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    @staticmethod
    @abstractmethod
    def _antiderivative(x: FloatArray) -> FloatArray:
        """Antiderivative of the weight."""

    def _interval_mass(self, low: FloatArray, high: FloatArray) -> FloatArray:
        u, v = np.clip(low, 0, 1), np.clip(high, 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(u == v, 0.0, self._antiderivative(v) - self._antiderivative(u))


@dataclass(frozen=True)
class LogLossWeight(_UnboundedOnUnitInterval):
    """w(c) = 1/(c (1 - c)) on (0, 1): upper_partial(f) = -log f, partial_mean(f) = -log(1 - f)."""

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.where(x > 0, math.inf, 0.0)

    def _tail(self, x: FloatArray) -> FloatArray:
        return np.where(x < 1, math.inf, 0.0)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log1p(-np.clip(x, 0, 1)) + 0.0)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return np.where(x < 1, math.inf, 0.0)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return np.where(x > 0, math.inf, 0.0)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(np.clip(x, 0, 1)) + 0.0)

    @staticmethod
    def _antiderivative(x: FloatArray) -> FloatArray:
        return np.asarray(special.logit(x))

    def _density(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, 0, 1)
        with np.errstate(divide="ignore"):
            return np.where(x == g, 1 / (g * (1 - g)), 0.0)


@dataclass(frozen=True)
class MulticlassLogLossWeight(_UnboundedOnUnitInterval):
    """w(c) = 1/c on (0, 1): partial_mean(f) = f and upper_partial(f) = f - 1 - log f.

    Summed over the one-vs-rest problems of a probability row, all but -log f_y cancels.
    """

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.where(x > 0, math.inf, 0.0)

    def _tail(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(np.clip(x, 0, 1)) + 0.0)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return np.clip(x, 0, 1)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return 1 - np.clip(x, 0, 1)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, 0, 1)
        with np.errstate(divide="ignore"):
            direct = -np.log(g) - (1 - g)
        # Near 1 the two terms cancel; there the series of -log(1 - y) - y is summed instead.
        y = np.where(g > 0.9, 1 - g, 0.0)
        series = np.zeros_like(y)
        for power in range(17, 1, -1):
            series = y * series + 1 / power
        return np.where(g > 0.9, y * y * series, direct)

    @staticmethod
    def _antiderivative(x: FloatArray) -> FloatArray:
        return np.log(x)

    def _density(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, 0, 1)
        with np.errstate(divide="ignore"):
            return np.where(x == g, 1 / g, 0.0)


NLL_WEIGHT = LogLossWeight()
BRIER_WEIGHT = Scaled(Uniform(0, 1), 2)
ERROR_RATE_WEIGHT = Scaled(PointMass(0.5), 2)
MULTICLASS_NLL_WEIGHT = MulticlassLogLossWeight()
SQUARED_ERROR_PRIOR = PointMass(math.inf)

IMPLICIT_WEIGHTS: Mapping[str, Prior] = MappingProxyType(
    {
        "nll": NLL_WEIGHT,
        "brier": BRIER_WEIGHT,
        "error_rate": ERROR_RATE_WEIGHT,
        "multiclass_nll": MULTICLASS_NLL_WEIGHT,
    }
)
"""The improper weights by the name of their score; as text `implicit:nll` and so on."""


def gaussian_nll_prior(eps: float) -> Pareto:
    """Prior over the abstention cost behind the Gaussian negative log likelihood: Pareto(1, eps).

    For variances >= eps, the selective prior-weighted utility under it is
    `2 eps NLL - eps log(2 pi eps)`; below eps nobody ever abstains and the relation ends.
    """
    return Pareto(1, eps)
