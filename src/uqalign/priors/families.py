"""Uniform, log-normal, Gamma and Pareto priors; every partial mean is a closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior, parameter

LARGEST_EXPONENT = 709.0
"""exp of more overflows a float."""


@dataclass(frozen=True)
class Uniform(Prior):
    """Constant density on [low, high]; on a range of costs it gives the bounded-threshold Brier score.

    Raises:
        ValueError: bounds not finite, or low >= high.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", parameter("Uniform", "low", self.low))
        object.__setattr__(self, "high", parameter("Uniform", "high", self.high))
        if not self.low < self.high:
            raise ValueError(f"Uniform: low = {self.low!r} must be < high = {self.high!r}")

    @property
    def _width(self) -> float:
        return self.high - self.low

    @property
    def mean(self) -> float:
        return (self.low + self.high) / 2

    @property
    def mode(self) -> float:
        return self.mean

    @property
    def support(self) -> tuple[float, float]:
        return self.low, self.high

    def _cdf(self, x: FloatArray) -> FloatArray:
        return (np.clip(x, self.low, self.high) - self.low) / self._width

    def _tail(self, x: FloatArray) -> FloatArray:
        return (self.high - np.clip(x, self.low, self.high)) / self._width

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, self.low, self.high)
        return (g - self.low) * (g + self.low) / (2 * self._width)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, self.low, self.high)
        return (self.high - g) * (self.high + g) / (2 * self._width)

    def _lower_partial(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, self.low, self.high)
        return (g - self.low) * ((1 - self.low) + (1 - g)) / (2 * self._width)

    def _upper_partial(self, x: FloatArray) -> FloatArray:
        g = np.clip(x, self.low, self.high)
        return (self.high - g) * ((1 - g) + (1 - self.high)) / (2 * self._width)

    def _density(self, x: FloatArray) -> FloatArray:
        return np.where((x >= self.low) & (x <= self.high), 1 / self._width, 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        return self.low + q * self._width

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        return self.high - q * self._width

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.uniform(self.low, self.high, size)


@dataclass(frozen=True)
class LogNormal(Prior):
    """log(theta) is normal with mean `log_mean` and standard deviation `log_std`, for unbounded scales.

    With m, s these two: E[theta 1{theta < x}] = exp(m + s^2/2) Phi((log x - m - s^2)/s).

    Raises:
        ValueError: log_mean not finite, log_std not finite and > 0, or a mean beyond the largest float.
    """

    log_mean: float
    log_std: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_mean", parameter("LogNormal", "log_mean", self.log_mean))
        object.__setattr__(self, "log_std", parameter("LogNormal", "log_std", self.log_std, positive=True))
        if self.log_mean + self.log_std * self.log_std / 2 > LARGEST_EXPONENT:
            raise ValueError(f"{self}: its mean exceeds the largest float; reduce log_mean or log_std")

    @property
    def mean(self) -> float:
        return float(np.exp(self.log_mean + self.log_std * self.log_std / 2))

    @property
    def mode(self) -> float:
        return float(np.exp(self.log_mean - self.log_std * self.log_std))

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, math.inf

    def _standardised(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            z: FloatArray = (np.log(np.maximum(x, 0)) - self.log_mean) / self.log_std
        return z

    def _cdf(self, x: FloatArray) -> FloatArray:
        value: FloatArray = special.ndtr(self._standardised(x))
        return value

    def _tail(self, x: FloatArray) -> FloatArray:
        value: FloatArray = special.ndtr(-self._standardised(x))
        return value

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        value: FloatArray = self.mean * special.ndtr(self._standardised(x) - self.log_std)
        return value

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        value: FloatArray = self.mean * special.ndtr(self.log_std - self._standardised(x))
        return value

    def _density(self, x: FloatArray) -> FloatArray:
        positive = (x > 0) & (x < math.inf)
        inside = np.where(positive, x, 1.0)
        log_density = -0.5 * self._standardised(inside) ** 2 - np.log(inside * self.log_std)
        return np.where(positive, np.exp(log_density) / math.sqrt(2 * math.pi), 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.exp(self.log_mean + self.log_std * special.ndtri(q)))

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        return np.asarray(np.exp(self.log_mean - self.log_std * special.ndtri(q)))

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.lognormal(self.log_mean, self.log_std, size)


@dataclass(frozen=True)
class Gamma(Prior):
    """Gamma(shape, rate) on (0, inf) with mean shape / rate, for unbounded scales.

    With P the regularised lower incomplete gamma function:
    E[theta 1{theta < x}] = shape/rate P(shape + 1, rate x).

    Raises:
        ValueError: shape or rate not finite and > 0.
    """

    shape: float
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", parameter("Gamma", "shape", self.shape, positive=True))
        object.__setattr__(self, "rate", parameter("Gamma", "rate", self.rate, positive=True))

    @property
    def mean(self) -> float:
        return self.shape / self.rate

    @property
    def mode(self) -> float:
        return max(self.shape - 1, 0.0) / self.rate

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, math.inf

    def _scaled(self, x: FloatArray) -> FloatArray:
        return self.rate * np.maximum(x, 0)

    def _cdf(self, x: FloatArray) -> FloatArray:
        value: FloatArray = special.gammainc(self.shape, self._scaled(x))
        return value

    def _tail(self, x: FloatArray) -> FloatArray:
        value: FloatArray = special.gammaincc(self.shape, self._scaled(x))
        return value

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        value: FloatArray = self.mean * special.gammainc(self.shape + 1, self._scaled(x))
        return value

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        value: FloatArray = self.mean * special.gammaincc(self.shape + 1, self._scaled(x))
        return value

    def _density(self, x: FloatArray) -> FloatArray:
        inside = (x >= 0) & (x < math.inf)
        z = self.rate * np.where(inside, x, 1.0)
        log_density = special.xlogy(self.shape - 1, z) - z - special.gammaln(self.shape)
        return np.where(inside, self.rate * np.exp(log_density), 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        value: FloatArray = special.gammaincinv(self.shape, q) / self.rate
        return value

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        value: FloatArray = special.gammainccinv(self.shape, q) / self.rate
        return value

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.gamma(self.shape, 1 / self.rate, size)


@dataclass(frozen=True)
class Pareto(Prior):
    """P(theta >= x) = (scale/x)^shape for x >= scale; with shape <= 1 the mean is infinite.

    E[theta 1{theta < x}] is finite for every shape; with shape = 1 it is scale log(x / scale).

    Raises:
        ValueError: shape or scale not finite and > 0.
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", parameter("Pareto", "shape", self.shape, positive=True))
        object.__setattr__(self, "scale", parameter("Pareto", "scale", self.scale, positive=True))

    @property
    def mean(self) -> float:
        return self.shape * self.scale / (self.shape - 1) if self.shape > 1 else math.inf

    @property
    def mode(self) -> float:
        return self.scale

    @property
    def support(self) -> tuple[float, float]:
        return self.scale, math.inf

    def _log_ratio(self, x: FloatArray) -> FloatArray:
        """log(x / scale), exact for x just above scale; 0 below it."""
        excess = np.maximum(x, self.scale) - self.scale
        return np.log1p(excess / self.scale)

    def _cdf(self, x: FloatArray) -> FloatArray:
        return -np.expm1(-self.shape * self._log_ratio(x))

    def _tail(self, x: FloatArray) -> FloatArray:
        return np.exp(-self.shape * self._log_ratio(x))

    def _partial_mean(self, x: FloatArray) -> FloatArray:
        finite = np.where(np.isinf(x), self.scale, x)
        log_ratio = self._log_ratio(finite)
        # (1 - e^{-z})/(shape - 1) with z = (shape - 1) log(x/scale), through its limit at shape = 1.
        integral = self.shape * self.scale * log_ratio * special.exprel((1 - self.shape) * log_ratio)
        return np.where(x == math.inf, self.mean, integral)

    def _upper_mean(self, x: FloatArray) -> FloatArray:
        if self.shape <= 1:
            return np.full_like(x, math.inf)
        return self.mean * np.exp((1 - self.shape) * self._log_ratio(x))

    def _density(self, x: FloatArray) -> FloatArray:
        inside = np.where(x >= self.scale, x, self.scale)
        return np.where(x >= self.scale, self.shape * self._tail(inside) / inside, 0.0)

    def _quantile(self, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return self.scale * np.exp(-np.log1p(-q) / self.shape)

    def _upper_quantile(self, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return self.scale * np.exp(-np.log(q) / self.shape)

    def _sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return self.scale * (1 + rng.pareto(self.shape, size))
