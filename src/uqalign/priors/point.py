"""A prior that is certain: all mass on one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior, parameter


@dataclass(frozen=True)
class PointMass(Prior):
    """All mass at `value`: the utility at one fixed parameter as a special case of a prior-weighted one.

    `value` may be infinite: PointMass(inf) over the abstention cost never abstains (mean squared error).

    Raises:
        ValueError: value is NaN.
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", parameter("PointMass", "value", self.value, finite=False))

    @property
    def mean(self) -> float:
        return self.value

    @property
    def mode(self) -> float:
        return self.value

    @property
    def support(self) -> tuple[float, float]:
        return self.value, self.value

    def _cdf(self, x: FloatArray) -> FloatArray:
        return np.where(self.value <= x, 1.0, 0.0)

    def _tail(self, x: FloatArray) -> FloatArray:
        return np.where(self.value >= x, 1.0, 0.0)

    def _below(self, x: FloatArray) -> FloatArray:
        return np.where(self.value < x, 1.0, 0.0)

    def _above(self, x: FloatArray) -> FloatArray:
        return np.where(self.value > x, 1.0, 0.0)

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        return np.where(self.value < x, self.value, 0.0)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        return np.where(self.value >= x, self.value, 0.0)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        return np.where(self.value < x, 1 - self.value, 0.0)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        return np.where(self.value >= x, 1 - self.value, 0.0)

    def _density(self, x: FloatArray) -> FloatArray:
        return np.where(self.value == x, np.inf, 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        return np.full_like(q, self.value)

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return np.full(size, self.value)
