"""How stable the ranking of one task's models is, over seeds and over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.alignment import per_seed
from uqalign.contracts.scores import read_scores
from uqalign.families import families_of
from uqalign.files import write_text
from uqalign.inference.models import model_rank_table, stability_tables
from uqalign.metrics.select import selected
from uqalign.reporting.stability import model_ranks_markdown, stability_markdown
from uqalign.stages.common import check_code, parse_spec


def run(
    *,
    scores: Sequence[Path],
    spec: str,
    code: str,
    stability: tuple[Path, Path],
    first_places: Path,
    model_ranks: tuple[Path, Path],
) -> str:
    """Write stability over seeds (CSV, Markdown), first places (CSV) and ranks over data sets (CSV, Markdown).

    Raises:
        FileError: score files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    task = orders["task"]
    frame, statuses = read_scores(scores)
    fitted = {status["model"] for status in statuses}
    models = [name for name in orders["models"] if name in fitted]
    datasets = [name for name in orders["datasets"] if name in set(frame["dataset"])]
    wide = {
        name: per_seed(frame[frame["dataset"] == name], models, orders["n_folds"]).dropna(axis=1, how="all")
        for name in datasets
    }
    metrics = selected(task, orders["metrics"])
    orientation = {name: metric.higher_is_better for name, metric in metrics.items()}
    over_seeds, shares = stability_tables(wide, orientation)
    over_datasets = model_rank_table(wide, orientation, models)
    titles = {("utility", family.name): family.title for family in families_of(task)}
    titles |= {("metric", name): metric.title for name, metric in metrics.items()}
    write_text(first_places, shares.to_csv(index=False))
    for (csv, markdown), table, render in (
        (stability, over_seeds, stability_markdown),
        (model_ranks, over_datasets, model_ranks_markdown),
    ):
        write_text(csv, table.to_csv(index=False))
        write_text(markdown, render(table, titles, task))
    return f"{task}: {len(models)} models on {len(datasets)} data sets"
