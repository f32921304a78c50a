"""The priors of Schneider et al. (2026), and those of their sensitivity analysis (Appendix J.3)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from uqalign.priors.beta import Beta

Parameter = Literal["c", "lambda", "k", "gamma"]
"""A decision parameter: cost c, abstention cost / Var(y), selected fraction k/n, risk aversion (rescaled)."""

PARAMETERS: tuple[Parameter, ...] = get_args(Parameter)

PRIOR_C = Beta(2, 10)
"""Cost of a false positive (a false negative costs 1 - c): mode 0.1, a miss about ten times as costly."""

PRIOR_LAMBDA = Beta(2, 10)
"""Cost of abstaining as a fraction of the target's variance: mode 0.1."""

PRIOR_K = Beta(1.2, 20.8)
"""Selected fraction k/n: mode 0.01."""

PRIOR_GAMMA = Beta(2, 6)
"""Risk aversion, rescaled: moderate, 0 is risk-neutral."""

_COST = MappingProxyType({"slight": Beta(3, 9), "strong": Beta(10, 10), "extreme": Beta(10, 2)})

PERTURBED: Mapping[Parameter, Mapping[str, Beta]] = MappingProxyType(
    {
        "c": _COST,
        "lambda": _COST,
        "k": MappingProxyType({"slight": Beta(1.5, 25.5), "strong": Beta(2, 10), "extreme": Beta(10, 10)}),
        "gamma": MappingProxyType({"slight": Beta(2, 10), "strong": Beta(5, 7), "extreme": Beta(9, 3)}),
    }
)
"""`PERTURBED[parameter][level]`, level in slight, strong, extreme."""
