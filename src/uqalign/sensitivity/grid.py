"""The priors of a map: Betas over a grid of modes and concentrations, one map per decision parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from uqalign.checks import FloatArray
from uqalign.families import FAMILIES, LEVELS, Family, families_of
from uqalign.priors import Beta
from uqalign.tasks import Task

MODES: FloatArray = 1 / (1 + 99.0 ** np.linspace(1, -1, 15))
"""From 0.01 to 0.99, evenly spaced in log odds."""

CONCENTRATIONS: FloatArray = 2 * 10.0 ** (np.arange(9) / 4)
"""a + b from 2 to 200, evenly spaced in logarithm. The lowest is the uniform prior, whatever the mode."""

BASE = "base"
ALL_LEVELS = (BASE, *LEVELS)
"""The published priors: the one of the prior-weighted utility, and those of the published sensitivity analysis."""


def beta_parameters(mode: Any, concentration: Any) -> tuple[FloatArray, FloatArray]:
    """a and b of Beta priors by mode and concentration a + b >= 2 (arrays that broadcast); at 2 all are uniform."""
    excess = np.asarray(concentration, dtype=np.float64) - 2
    mode = np.asarray(mode, dtype=np.float64)
    return 1 + mode * excess, 1 + (1 - mode) * excess


@dataclass(frozen=True)
class PriorMap:
    """One family, one of its parameters under every prior of the grid, its other parameters under their own priors.

    The points of the grid are numbered along the modes, from the lowest concentration to the highest.
    """

    family: Family
    parameter: str

    @property
    def title(self) -> str:
        """Name of the map in tables and figures, such as `Binary decision: c`."""
        return f"{self.family.title}: {SYMBOLS.get(self.parameter, self.parameter)}"

    @property
    def published(self) -> Mapping[str, Beta]:
        """The published priors of the parameter by level."""
        return {level: level_priors(self.family, level)[self.parameter] for level in ALL_LEVELS}

    @cached_property
    def base_point(self) -> int:
        """The point of the grid nearest to the published prior, in log odds of the mode and log concentration."""
        prior = self.published[BASE]
        column = np.argmin(np.abs(log_odds(MODES) - log_odds(prior.mode)))
        row = np.argmin(np.abs(np.log(CONCENTRATIONS) - np.log(prior.a + prior.b)))
        return int(row * len(MODES) + column)


SYMBOLS: Mapping[str, str] = MappingProxyType({"q": "k/n", "lambda_factor": "lambda", "gamma_factor": "gamma"})


def log_odds(mode: Any) -> FloatArray:
    """log(mode / (1 - mode)): the horizontal coordinate of a map."""
    mode = np.asarray(mode, dtype=np.float64)
    return np.asarray(np.log(mode) - np.log1p(-mode))


def grid_points() -> tuple[FloatArray, FloatArray]:
    """Mode and concentration of every point of a map, in order."""
    concentration, mode = np.meshgrid(CONCENTRATIONS, MODES, indexing="ij")
    return mode.ravel(), concentration.ravel()


def maps_of(task: Task) -> tuple[PriorMap, ...]:
    """The maps of a task: one per parameter with a prior, in the order of the families."""
    return tuple(PriorMap(family, name) for family in families_of(task) for name in family.priors)


def level_priors(family: Family, level: str) -> Mapping[str, Beta]:
    """The published priors of a family's parameters at one level.

    Raises:
        KeyError: no such level.
    """
    priors = family.priors if level == BASE else {name: steps[level] for name, steps in family.perturbed.items()}
    found = {name: prior for name, prior in priors.items() if isinstance(prior, Beta)}
    if len(found) != len(priors):
        raise TypeError(f"{family.name}: maps are drawn over Beta priors, got {dict(priors)}")
    return found


IMPLIED: Mapping[tuple[str, str], tuple[float, float]] = MappingProxyType(
    {
        ("binary_decision", "brier"): (0.5, CONCENTRATIONS[0]),
        ("binary_decision", "accuracy"): (0.5, CONCENTRATIONS[-1]),
        ("one_vs_rest", "brier"): (0.5, CONCENTRATIONS[0]),
        ("selective", "mse"): (MODES[-1], CONCENTRATIONS[-1]),
        ("multivariate_selective", "mse"): (MODES[-1], CONCENTRATIONS[-1]),
    }
)
"""Mode and concentration of the prior implied by a classical metric, or the point of a map nearest to it.

Brier: the uniform prior, which is the whole lowest row. Accuracy: a point mass at 1/2. MSE: abstention at an infinite
cost. The log scores' weights 1/(c (1 - c)), 1/c and Pareto lie beyond every map: no Beta with a mode is near them.
"""


def implied_by(family: str, metric: str) -> tuple[float, float] | None:
    """`IMPLIED` for one family (any of `FAMILIES`) and metric; None where no point of the map is near."""
    if family not in FAMILIES:
        raise KeyError(family)
    return IMPLIED.get((family, metric))
