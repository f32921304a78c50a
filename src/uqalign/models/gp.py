"""Sparse variational Gaussian process, many replicates at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from uqalign.models.base import Compute, Model, Problem
from uqalign.predictions import Prediction


def inducing_points(n: int) -> int:
    """Inducing points of `n` training rows; they are rows, so there are no more of them than rows."""
    return min(n, 512, max(16, int(0.5 * math.sqrt(n)) * 16))


def batch_size(n: int) -> int:
    """Rows per gradient step of `n` training rows."""
    return min(1024, max(32, n // 4))


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.models.engines.svgp_blocks import fit_predict_many

    return fit_predict_many(problems, compute)


MODELS = (
    Model(
        name="gp",
        title="Gaussian process",
        tasks=frozenset({"binary", "regression"}),
        fit_predict_many=_fit_predict_many,
        distribution="p = E[Phi(f(x))] or N(E f(x), var f(x) + noise), f under the sparse variational posterior",
        hyperparameters={
            "kernel": "squared exponential, a length scale per feature, output scale; constant mean",
            "inducing points": "min(512, max(16, int(0.5 sqrt(n)) 16)), random training rows, then learned",
            "variational distribution": "normal, full covariance, whitened",
            "optimiser": "Adam, learning rate 0.005, 100 epochs",
            "batch_size": "min(1024, max(32, n // 4))",
            "jitter": "1e-4 in single precision; in double precision, up to 1e-2, where that fails",
            "target": "standardised, predictions mapped back (regression)",
        },
        reference="Hensman, Matthews & Ghahramani (2015), Scalable variational Gaussian process classification",
        libraries=("torch", "scipy", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
