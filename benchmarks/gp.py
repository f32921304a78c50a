"""Fits per second of the Gaussian process against gpytorch, one fit after the other.

    python benchmarks/gp.py --data-dir data/raw [--replicates 30] [--peer-fits 10]

Both have the same model, sizes, optimiser and number of epochs. The last columns compare the mean negative log
likelihood of the test rows over the splits that both have fitted; p(equal) is of a paired t test.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import gpytorch
import numpy as np
import torch
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from scipy import stats
from scipy.special import ndtr

from uqalign.data.load import load
from uqalign.data.registry import resolve
from uqalign.data.splits import fold_assignment
from uqalign.data.table import Table
from uqalign.models.base import REGISTRY, Compute, Problem, fit_all, model_seed
from uqalign.models.gp import batch_size, inducing_points
from uqalign.predictions import Prediction

MODEL = REGISTRY.get("gp")
DATASETS = "heart_complete,sonar_keel,auto_mpg"
TARGET, FOLDS = 3.0, 5


class Peer(gpytorch.models.ApproximateGP):
    """The model as gpytorch's tutorials write it."""

    def __init__(self, inducing: torch.Tensor) -> None:
        distribution = CholeskyVariationalDistribution(len(inducing))
        super().__init__(VariationalStrategy(self, inducing, distribution, jitter_val=1e-4))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=inducing.shape[1]))

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit_peer(problem: Problem) -> Prediction:
    x_train, x_test = (torch.as_tensor(part, dtype=torch.float32) for part in problem.arrays(scale=True))
    binary, y = problem.task == "binary", problem.y_train
    center, scale = (0.0, 1.0) if binary else (y.mean(), y.std())
    target = torch.as_tensor((y - center) / scale, dtype=torch.float32)
    torch.manual_seed(problem.seed)
    n = len(target)
    model = Peer(x_train[torch.randperm(n)[: inducing_points(n)]])
    likelihood = (gpytorch.likelihoods.BernoulliLikelihood if binary else gpytorch.likelihoods.GaussianLikelihood)()
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=5e-3)
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=n)
    for _ in range(100):
        for batch in torch.randperm(n).split(batch_size(n)):
            optimiser.zero_grad()
            (-objective(model(x_train[batch]), target[batch])).backward()
            optimiser.step()
    model.eval()
    likelihood.eval()
    with torch.no_grad():
        latent = model(x_test)
        if binary:
            return (ndtr((latent.mean / (1 + latent.variance).sqrt()).double().numpy()),)
        observed = likelihood(latent)
        return center + scale * observed.mean.double().numpy(), scale**2 * observed.variance.double().numpy()


def problems(table: Table, count: int) -> list[tuple[Problem, np.ndarray]]:
    """Splits in order of seed and fold, with the true targets of their test rows."""
    found: list[tuple[Problem, np.ndarray]] = []
    for seed in range(-(-count // FOLDS)):
        folds = fold_assignment(table, seed=seed)
        for fold in range(1, FOLDS + 1):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            given = Problem(
                table.task, table.features, table.kinds, table.target, train, test, table.width, model_seed(seed, fold)
            )
            found.append((given, table.target[test]))
    return found[:count]


def negative_log_likelihood(prediction: Prediction, y: np.ndarray) -> float:
    if len(prediction) == 1:
        return float(-np.log(np.where(y == 1, prediction[0], 1 - prediction[0])).mean())
    return float(-stats.norm.logpdf(y, prediction[0], np.sqrt(prediction[1])).mean())


def timed(run: Callable[[], list[Prediction]]) -> tuple[list[Prediction], float]:
    start = time.perf_counter()
    predictions = run()
    return predictions, (time.perf_counter() - start) / len(predictions)


def compare(table: Table, replicates: int, peer_fits: int, threads: int) -> str:
    splits = problems(table, replicates)
    given = [problem for problem, _ in splits]
    # The first fit of either pays for imports.
    list(fit_all(MODEL, given[:1]))
    fit_peer(given[0])

    def together() -> list[Prediction]:
        outcomes = list(fit_all(MODEL, given, Compute(threads=threads)))
        return [outcome.prediction for outcome in outcomes if outcome.prediction is not None]

    ours, seconds = timed(together)
    assert len(ours) == len(given), "a fit failed"
    torch.set_num_threads(threads)
    theirs, peer_seconds = timed(lambda: [fit_peer(problem) for problem in given[:peer_fits]])
    scores = [
        [negative_log_likelihood(a, y), negative_log_likelihood(b, y)]
        for a, b, (_, y) in zip(ours, theirs, splits, strict=False)
    ]
    left, right = np.array(scores).T
    return (
        f"{table.name:16} {len(table.target):6d} {threads:7d} {1 / seconds:8.2f} {1 / peer_seconds:8.2f} "
        f"{peer_seconds / seconds:7.1f}x {TARGET:5.1f}x {left.mean():9.4f} {right.mean():9.4f} "
        f"{stats.ttest_rel(left, right).pvalue:8.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=DATASETS)
    parser.add_argument("--replicates", type=int, default=30, help="fits of this package per line")
    parser.add_argument("--peer-fits", type=int, default=10, help="of which gpytorch repeats this many")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")))
    options = parser.parse_args()
    print(
        f"{'data set':16} {'rows':>6} {'threads':>7} {'fits/s':>8} {'gpytorch':>8} {'ratio':>8} {'target':>6} "
        f"{'NLL':>9} {'gpytorch':>9} {'p(equal)':>8}"
    )
    for name in options.datasets.split(","):
        table = load(resolve(name), data_dir=options.data_dir)
        print(compare(table, options.replicates, options.peer_fits, options.threads), flush=True)


if __name__ == "__main__":
    main()
