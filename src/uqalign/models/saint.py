"""Transformer with attention between samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from uqalign.models.base import Compute, Model, Problem
from uqalign.models.tabular_networks import HYPERPARAMETERS, fit
from uqalign.predictions import Prediction

ARCHITECTURE: dict[str, Any] = {"width": 64, "heads": 4, "layers": 3, "dropout": 0.1}


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.models.nets.saint import SAINT

    return fit(problems, compute, SAINT(**ARCHITECTURE))


MODELS = (
    Model(
        name="saint",
        title="SAINT",
        tasks=frozenset({"binary", "regression"}),
        fit_predict_many=_fit_predict_many,
        distribution=(
            "p = sigmoid(o) or N(m, (softplus(s) + 1e-6)^2) of a transformer "
            "with attention between the rows of a batch (test rows: 512 at a time, in row order)"
        ),
        hyperparameters={**ARCHITECTURE, **HYPERPARAMETERS},
        reference="Somepalli et al. (2021), SAINT: Improved neural networks for tabular data via row attention",
        libraries=("torch", "numba", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
        transductive=True,
    ),
)
