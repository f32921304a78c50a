"""What the page shows of one data set: standings from its scores, curves and fits from its predictions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uqalign.contracts.prediction_stream import PredictionStream, stream_predictions
from uqalign.contracts.scores import read_scores
from uqalign.metrics.select import selected
from uqalign.report.curves import MOST_REPEATS, model_curves
from uqalign.report.frames import CURVE_COLUMNS, FIT_COLUMNS, STANDING_COLUMNS, write_frame
from uqalign.report.standings import standings
from uqalign.stages.common import check_code, parse_spec


def _fits(stream: PredictionStream, names: dict[str, str]) -> list[dict[str, Any]]:
    about = stream.provenance
    made = {"device": about["device"], "code": about["code"], "versions": json.dumps(about["versions"], sort_keys=True)}
    kept = ("seed", "fold", "seconds", "error")
    return [{**names, **{key: told[key] for key in kept}, **made} for told in stream.statuses]


def _first_repeats(caches: Sequence[PredictionStream]) -> list[PredictionStream]:
    """The caches that hold some of the repeats that curves are averaged over."""
    seeds = sorted({told["seed"] for cache in caches for told in cache.statuses})[:MOST_REPEATS]
    return [cache for cache in caches if any(told["seed"] in seeds for told in cache.statuses)]


def run(
    *,
    predictions: Sequence[Path],
    scores: Sequence[Path],
    spec: str,
    code: str,
    standing: Path,
    curves: Path,
    fits: Path,
) -> str:
    """Write three files.

    Raises:
        FileError: inputs that are missing, damaged, of another job or made by other code.
    """
    import pandas as pd

    orders = parse_spec(spec)
    own = [name.partition(":")[0] for name in orders["metrics"] if ":" in name]
    check_code(code, __name__, *own)
    names = {"task": orders["task"], "dataset": orders["dataset"]}
    drawn: list[pd.DataFrame] = []
    fitted: list[dict[str, Any]] = []
    for model in orders["models"]:
        caches = [
            stream_predictions(path, spec=expected["spec"], code=expected["code"])
            for path, expected in zip(predictions, orders["expects"], strict=True)
            if path.parts[-3] == model
        ]
        mine = {**names, "model": model}
        splits = (split for cache in _first_repeats(caches) for split in cache)
        drawn.append(model_curves(orders["task"], caches[0].width, splits, mine))
        fitted += [fit for cache in caches for fit in _fits(cache, mine)]
    some = [frame for frame in drawn if len(frame)]
    lines = pd.concat(some, ignore_index=True) if some else drawn[0]
    # References are the same for every model.
    lines = lines.drop_duplicates(["curve", "family", "parameter", "model", "x"])
    frame, _ = read_scores(scores)
    oriented = {name: m.higher_is_better for name, m in selected(orders["task"], orders["metrics"]).items()}
    table = standings(frame, orders["models"], orders["n_folds"], oriented)
    about = {"spec": orders, "code": code}
    write_frame(curves, lines, "curves", CURVE_COLUMNS, about)
    write_frame(standing, table, "standings", STANDING_COLUMNS, about)
    write_frame(fits, pd.DataFrame(fitted, columns=FIT_COLUMNS), "fits", FIT_COLUMNS, about)
    failed = sum(1 for fit in fitted if fit["error"])
    return f"{len(lines)} points of curves, {len(table)} standings, {failed} of {len(fitted)} fits failed"
