"""Time and memory of the prior-weighted utilities against Monte Carlo, and of a whole benchmark cell.

    python benchmarks/metrics.py [--quick]

Each exact metric is compared with the plain 10,000-draw Monte Carlo evaluation of the same expectation, in one
process. `--quick` leaves out Monte Carlo and the million rows.
"""

from __future__ import annotations

import argparse
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from uqalign.families import published_thetas
from uqalign.metrics.registry import for_task
from uqalign.priors import PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA
from uqalign.pwu import (
    binary_decision_pwu,
    multivariate_selective_pwu,
    one_vs_rest_pwu,
    risk_averse_top_k_pwu,
    selective_pwu,
    top_k_pwu,
)

SIZES = (200, 2_000, 10_000, 1_000_000)
DRAWS = 10_000
LARGEST_MONTE_CARLO = 10_000
CELL_SPLITS, CELL_ROWS = 500, 9_043

Rows = dict[str, Any]
Draws = Callable[[Rows, np.random.Generator], np.ndarray]


def rows_of(n: int) -> Rows:
    """One problem of each task on n rows."""
    rng = np.random.default_rng(n)
    p = rng.beta(0.8, 3, n)
    mean, var = rng.normal(size=n), rng.gamma(2, 0.5, n)
    simplex = rng.dirichlet(np.ones(3), n)
    half = rng.normal(size=(n, 2, 2)) / 2
    return {
        "label": (rng.random(n) < p).astype(float),
        "p": p,
        "y": mean + np.sqrt(var) * rng.normal(size=n),
        "mean": mean,
        "var": var,
        "class": rng.integers(0, 3, n),
        "simplex": simplex,
        "target": rng.normal(size=(n, 2)),
        "centre": rng.normal(size=(n, 2)),
        "cov": half @ half.transpose(0, 2, 1),
    }


def sampled_binary(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    y, p = rows["label"], rows["p"]
    costs = PRIOR_C.sample(DRAWS, rng)
    return np.array([np.mean(np.where(p > c, (1 - y) * c, y * (1 - c))) for c in costs])


def sampled_one_vs_rest(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    classes = rng.integers(0, 3, DRAWS)
    losses = []
    for j, c in zip(classes, PRIOR_C.sample(DRAWS, rng), strict=True):
        target, p = rows["class"] == j, rows["simplex"][:, j]
        losses.append(np.mean(np.where(p > c, ~target * c, target * (1 - c))))
    return np.array(losses)


def sampled_top_k(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    y, p = rows["label"], rows["p"]
    sizes = np.ceil(len(y) * PRIOR_K.sample(DRAWS, rng)).astype(int)
    return np.array([-np.mean(y[np.argsort(-p)[:k]]) for k in sizes])


def sampled_selective(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    y, mean, var = rows["y"], rows["mean"], rows["var"]
    costs = y.var() * PRIOR_LAMBDA.sample(DRAWS, rng)
    return np.array([np.mean(np.where(var <= cost, (y - mean) ** 2, cost)) for cost in costs])


def sampled_multivariate(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    y, mean = rows["target"], rows["centre"]
    var, unit = np.diagonal(rows["cov"], axis1=1, axis2=2), y.var(axis=0)
    factors = PRIOR_LAMBDA.sample(DRAWS, rng)
    return np.array([np.mean(np.where(var / unit <= q, (y - mean) ** 2 / unit, q)) for q in factors])


def sampled_risk_averse(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    y, mean, var = rows["y"], rows["mean"], rows["var"]
    sizes = np.ceil(len(y) * PRIOR_K.sample(DRAWS, rng)).astype(int)
    gammas = PRIOR_GAMMA.sample(DRAWS, rng) / y.std()
    values = []
    for k, gamma in zip(sizes, gammas, strict=True):
        chosen = np.argsort(-(mean - gamma * var))[:k]
        values.append(-np.mean(y[chosen] - gamma * var[chosen]))
    return np.array(values)


METRICS: dict[str, tuple[Callable[..., Any], tuple[str, ...], Draws]] = {
    "binary decision": (binary_decision_pwu, ("label", "p"), sampled_binary),
    "top-k": (top_k_pwu, ("label", "p"), sampled_top_k),
    "one-vs-rest, K = 3": (one_vs_rest_pwu, ("class", "simplex"), sampled_one_vs_rest),
    "selective": (selective_pwu, ("y", "mean", "var"), sampled_selective),
    "multivariate, D = 2": (multivariate_selective_pwu, ("target", "centre", "cov"), sampled_multivariate),
    "risk-averse top-k": (risk_averse_top_k_pwu, ("y", "mean", "var"), sampled_risk_averse),
}


def best_seconds(call: Callable[[], Any], at_least: float = 0.2) -> float:
    """Shortest of several runs that together take `at_least` seconds (one run if it takes longer)."""
    times: list[float] = []
    while not times or sum(times) < at_least:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(call: Callable[[], Any]) -> float:
    """Largest memory that one run holds beyond its arguments."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def compare(sizes: tuple[int, ...], monte_carlo: bool) -> None:
    """Table of every metric at every size."""
    print(f"{'metric':<20} {'n':>9} {'exact s':>9} {'peak MB':>8} {'MC s':>8} {'MC/exact':>9} {'MC error':>9}")
    for name, (metric, columns, draws) in METRICS.items():
        for n in sizes:
            if n > LARGEST_MONTE_CARLO and metric is risk_averse_top_k_pwu:
                continue
            rows = rows_of(n)
            arguments = [rows[column] for column in columns]

            def call(metric: Callable[..., Any] = metric, arguments: list[Any] = arguments) -> Any:
                return metric(*arguments)

            seconds, peak, value = best_seconds(call), peak_megabytes(call), call()
            line = f"{name:<20} {n:>9,} {seconds:>9.5f} {peak:>8.1f}"
            if monte_carlo and n <= LARGEST_MONTE_CARLO:
                start = time.perf_counter()
                sample = draws(rows, np.random.default_rng(0))
                sampled = time.perf_counter() - start
                error = abs(sample.mean() - value) / (sample.std() / math.sqrt(DRAWS))
                line += f" {sampled:>8.2f} {sampled / seconds:>8.0f}x {error:>6.1f} se"
            print(line, flush=True)


def crossings() -> None:
    """Risk-averse top-k: the exact sweep, the quadrature and its true and reported error."""
    print(f"\n{'risk-averse top-k':<20} {'n':>9} {'exact s':>9} {'quad. s':>8} {'error/sd':>9} {'reported':>9}")
    for scale in (0.3, 1.0, 10.0):
        for n in (200, 2_000, 5_000, 10_000):
            rows = rows_of(n)
            y, mean, var = rows["y"], rows["mean"], scale * rows["var"]
            start = time.perf_counter()
            exact = risk_averse_top_k_pwu(y, mean, var, method="exact")
            middle = time.perf_counter()
            value, error = risk_averse_top_k_pwu(y, mean, var, method="quadrature", return_error=True)
            end = time.perf_counter()
            print(
                f"{f'variances x {scale:g}':<20} {n:>9,} {middle - start:>9.3f} {end - middle:>8.2f} "
                f"{abs(value - exact) / y.std():>9.1e} {error / y.std():>9.1e}",
                flush=True,
            )


def cell() -> None:
    """Every binary metric and utility on all splits of one (data set, model)."""
    rows = rows_of(CELL_ROWS)
    y, prediction = rows["label"], (rows["p"],)
    print(f"\ncell: {CELL_SPLITS} splits x {CELL_ROWS:,} rows")
    total = 0.0
    for name, metric in for_task("binary").items():
        seconds = CELL_SPLITS * best_seconds(lambda metric=metric: metric.evaluate(y, prediction))
        total += seconds
        print(f"  {name:<24} {seconds:>7.2f} s")
    for family, thetas in published_thetas("binary").items():
        seconds = CELL_SPLITS * best_seconds(
            lambda family=family, thetas=thetas: [family.evaluate(y, prediction, theta) for theta in thetas]
        )
        total += seconds
        print(f"  {f'{family.name} x {len(thetas)}':<24} {seconds:>7.2f} s")
    print(f"  {'total':<24} {total:>7.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="no Monte Carlo, no million rows")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    compare(SIZES[:-1] if quick else SIZES, monte_carlo=not quick)
    crossings()
    cell()


if __name__ == "__main__":
    main()
