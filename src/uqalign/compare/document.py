"""A comparison as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from uqalign.compare.outcome import Outcome
from uqalign.metrics.metric import Metric
from uqalign.priors import Prior, prior_text


def plain(value: Any) -> Any:
    """A value in JSON, which knows no infinity: "inf", and null where undefined."""
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def options_of(metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """Options of the metrics that have any, priors as text."""
    return {
        metric.name: {
            key: prior_text(value) if isinstance(value, Prior) else value for key, value in metric.options.items()
        }
        for metric in metrics
        if metric.options
    }


def _records(frame: Any, columns: Mapping[str, str]) -> list[dict[str, Any]]:
    chosen = frame[list(columns)].rename(columns=dict(columns))
    return [{key: plain(value) for key, value in row.items()} for row in chosen.to_dict("records")]


_INTERVAL = {"mean": "value", "low": "low", "high": "high"}
_BEHIND = {name: name for name in ("behind", "behind_low", "behind_high")}


def document(outcome: Outcome, files: Sequence[Path], written: Sequence[Path]) -> dict[str, Any]:
    """Everything that the terminal shows, and more digits of it."""
    metrics = outcome.standings[outcome.standings["kind"] == "metric"]
    utilities = outcome.standings[outcome.standings["kind"] == "utility"]
    repeats = outcome.repeats
    families = [decision.family for decision in outcome.decisions]
    return {
        "files": [str(path) for path in files],
        "task": outcome.task,
        "models": list(outcome.models),
        "repeats": {"unit": repeats.unit, "labels": list(repeats.labels), "folds": repeats.folds},
        "options": options_of(outcome.metrics),
        "priors": {f.name: {name: prior_text(prior) for name, prior in f.priors.items()} for f in families},
        "scores": _records(metrics, {"model": "model", "name": "metric", **_INTERVAL}),
        "leaderboards": {
            family.name: _records(
                utilities[utilities["name"] == family.name].sort_values("mean", ascending=False, kind="stable"),
                {"model": "model", **_INTERVAL, **_BEHIND},
            )
            for family in families
        },
        "alignment": {
            family.name: _records(
                outcome.aligned[outcome.aligned["family"] == family.name],
                {"metric": "metric", "mean": "tau", "low": "low", "high": "high", "defined": "defined"},
            )
            for family in families
        },
        "notes": outcome.notes,
        "written": [str(path) for path in written],
    }
