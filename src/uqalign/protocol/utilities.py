"""The decision utilities as the published code computed them, switch by switch (higher is better)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, IntArray, binary_rows, exact_sum, gaussian_rows, score_rows
from uqalign.families import FAMILIES, Family, Theta, theta_label
from uqalign.protocol.switches import expand
from uqalign.ranking import places
from uqalign.registry import UnknownNameError, did_you_mean
from uqalign.scale import scalar_variance
from uqalign.utilities import bounded, selective_utility

SCALED = "risk_averse_top_k"
"""The family whose aversion has a scale in the target's unit."""


def unstable_descending(score: FloatArray) -> IntArray:
    """Rows from the highest score to the lowest, ties wherever numpy's default sort leaves them.

    That order depends on the processor: numpy's sorts for AVX2 and AVX-512 do not keep the order of equal keys, the
    portable one does for short arrays.
    """
    return np.argsort(-score)


def threshold_utility(y_true: Any, p: Any, *, c: float) -> float:
    """Sum over rows of -y (1-c) 1[p < c] - (1-y) c 1[p >= c]: at the threshold the published code acts."""
    y, (probability,), _ = binary_rows(y_true, p)
    cost = bounded("c", c, high=1.0)
    return 0.0 - exact_sum(np.where(probability >= cost, (1 - y) * cost, y * (1 - cost)))


def argsort_top_k_utility(y_true: Any, score: Any, *, k: int) -> float:
    """Share of positives among the first k rows of an unstable sort."""
    y, (value,), _ = score_rows(y_true, score)
    chosen = unstable_descending(value)[: places(k, len(y), None)]
    return float(y[chosen].mean())


def joint_abstention_utility(y_true: Any, mean: Any, var: Any, *, cost: float) -> float:
    """Mean over rows of -(mean - y)^2 where var <= cost, and of -cost times the number of abstained rows elsewhere."""
    y, (_, variance), _ = gaussian_rows(y_true, mean, var)
    utilities = selective_utility(y_true, mean, var, cost=cost, reduction="none")
    abstained = variance > cost
    return exact_sum(np.where(abstained, utilities * np.count_nonzero(abstained), utilities)) / len(y)


def argsort_risk_averse_utility(y_true: Any, mean: Any, var: Any, *, k: int, aversion: float) -> float:
    """Mean of y - aversion * var over the first k rows of an unstable sort by mean - aversion * var."""
    y, (mu, variance), _ = gaussian_rows(y_true, mean, var)
    chosen = unstable_descending(mu - aversion * variance)[: places(k, len(y), None)]
    return float(np.mean(y[chosen] - aversion * variance[chosen]))


def evaluate_utility(
    family: Family | str,
    y_true: Any,
    prediction: tuple[Any, ...],
    theta: Mapping[str, float],
    switches: Iterable[str] = (),
) -> float:
    """Utility of the decision `theta` under the switches; without any it is `family.evaluate`.

    Args:
        family: a decision family or its name.
        y_true: labels or targets of the test rows.
        prediction: (p,), (mean, var) or (mean, cov).
        theta: the family's parameters.
        switches: ids, or "published" for all; those that do not concern the family change nothing.

    Returns:
        The utility; NaN with an `UndefinedMetricWarning` where the rows leave it undefined.

    Raises:
        ValueError: an unknown family or switch, theta with other parameters, or invalid rows.
    """
    if isinstance(family, str):
        if family not in FAMILIES:
            raise UnknownNameError(f"unknown decision family {family!r}: {did_you_mean(family, FAMILIES)}")
        family = FAMILIES[family]
    on = expand(switches)
    scales = _published_scales(family, y_true) if "gamma_scale" in on else {}
    switch, utility = _VARIANTS.get(family.name, ("", None))
    if utility is None or switch not in on:
        return family.evaluate(y_true, prediction, theta, **scales)
    return float(utility(y_true, *prediction, **family.resolve(y_true, theta, **scales)))


def acting_on_utility(family: str, switches: Iterable[str]) -> frozenset[str]:
    """The switches among `switches` that take part in computing a family's utility."""
    reads = {_VARIANTS[family][0]} if family in _VARIANTS else set()
    if family == SCALED:
        reads.add("gamma_scale")
    return expand(switches) & reads


def _published_scales(family: Family, y_true: Any) -> dict[str, float]:
    if family.name != SCALED:
        return {}
    return {"aversion_scale": scalar_variance(np.asarray(y_true, dtype=np.float64), None)}


_VARIANTS: Mapping[str, tuple[str, Callable[..., float]]] = MappingProxyType(
    {
        "binary_decision": ("threshold_geq", threshold_utility),
        "top_k": ("argsort_order", argsort_top_k_utility),
        "selective": ("abstention_cost", joint_abstention_utility),
        "risk_averse_top_k": ("argsort_order", argsort_risk_averse_utility),
    }
)
"""Per family, the switch that replaces its utility and the utility it is replaced by."""


def thetas_published(thetas: Sequence[Theta]) -> tuple[Theta, ...]:
    """The decisions that the published code evaluated: of those with one two-decimal label, the last, each time."""
    last = {theta_label(theta): theta for theta in thetas}
    return tuple(last[theta_label(theta)] for theta in thetas)
