"""Transformer over feature tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from uqalign.models.base import Compute, Model, Problem
from uqalign.models.tabular_networks import HYPERPARAMETERS, fit
from uqalign.predictions import Prediction

ARCHITECTURE: dict[str, Any] = {"width": 64, "heads": 4, "layers": 3, "dropout": 0.1}


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.models.nets.ft_transformer import FTTransformer

    return fit(problems, compute, FTTransformer(**ARCHITECTURE))


MODELS = (
    Model(
        name="ft_transformer",
        title="FT-Transformer",
        tasks=frozenset({"binary", "regression"}),
        fit_predict_many=_fit_predict_many,
        distribution="p = sigmoid(o) or N(m, (softplus(s) + 1e-6)^2) of a transformer's classification token",
        hyperparameters={**ARCHITECTURE, **HYPERPARAMETERS},
        reference="Gorishniy et al. (2021), Revisiting deep learning models for tabular data",
        libraries=("torch", "numba", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
