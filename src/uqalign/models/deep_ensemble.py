"""Deep ensemble of multi-layer perceptrons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from uqalign.models import mlp
from uqalign.models.base import Compute, FitFailed, Model, Problem
from uqalign.predictions import Prediction
from uqalign.tasks import CLASSIFICATION, Task

MEMBERS = 5


def member_seeds(problem: Problem) -> list[int]:
    """A seed for each member: a hundred times the problem's seed, plus the member's number from 0."""
    return [100 * problem.seed + member for member in range(MEMBERS)]


def mixture(task: Task, members: Sequence[Prediction]) -> Prediction:
    """The equal mixture of the members' distributions: mean probability, or mean and (co)variance.

    The variance is that of the mixture by the law of total variance: the mean of the members' variances plus the
    variance of their means (Lakshminarayanan et al. 2017, section 2.4).
    """
    if task in CLASSIFICATION:
        return (np.mean([p for (p,) in members], axis=0),)
    means = np.stack([mean for mean, _ in members])
    centred = means - means.mean(axis=0)
    between = centred**2 if task == "regression" else centred[..., :, None] * centred[..., None, :]
    return means.mean(axis=0), np.mean([spread for _, spread in members], axis=0) + between.mean(axis=0)


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.training.fit import fit_networks

    if not problems:
        return
    task = problems[0].task
    for members in fit_networks(problems, compute, mlp.recipe(task), member_seeds):
        failures = [f"member {m}: {member}" for m, member in enumerate(members) if isinstance(member, FitFailed)]
        if failures:
            yield FitFailed("; ".join(failures))
        else:
            yield mixture(task, [member for member in members if not isinstance(member, FitFailed)])


MODELS = (
    Model(
        name="deep_ensemble",
        title="Deep ensemble",
        tasks=frozenset({"binary", "regression", "multivariate"}),
        fit_predict_many=_fit_predict_many,
        distribution="equal mixture of the distributions of 5 networks; regression by its mean and (co)variance",
        hyperparameters={"members": MEMBERS, "member": mlp.HYPERPARAMETERS},
        reference="Lakshminarayanan, Pritzel & Blundell (2017), Simple and scalable predictive uncertainty estimation",
        libraries=("torch", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
