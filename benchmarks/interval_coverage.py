"""What the intervals of an alignment cover: `python benchmarks/interval_coverage.py` (about a minute).

On one data set: ridge regressions are compared by repeated cross-validation on data sets drawn from one population, as
the workflow does it (mean over folds, ranking, tau between the mean absolute and the mean squared error). The truth is
the mean tau over all drawn data sets and seeds.

Over data sets: means of data sets around a common mean, and seeds around them, all normal.
"""

from __future__ import annotations

import argparse

import numpy as np

from uqalign.agreement import kendall
from uqalign.inference import bootstrap_means, mean_over_datasets, resampled_mean

FOLDS = 5
PENALTIES = np.array([0.1, 3.0, 10.0, 30.0, 100.0, 300.0])


def taus_of_one_data_set(rng: np.random.Generator, rows: int, seeds: int) -> np.ndarray:
    """(seeds,) tau between two errors of the ridge regressions on a data set of its own."""
    x = rng.normal(size=(rows, 12))
    y = x @ np.full(12, 0.25) + rng.standard_t(4, size=rows)
    means = np.empty((seeds, 2, len(PENALTIES)))
    for seed in range(seeds):
        fold = rng.permutation(np.arange(rows) % FOLDS)
        errors = np.zeros((FOLDS, 2, len(PENALTIES)))
        for k in range(FOLDS):
            train, test = fold != k, fold == k
            gram, target = x[train].T @ x[train], x[train].T @ y[train]
            weights = np.linalg.solve(gram + PENALTIES[:, None, None] * np.eye(12), target[None, :, None])[..., 0]
            residuals = y[test, None] - x[test] @ weights.T
            errors[k] = np.abs(residuals).mean(axis=0), (residuals**2).mean(axis=0)
        means[seed] = errors.mean(axis=0)
    return np.array([kendall(-m[:1], -m[1:])[0, 0] for m in means])


def one_data_set(repeats: int, rng: np.random.Generator) -> list[str]:
    lines = ["| rows | seeds | corrected t | usual t |", "| ---: | ---: | ---: | ---: |"]
    for rows, seeds in ((100, 5), (100, 20), (400, 20)):
        taus = np.array([taus_of_one_data_set(rng, rows, seeds) for _ in range(repeats)])
        covered = []
        for ratio in (1 / (FOLDS - 1), 0):
            low, high = resampled_mean(taus, test_train_ratio=ratio).interval()
            covered.append(np.mean((low <= taus.mean()) & (taus.mean() <= high)))
        lines.append(f"| {rows} | {seeds} | {covered[0]:.2f} | {covered[1]:.2f} |")
    return lines


def many_data_sets(repeats: int, rng: np.random.Generator) -> list[str]:
    lines = ["| data sets | t over data sets | bootstrap |", "| ---: | ---: | ---: |"]
    for datasets in (2, 3, 5, 10, 20):
        hits = np.zeros(2)
        for _ in range(repeats):
            centres = 0.3 * rng.normal(size=datasets)
            values = [centre + 0.15 * rng.normal(size=(20, 1)) for centre in centres]
            low, high = resampled_mean(mean_over_datasets(values)[1].T, test_train_ratio=0).interval()
            ends = np.quantile(bootstrap_means(values, draws=1000, rng=rng)[:, 0], [0.025, 0.975])
            hits += [low[0] <= 0 <= high[0], ends[0] <= 0 <= ends[1]]
        lines.append(f"| {datasets} | {hits[0] / repeats:.2f} | {hits[1] / repeats:.2f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=400, help="simulated data sets, and simulated benchmarks")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    print("Coverage of nominal 95 % intervals on one data set:\n")
    print("\n".join(one_data_set(arguments.repeats, rng)))
    print("\nOver data sets:\n")
    print("\n".join(many_data_sets(arguments.repeats, rng)))


if __name__ == "__main__":
    main()
