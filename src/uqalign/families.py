"""The decision families: whose decisions a metric is compared with, and where their parameters come from.

A family is a utility with parameters theta that do not depend on the data (a cost, a share, a factor). Evaluated on
test rows, they become the utility's own arguments: k = ceil(n q), an abstention cost of factor times Var(y), a risk
aversion of factor over the standard deviation of y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from uqalign.checks import float_array, warn_undefined
from uqalign.priors import PERTURBED, PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA, Prior
from uqalign.ranking import selected_count
from uqalign.registry import did_you_mean
from uqalign.scale import scalar_variance
from uqalign.tasks import TASKS, Task
from uqalign.utilities import (
    binary_decision_utility,
    multivariate_selective_utility,
    one_vs_rest_utility,
    risk_averse_top_k_utility,
    selective_utility,
    top_k_utility,
)

Level = Literal["slight", "strong", "extreme"]
LEVELS: tuple[Level, ...] = ("slight", "strong", "extreme")

THETAS_PER_FAMILY = 5
"""Decisions per family in the published evaluation."""

SEED = 0
"""Seed of the published draws."""

CLASS = "j"
"""The one parameter that is no number from a prior: the class acted on, uniform over the classes."""


class Theta(Mapping[str, float]):
    """Parameters of one decision by name, in the family's order; immutable and hashable."""

    def __init__(self, **parameters: float) -> None:
        self._items = tuple(parameters.items())

    def __getitem__(self, name: str) -> float:
        for key, value in self._items:
            if key == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items))

    def __repr__(self) -> str:
        return f"Theta({', '.join(f'{name}={value!r}' for name, value in self._items)})"


def theta_id(theta: Mapping[str, float]) -> str:
    """Text that tells any two thetas apart: every digit of every parameter, `q=0.040993557,gamma_factor=...`."""
    return ",".join(f"{name}={value!r}" for name, value in theta.items())


_SYMBOLS = {"q": "k/n", "lambda_factor": "lambda", "gamma_factor": "gamma"}


def theta_label(theta: Mapping[str, float]) -> str:
    """Short text for a table, with two decimals: `k/n=0.04, gamma=0.05`. Two thetas may share one."""
    parts = []
    for name, value in theta.items():
        text = str(value) if name == CLASS else f"{value:.2f}"
        parts.append(f"{_SYMBOLS.get(name, name)}={text}")
    return ", ".join(parts)


class _UndefinedError(Exception):
    """The rows do not fix the scale of a parameter."""


@dataclass(frozen=True, eq=False)
class Family:
    """One decision family.

    Attributes:
        name: unique short name ("top_k").
        title: heading in tables.
        task: binary, multiclass, regression or multivariate.
        parameters: names of theta's parameters, in the order in which they are drawn.
        priors: prior of each parameter (the class index `j` has none: it is uniform over the classes).
        perturbed: key of each parameter in `uqalign.priors.PERTURBED`.
        utility: function from (y_true, *prediction) and its own keyword arguments to the utility.
        resolve: function from (y_true, theta) to these arguments; takes `target_variance=` or
            `aversion_scale=` in the families that have such a scale.
    """

    name: str
    title: str
    task: Task
    parameters: tuple[str, ...]
    priors: Mapping[str, Prior]
    perturbed: Mapping[str, Mapping[str, Prior]]
    utility: Callable[..., Any]
    resolve: Callable[..., Mapping[str, Any]]

    def evaluate(self, y_true: Any, prediction: tuple[Any, ...], theta: Mapping[str, float], **scales: float) -> float:
        """Utility of the decision `theta` taken from `prediction` on these rows (higher is better).

        Args:
            y_true: labels or targets of the test rows, (n,) or (n, D).
            prediction: (p,), (mean, var) or (mean, cov).
            theta: the family's parameters.
            scales: `target_variance=` (selective families) or `aversion_scale=` (risk-averse top-k) instead of the
                scale of the test targets.

        Returns:
            The utility; NaN with an `UndefinedMetricWarning` where the rows leave it undefined.

        Raises:
            ValueError: theta with other parameters, or invalid rows.
        """
        if set(theta) != set(self.parameters):
            raise ValueError(f"{self.name} has parameters {', '.join(self.parameters)}, got {theta_id(theta)!r}")
        try:
            arguments = self.resolve(y_true, theta, **scales)
        except _UndefinedError as reason:
            return warn_undefined(self.name, str(reason))
        return float(self.utility(y_true, *prediction, **arguments))


def _cost(y_true: Any, theta: Mapping[str, float]) -> dict[str, Any]:
    return {"c": theta["c"]}


def _class_cost(y_true: Any, theta: Mapping[str, float]) -> dict[str, Any]:
    j = theta[CLASS]
    # A class read from a table may be 2.0; what is no whole number is left for the utility to refuse.
    return {"j": int(j) if float(j).is_integer() else j, "c": theta["c"]}


def _capacity(y_true: Any, theta: Mapping[str, float]) -> dict[str, Any]:
    return {"k": selected_count(len(y_true), theta["q"])}


def _abstention(y_true: Any, theta: Mapping[str, float], *, target_variance: float | None = None) -> dict[str, Any]:
    y = float_array(y_true, "y_true", ndim=1)
    return {"cost": scalar_variance(y, None, target_variance) * theta["lambda_factor"]}


def _relative_abstention(y_true: Any, theta: Mapping[str, float], *, target_variance: Any = None) -> dict[str, Any]:
    return {"cost": theta["lambda_factor"], "target_variance": target_variance}


def _risk(y_true: Any, theta: Mapping[str, float], *, aversion_scale: float | None = None) -> dict[str, Any]:
    y = float_array(y_true, "y_true", ndim=1)
    scale = aversion_scale
    if scale is None:
        variance = scalar_variance(y, None)
        if variance == 0:
            raise _UndefinedError("y_true is constant, so aversion has no scale (pass aversion_scale=)")
        scale = 1 / math.sqrt(variance)
    return {**_capacity(y_true, theta), "aversion": scale * theta["gamma_factor"]}


_BUILT_IN = (
    Family(
        "binary_decision",
        "Binary decision",
        "binary",
        ("c",),
        MappingProxyType({"c": PRIOR_C}),
        MappingProxyType({"c": PERTURBED["c"]}),
        binary_decision_utility,
        _cost,
    ),
    Family(
        "top_k",
        "Top-k selection",
        "binary",
        ("q",),
        MappingProxyType({"q": PRIOR_K}),
        MappingProxyType({"q": PERTURBED["k"]}),
        top_k_utility,
        _capacity,
    ),
    Family(
        "selective",
        "Selective prediction",
        "regression",
        ("lambda_factor",),
        MappingProxyType({"lambda_factor": PRIOR_LAMBDA}),
        MappingProxyType({"lambda_factor": PERTURBED["lambda"]}),
        selective_utility,
        _abstention,
    ),
    Family(
        "risk_averse_top_k",
        "Risk-averse top-k selection",
        "regression",
        ("q", "gamma_factor"),
        MappingProxyType({"q": PRIOR_K, "gamma_factor": PRIOR_GAMMA}),
        MappingProxyType({"q": PERTURBED["k"], "gamma_factor": PERTURBED["gamma"]}),
        risk_averse_top_k_utility,
        _risk,
    ),
    Family(
        "one_vs_rest",
        "One-vs-rest decision",
        "multiclass",
        (CLASS, "c"),
        MappingProxyType({"c": PRIOR_C}),
        MappingProxyType({"c": PERTURBED["c"]}),
        one_vs_rest_utility,
        _class_cost,
    ),
    Family(
        "multivariate_selective",
        "Coordinate-wise selective prediction",
        "multivariate",
        ("lambda_factor",),
        MappingProxyType({"lambda_factor": PRIOR_LAMBDA}),
        MappingProxyType({"lambda_factor": PERTURBED["lambda"]}),
        multivariate_selective_utility,
        _relative_abstention,
    ),
)

FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _BUILT_IN})
"""All families by name."""


def families_of(task: Task) -> tuple[Family, ...]:
    """The families of `task`, in the order of the tables.

    Raises:
        ValueError: unknown task.
    """
    if task not in TASKS:
        raise ValueError(f"task {task!r}: {did_you_mean(task, TASKS)}")
    return tuple(family for family in _BUILT_IN if family.task == task)


def _draw(name: str, prior: Prior | None, n: int, rng: np.random.Generator, n_classes: int | None) -> list[float]:
    if prior is not None:
        return [float(value) for value in prior.sample(n, rng)]
    if n_classes is None or n_classes < 2:
        raise ValueError(f"parameter {name} is a class: pass n_classes >= 2, got {n_classes}")
    return [int(value) for value in rng.integers(0, n_classes, size=n)]


def _thetas(columns: Mapping[str, list[float]]) -> tuple[Theta, ...]:
    rows = zip(*columns.values(), strict=True)
    return tuple(Theta(**dict(zip(columns, row, strict=True))) for row in rows)


def sample_thetas(
    family: Family, n: int, rng: np.random.Generator, *, n_classes: int | None = None
) -> tuple[Theta, ...]:
    """`n` independent thetas from the family's priors: all values of its first parameter, then of its second.

    Raises:
        ValueError: a family that acts on a class, without n_classes.
    """
    return _thetas({name: _draw(name, family.priors.get(name), n, rng, n_classes) for name in family.parameters})


def published_thetas(task: Task, n_classes: int | None = None) -> dict[Family, tuple[Theta, ...]]:
    """The five thetas per family of the published evaluation, drawn from one generator with seed 0.

    Binary: 5 c, then 5 q. Regression: 5 lambda factors, 5 q, 5 gamma factors (paired with the q). Multiclass: 5
    classes, then 5 c. Multivariate: 5 lambda factors.

    Raises:
        ValueError: unknown task, or multiclass without n_classes.
    """
    rng = np.random.default_rng(SEED)
    return {family: sample_thetas(family, THETAS_PER_FAMILY, rng, n_classes=n_classes) for family in families_of(task)}


def perturbed_thetas(task: Task, level: Level, n_classes: int | None = None) -> dict[Family, tuple[Theta, ...]]:
    """Five thetas per family from priors perturbed by `level`, as in the published sensitivity analysis.

    A generator with seed 0 draws, for binary problems, c slight, strong, extreme and then q slight, strong, extreme;
    for the others the whole task slight, then strong, then extreme.

    Raises:
        ValueError: unknown task or level, or multiclass without n_classes.
    """
    if level not in LEVELS:
        raise ValueError(f"level {level!r}: {did_you_mean(level, LEVELS)}")
    families = families_of(task)
    by_family = [(family, step) for family in families for step in LEVELS]
    by_level = [(family, step) for step in LEVELS for family in families]
    rng = np.random.default_rng(SEED)
    drawn: dict[Family, tuple[Theta, ...]] = {}
    for family, step in by_family if task == "binary" else by_level:
        priors = {name: steps[step] for name, steps in family.perturbed.items()}
        columns = {name: _draw(name, priors.get(name), THETAS_PER_FAMILY, rng, n_classes) for name in family.parameters}
        if step == level:
            drawn[family] = _thetas(columns)
    return drawn
