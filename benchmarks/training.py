"""Fits per second of the batched engine against the same fits one by one.

Peers: scikit-learn's MLPClassifier for classification by `mlp` and `deep_ensemble`, plain torch for the rest; with the
same preprocessing, hyperparameters and cores, and the number of threads per operation that suits the peer best.
Quality is compared by a paired t test of the test rows' mean negative log-likelihood over the splits.

    python benchmarks/training.py --models mlp,resnet --datasets heart_complete --replicates 50
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from scipy import stats
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parent))
import peers
from uqalign.data.load import load
from uqalign.data.preprocess import encode
from uqalign.data.registry import resolve
from uqalign.data.splits import fold_assignment
from uqalign.data.table import Table
from uqalign.models import deep_ensemble, mlp, tabular_networks
from uqalign.models.base import REGISTRY, Compute, Problem, fit_all
from uqalign.models.nets.ft_transformer import FTTransformer
from uqalign.models.nets.resnet import ResNet
from uqalign.models.nets.saint import SAINT
from uqalign.models.probabilities import class_probabilities
from uqalign.predictions import Prediction
from uqalign.stages.train import split_problem
from uqalign.tasks import CLASSIFICATION
from uqalign.training.recipe import Recipe
from uqalign.training.replicate import hold_out
from uqalign.training.rows import prepare

DATASETS = ("heart_complete", "sonar_keel", "auto_mpg")
MODELS = ("mlp", "deep_ensemble", "resnet", "ft_transformer", "saint")
TARGETS = {"mlp": 5.0, "deep_ensemble": 5.0, "resnet": 5.0, "ft_transformer": 1.5, "saint": 1.5}
EVALUATION_ROWS = 512

Peer = Callable[[Problem], Prediction]


def scikit_learn(problem: Problem, seed: int) -> Prediction:
    """One classifier of scikit-learn with the hyperparameters of `mlp`."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    x_train, x_test = problem.arrays(scale=True)
    model = MLPClassifier(
        mlp.HIDDEN,
        alpha=mlp.WEIGHT_DECAY,
        batch_size=mlp.batch_size(len(x_train)),
        learning_rate_init=mlp.LEARNING_RATE,
        early_stopping=True,
        validation_fraction=0.1,
        n_iter_no_change=mlp.PATIENCE,
        tol=1e-4,
        max_iter=3000,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        model.fit(x_train, problem.y_train.astype(int))
    return class_probabilities(model.predict_proba(x_test), model.classes_, problem)


def plain_torch(problem: Problem, seed: int, *, network: str, recipe: Recipe) -> Prediction:
    """One network trained by a plain loop."""
    torch.manual_seed(seed)
    rows = prepare(problem)
    n = rows.n_train
    classes = rows.y if problem.task in CLASSIFICATION else None
    fitted, held = hold_out(n, recipe.validation, classes, np.random.RandomState(seed))
    x, y = peers.matrix(problem), torch.from_numpy(rows.y)
    module = peers.NETWORKS[network](x.shape[1], rows.head.outputs)
    peers.fit(
        module,
        recipe,
        peers.LOSSES[problem.task],
        (x[fitted], y[fitted]),
        (x[held], y[held]),
        batch=recipe.batch_size(n),
        max_epochs=recipe.max_epochs(n),
    )
    with torch.no_grad():
        output = torch.cat([module(chunk) for chunk in x[n:].split(EVALUATION_ROWS)])
    return rows.prediction(output.double().numpy())


def peer_of(model: str, table: Table) -> Peer:
    """How a fit of `model` is made without the engine."""
    if model in ("mlp", "deep_ensemble"):
        recipe = mlp.recipe(table.task)
        one = scikit_learn if table.task in CLASSIFICATION else partial(plain_torch, network="mlp", recipe=recipe)
        if model == "mlp":
            return lambda problem: one(problem, problem.seed)
        return lambda problem: deep_ensemble.mixture(
            problem.task, [one(problem, seed) for seed in deep_ensemble.member_seeds(problem)]
        )
    network = {"resnet": ResNet(), "ft_transformer": FTTransformer(), "saint": SAINT()}[model]
    recipe = tabular_networks.recipe(network, table.task)
    return lambda problem: plain_torch(problem, problem.seed, network=model, recipe=recipe)


@dataclass
class Clock:
    """Seconds per fit on the wall, and of processor time, which other jobs on the machine disturb less."""

    fits: int
    wall: float = 0.0
    cpu: float = 0.0

    def __enter__(self) -> Clock:
        self._start = time.perf_counter(), _processor_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = (time.perf_counter() - self._start[0]) / self.fits
        self.cpu = (_processor_time() - self._start[1]) / self.fits


def _processor_time() -> float:
    """Seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def one_by_one(peer: Peer, problems: list[Problem], threads: int) -> tuple[list[Prediction], Clock]:
    """Predictions and their cost, with `threads` threads per operation."""
    torch.set_num_threads(threads)
    with threadpool_limits(threads), Clock(len(problems)) as clock:
        predictions = [peer(problem) for problem in problems]
    return predictions, clock


def nll(problem: Problem, table: Table, prediction: Prediction) -> float:
    """Mean negative log-likelihood of the test rows; probabilities clipped at 1e-15 as both sides saturate."""
    y = table.target[problem.test]
    if table.task == "binary":
        p = np.clip(prediction[0], 1e-15, 1 - 1e-15)
        return float(-np.mean(np.where(y == 1, np.log(p), np.log1p(-p))))
    if table.task == "multiclass":
        return float(-np.mean(np.log(np.maximum(prediction[0][np.arange(len(y)), y.astype(int)], 1e-15))))
    if table.task == "regression":
        return float(-np.mean(stats.norm.logpdf(y, prediction[0], np.sqrt(prediction[1]))))
    pairs = zip(y, *prediction, strict=True)
    return float(-np.mean([stats.multivariate_normal.logpdf(row, mean, cov) for row, mean, cov in pairs]))


def compare(model: str, table: Table, skip: int, replicates: int, peer_fits: int, threads: int) -> str:
    """A line of the table: fits per second of both, their ratio, and the paired difference of the losses."""
    splits = [(number // 5, number % 5 + 1) for number in range(skip, skip + replicates)]
    folds = {seed: fold_assignment(table, seed=seed) for seed in {seed for seed, _ in splits}}
    declared = REGISTRY.get(model)
    encoded = encode(table.features, table.kinds)
    problems = [split_problem(declared, table, encoded, folds[seed], seed, fold) for seed, fold in splits]

    list(fit_all(declared, problems[:1], Compute(1)))  # first use loads libraries
    with Clock(len(problems)) as ours:
        outcomes = list(fit_all(declared, problems, Compute(threads)))

    peer = peer_of(model, table)
    chosen = problems[:peer_fits]
    best = min({1, threads}, key=lambda number: one_by_one(peer, chosen[:2], number)[1].wall)
    predictions, theirs = one_by_one(peer, chosen, best)

    pairs = [(o.prediction, p) for o, p in zip(outcomes, predictions, strict=False) if o.prediction is not None]
    both = [[nll(problem, table, p) for p in pair] for problem, pair in zip(chosen, pairs, strict=True)]
    ours_nll, theirs_nll = np.transpose(both)
    p_value = stats.ttest_rel(ours_nll, theirs_nll).pvalue
    return (
        f"{table.name:16} {model:15} {1 / ours.wall:8.2f} {1 / theirs.wall:8.2f} {theirs.wall / ours.wall:7.1f}x "
        f"{TARGETS[model]:6.1f}x {1e3 * ours.cpu:9.1f} {1e3 * theirs.cpu:9.1f} {best:7d} {len(chosen):6d} "
        f"{ours_nll.mean():9.4f} {theirs_nll.mean():9.4f} {p_value:8.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--replicates", type=int, default=50, help="fits of the engine per line")
    parser.add_argument("--peer-fits", type=int, default=50, help="of which the peer repeats this many")
    parser.add_argument("--skip", type=int, default=0, help="splits to leave out ahead of these")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw")))
    options = parser.parse_args()
    print(
        f"{'data set':16} {'model':15} {'fits/s':>8} {'peer':>8} {'ratio':>8} {'target':>7} {'cpu ms':>9} "
        f"{'peer':>9} {'threads':>7} "
        f"{'pairs':>6} {'NLL':>9} {'peer NLL':>9} {'p(equal)':>8}"
    )
    for dataset in options.datasets.split(","):
        table = load(resolve(dataset), data_dir=options.data_dir)
        for model in options.models.split(","):
            if table.task in REGISTRY.get(model).tasks:
                fits = min(options.peer_fits, options.replicates)
                print(compare(model, table, options.skip, options.replicates, fits, options.threads), flush=True)


if __name__ == "__main__":
    main()
