"""How good each model is by each metric, on every data set of one task."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.alignment import per_seed
from uqalign.contracts.scores import read_scores
from uqalign.files import write_text
from uqalign.metrics.select import selected
from uqalign.reporting.tables import leaderboard_markdown
from uqalign.stages.common import check_code, parse_spec

if TYPE_CHECKING:
    import pandas as pd


def _notes(scores: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """What the metrics warned of, as a Markdown list: where a value is undefined, and how many rows were clipped."""
    noted = scores[scores["note"] != ""]
    if noted.empty:
        return ""
    lines = [
        f"- {dataset}, {model}, {titles[str(name)]}: {len(part)} splits, for instance seed {part['seed'].iloc[0]} "
        f"fold {part['fold'].iloc[0]}: {part['note'].iloc[0]}"
        for (dataset, model, name), part in noted.groupby(["dataset", "model", "name"], sort=False)
    ]
    return "\n".join(["## Notes", "", *lines, ""])


def run(*, scores: Sequence[Path], spec: str, code: str, csv: Path, markdown: Path) -> str:
    """Write the mean over seeds of every metric by data set and model, with the number of fits that succeeded.

    Raises:
        FileError: score files that are missing, damaged or of another version.
    """
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    frame, statuses = read_scores(scores)
    fits = Counter((s["dataset"], s["model"]) for s in statuses)
    failed = Counter((s["dataset"], s["model"]) for s in statuses if s["error"])
    task = orders["task"]
    metrics = selected(task, orders["metrics"])
    parts = []
    for dataset in [name for name in orders["datasets"] if any(name == fitted for fitted, _ in fits)]:
        block = frame[(frame["dataset"] == dataset) & (frame["kind"] == "metric")]
        models = [name for name in orders["models"] if (dataset, name) in fits]
        # A model whose every fit failed has no scores, but keeps its line.
        grid = pd.MultiIndex.from_product([list(metrics), models], names=["metric", "model"])
        part = pd.DataFrame({"mean": math.nan, "std_over_seeds": math.nan, "seeds": 0}, index=grid)
        if len(block):
            grouped = per_seed(block, models, orders["n_folds"]).groupby(level="name")
            for column, how in (("mean", "mean"), ("std_over_seeds", "std"), ("seeds", "count")):
                values = getattr(grouped, how)().stack(future_stack=True)
                part[column] = values.rename_axis(["metric", "model"]).reindex(grid)
        part = part.reset_index().assign(dataset=dataset)
        part["rank_m"] = part["metric"].map({name: i for i, name in enumerate(metrics)})
        part["rank_d"] = part["model"].map({name: i for i, name in enumerate(models)})
        parts.append(part.sort_values(["rank_d", "rank_m"]))
    table = pd.concat(parts, ignore_index=True)
    sign = table["metric"].map({name: 1 if m.higher_is_better else -1 for name, m in metrics.items()})
    oriented = sign * table["mean"]
    table["best"] = oriented == oriented.groupby([table["dataset"], table["metric"]]).transform("max")
    pairs = list(zip(table["dataset"], table["model"], strict=True))
    table["fits"] = [fits[pair] - failed[pair] for pair in pairs]
    table["expected"] = [fits[pair] for pair in pairs]
    columns = ["dataset", "model", "metric", "mean", "std_over_seeds", "seeds", "best", "fits", "expected"]
    write_text(csv, table[columns].to_csv(index=False))
    notes = _notes(frame[frame["kind"] == "metric"], {name: m.title for name, m in metrics.items()})
    titles = {name: f"{m.title} {'↑' if m.higher_is_better else '↓'}" for name, m in metrics.items()}
    heading = f"# Models by metric ({task})\n\nMeans over repeats and folds; the best value of a metric is bold.\n\n"
    write_text(markdown, heading + leaderboard_markdown(table, titles) + notes)
    return f"{task}: {len(fits)} models on data sets, {sum(failed.values())} of {sum(fits.values())} fits failed"
