"""Lists of models that go by one name in a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

_OPEN = (
    "logreg", "linreg", "random_forest", "gradient_boosting", "ngboost", "gp", "mlp", "deep_ensemble", "resnet",
    "ft_transformer", "saint",
)  # fmt: skip

SUITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "paper": (*_OPEN, "tabpfn"),
        "paper_open": _OPEN,
    }
)
"""paper: the published suites (ten models of each univariate task, five of each multivariate one: each model is fitted
where it knows the task). paper_open: the same without TabPFN, whose weights have to be fetched by hand."""


def expand_suites(names: Iterable[str]) -> list[str]:
    """`names` with suites replaced by their members, each once, in order."""
    return list(dict.fromkeys(member for name in names for member in SUITES.get(name, (name,))))
