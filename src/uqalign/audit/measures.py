"""One model's predictions by every measure of the audit, in every way in which a setting computes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from uqalign.audit.settings import AUDITED, metric_variants, utility_variants
from uqalign.checks import noted
from uqalign.contracts.predictions import Cache
from uqalign.families import published_thetas, theta_id
from uqalign.metrics.select import selected
from uqalign.protocol import evaluate_utility, metrics_under
from uqalign.tasks import Task

MEASURE_COLUMNS = ["model", "seed", "fold", "kind", "name", "theta", "variant", "value"]
"""One row per split, measure and variant. kind: metric | utility; variant: the switches that act on it, `a+b`."""

Row = tuple[str, int, int, str, str, str, str, float]


def audited_metrics(task: Task, metrics: Sequence[str]) -> list[str]:
    """The published metrics of `task` among the configured ones, in the published order."""
    chosen = selected(task, metrics)
    return [name for name in AUDITED[task] if name in chosen]


def measure(
    cache: Cache, model: str, metrics: Sequence[str], n_thetas: int, n_classes: int | None = None
) -> Iterator[Row]:
    """Rows as `MEASURE_COLUMNS` for every split that has a prediction.

    Args:
        model: the model's name.
        metrics: as in the configuration.
        n_thetas: decisions per family.
        n_classes: number of classes of a classification.
    """
    task = cache.task
    computed = [
        (name, variant, metrics_under(task, on)[name])
        for name in audited_metrics(task, metrics)
        for variant, on in metric_variants(task, name).items()
    ]
    decided = [
        (family, theta, variant, on)
        for family, thetas in published_thetas(task, n_classes).items()
        for theta in thetas[:n_thetas]
        for variant, on in utility_variants(task, family.name).items()
    ]
    for split in cache.splits:
        if split.prediction is None:
            continue
        place = (model, split.seed, split.fold)
        for name, variant, metric in computed:
            yield *place, "metric", name, "", variant, noted(metric.evaluate, split.y, split.prediction)[0]
        for family, theta, variant, on in decided:
            value, _ = noted(evaluate_utility, family, split.y, split.prediction, theta, on)
            yield *place, "utility", family.name, theta_id(theta), variant, value
