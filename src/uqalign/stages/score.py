"""Score one prediction cache by every metric and every decision of its task, split by split."""

from __future__ import annotations

from pathlib import Path

from uqalign.checks import noted
from uqalign.contracts.scores import write_scores
from uqalign.families import published_thetas, theta_id
from uqalign.metrics.select import selected
from uqalign.protocol import evaluate_utility, metrics_under, thetas_published
from uqalign.stages.common import check_code, parse_spec
from uqalign.stages.trusted import trusted_stream


def run(*, data: Path, splits: Path, predictions: Path, spec: str, code: str, out: Path) -> str:
    """Write the scores of every split to `out`.

    Raises:
        FileError: a cache that is damaged, incomplete, of another job or made by other code.
    """
    import pandas as pd

    orders = parse_spec(spec)
    own = [name.partition(":")[0] for name in orders["metrics"] if ":" in name]
    check_code(code, __name__, *own)
    found = trusted_stream(predictions, data, splits, orders["expects"])
    task = found.stream.task

    job = orders["expects"]["spec"]
    switches = orders["protocol"]
    metrics = metrics_under(task, switches, selected(task, orders["metrics"]))
    decisions = {
        family: thetas[: orders["thetas"]]
        for family, thetas in published_thetas(task, found.table.n_classes or None).items()
    }
    taken = thetas_published if "theta_label" in switches else tuple  # an overwritten decision keeps its place
    model = predictions.parts[-3]
    rows = []
    for split in found:
        if split.prediction is None:
            continue
        key = (task, job["dataset"], model, split.seed, split.fold)
        for name, metric in metrics.items():
            value, note = noted(metric.evaluate, split.y, split.prediction)
            rows.append((*key, "metric", name, "", value, note))
        for family, thetas in decisions.items():
            for theta, act in zip(thetas, taken(thetas), strict=True):
                value, note = noted(evaluate_utility, family, split.y, split.prediction, act, switches)
                rows.append((*key, "utility", family.name, theta_id(theta), value, note))
    columns = ["task", "dataset", "model", "seed", "fold", "kind", "name", "theta", "value", "note"]
    kept = ("seed", "fold", "error", "seconds")
    status = [
        {"dataset": job["dataset"], "model": model, **{key: told[key] for key in kept}}
        for told in found.stream.statuses
    ]
    write_scores(out, pd.DataFrame(rows, columns=columns), {"spec": orders, "code": code, "splits": status})
    failed = sum(1 for told in status if told["error"])
    return f"{len(rows)} scores of {len(status) - failed} splits, {failed} failed fits"
