"""Residual network for tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from uqalign.models.base import Compute, Model, Problem
from uqalign.models.tabular_networks import HYPERPARAMETERS, fit
from uqalign.predictions import Prediction

ARCHITECTURE: dict[str, Any] = {"width": 128, "blocks": 3, "dropout": 0.1}


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.models.nets.resnet import ResNet

    return fit(problems, compute, ResNet(**ARCHITECTURE))


MODELS = (
    Model(
        name="resnet",
        title="ResNet",
        tasks=frozenset({"binary", "regression"}),
        fit_predict_many=_fit_predict_many,
        distribution="p = sigmoid(o) or N(m, (softplus(s) + 1e-6)^2) of a residual network",
        hyperparameters={**ARCHITECTURE, **HYPERPARAMETERS},
        reference="Gorishniy et al. (2021), Revisiting deep learning models for tabular data",
        libraries=("torch", "numba", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
