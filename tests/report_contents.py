"""Contents of a page without a workflow: predictions of four tasks, made up, scored and ranked by the library."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from uqalign.alignment import align, per_seed, seed_taus
from uqalign.checks import noted
from uqalign.contracts.predictions import SplitResult
from uqalign.families import published_thetas, theta_id
from uqalign.inference.comparison import pooled_table
from uqalign.inference.matrices import seed_matrices
from uqalign.metrics.registry import for_task
from uqalign.report.contents import Contents, Facts
from uqalign.report.curves import model_curves
from uqalign.report.standings import standings

MODELS = ("sharp", "fair", "vague")
WIDTH = {"binary": 2, "multiclass": 3, "regression": 1, "multivariate": 2}
FOLDS = 2


def truth_and_forecast(task: str, rng: np.random.Generator, n: int = 60) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Targets and the distribution that they were drawn from."""
    x, std = rng.normal(size=n), rng.uniform(0.3, 1.5, size=n)
    if task == "binary":
        p = 1 / (1 + np.exp(-1.5 * x))
        return (rng.random(n) < p).astype(float), (p,)
    if task == "multiclass":
        weights = np.exp(np.column_stack([x, -x, 0 * x]))
        p = weights / weights.sum(axis=1, keepdims=True)
        return (rng.random((n, 1)) > p.cumsum(axis=1)[:, :2]).sum(axis=1).astype(float), (p,)
    if task == "regression":
        return x + std * rng.normal(size=n), (x, std**2)
    mean = np.column_stack([x, x**2])
    return mean + std[:, None] * rng.normal(size=(n, 2)), (mean, std[:, None, None] ** 2 * np.eye(2))


def forecast(task: str, model: str, best: tuple[np.ndarray, ...], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """The best forecast, made too sharp or too vague, with noise."""
    power = {"sharp": 2.0, "fair": 1.0, "vague": 0.4}[model]
    if task in ("binary", "multiclass"):
        p = np.column_stack([1 - best[0], best[0]]) if task == "binary" else best[0]
        p = p**power * np.exp(0.3 * rng.normal(size=p.shape))
        p = p / p.sum(axis=1, keepdims=True)
        return (p[:, 1],) if task == "binary" else (p,)
    mean, spread = best
    return mean + 0.2 * rng.normal(size=mean.shape), spread / power


def splits_of(task: str, model: str, seeds: int, dataset: int = 0) -> list[SplitResult]:
    """One model's predictions; all models see the same targets."""
    found = []
    for seed in range(seeds):
        for fold in range(1, FOLDS + 1):
            y, best = truth_and_forecast(task, np.random.default_rng([dataset, seed, fold]))
            own = np.random.default_rng([dataset, seed, fold, MODELS.index(model)])
            found.append(SplitResult(seed, fold, np.arange(len(y)), y, forecast(task, model, best, own), "", 0.01))
    return found


def scores_of(task: str, dataset: str, model: str, splits: list[SplitResult]) -> pd.DataFrame:
    """Rows of a score file."""
    rows = []
    for split in splits:
        key = (task, dataset, model, split.seed, split.fold)
        for name, metric in for_task(task).items():
            rows.append((*key, "metric", name, "", *noted(metric.evaluate, split.y, split.prediction)))
        for family, thetas in published_thetas(task, WIDTH[task]).items():
            for theta in thetas[:2]:
                value = noted(family.evaluate, split.y, split.prediction, theta)
                rows.append((*key, "utility", family.name, theta_id(theta), *value))
    columns = ["task", "dataset", "model", "seed", "fold", "kind", "name", "theta", "value", "note"]
    return pd.DataFrame(rows, columns=columns)


def _fits(task: str, dataset: str, model: str, splits: list[SplitResult]) -> pd.DataFrame:
    made = {"device": "cpu", "code": "0123456789abcdef", "versions": '{"numpy": "2.4", "python": "3.11"}'}
    rows = [{"seed": s.seed, "fold": s.fold, "seconds": s.seconds * (s.fold + 1), "error": ""} for s in splits]
    return pd.DataFrame(rows).assign(task=task, dataset=dataset, model=model, **made)


@functools.cache
def contents(tasks: tuple[str, ...] = tuple(WIDTH), seeds: int = 3, datasets: int = 2) -> Contents:
    """A page's contents: three models, so many repeats, the first task on so many data sets, the others on one."""
    names = {f"{task}_{i}": task for task in tasks for i in range(datasets if task == tasks[0] else 1)}
    alignments, curves, boards, fits = [], [], [], []
    for i, (dataset, task) in enumerate(names.items()):
        splits = {model: splits_of(task, model, seeds, i) for model in MODELS}
        scores = pd.concat([scores_of(task, dataset, model, s) for model, s in splits.items()], ignore_index=True)
        oriented = {name: metric.higher_is_better for name, metric in for_task(task).items()}
        found = align(per_seed(scores, MODELS, FOLDS), oriented)
        alignments.append(seed_taus(found.assign(dataset=dataset)).assign(task=task))
        about = {"task": task, "dataset": dataset}
        curves += [model_curves(task, WIDTH[task], s, {**about, "model": model}) for model, s in splits.items()]
        boards.append(standings(scores, MODELS, FOLDS, oriented))
        fits += [_fits(task, dataset, model, s) for model, s in splits.items()]
    alignment = pd.concat(alignments, ignore_index=True)
    lines = pd.concat(curves, ignore_index=True)
    all_fits = pd.concat(fits, ignore_index=True)
    all_fits.loc[0, "error"] = "FitFailed: made up"
    return Contents(
        title="A made-up run",
        datasets=names,  # type: ignore[arg-type]
        models=MODELS,
        metrics={task: for_task(task) for task in tasks},  # type: ignore[arg-type, misc]
        alignment=alignment,
        pooled=_pooled(alignment, list(names)),
        standings=pd.concat(boards, ignore_index=True),
        curves=lines.drop_duplicates(["dataset", "curve", "family", "parameter", "model", "x"]),
        facts=Facts(
            lines=["Three models, made up."],
            config="models: [sharp, fair, vague]\n",
            datasets=pd.DataFrame({"data set": list(names), "task": list(names.values()), "rows": 60}),
            models=pd.DataFrame({"model": MODELS, "kind": "contender"}),
            absent=pd.DataFrame({"model": ["tabpfn"], "why": ["its weights are not here"]}),
            fits=all_fits,
            machine={"Memory": "4 GiB"},
        ),
        commands={"alignment": "snakemake --cores 2 alignment"},
    )


def _pooled(alignment: pd.DataFrame, datasets: list[str]) -> pd.DataFrame:
    parts = []
    for family, part in alignment.groupby("family", sort=False):
        metrics = list(dict.fromkeys(part["metric"]))
        matrices = seed_matrices(part, "tau", datasets, metrics)
        parts.append(pooled_table(matrices, metrics).assign(family=family))
    return pd.concat(parts, ignore_index=True)
