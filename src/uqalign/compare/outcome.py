"""What a comparison finds: scores, leaderboards, and which metrics rank the models as their decisions would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from uqalign.alignment import align, per_seed, seed_taus
from uqalign.compare.decisions import Decision
from uqalign.compare.predictions import Predictions, Repeats
from uqalign.compare.scoring import measures
from uqalign.contracts.alignment import ALIGNMENT_COLUMNS
from uqalign.inference.matrices import seed_intervals, seed_matrices
from uqalign.metrics.metric import Metric
from uqalign.report.standings import standings
from uqalign.tasks import Task

ALIGNED_COLUMNS = ["family", "metric", "mean", "low", "high", "defined", "repeats"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The findings of a comparison, as frames.

    Attributes:
        dataset: what the data are called.
        scores: rows as `contracts.scores.SCORE_COLUMNS`, one per test set and measure.
        standings: rows as `report.frames.STANDING_COLUMNS`, one per measure and model.
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`, one per repeat, decision and metric; empty without
            repeats or with one model.
        aligned: columns `ALIGNED_COLUMNS`: mean over repeats of tau (mean over a family's decisions) with its 95 %
            corrected resampled interval; defined: repeats that have a tau.
    """

    task: Task
    dataset: str
    models: Sequence[str]
    metrics: Sequence[Metric]
    decisions: Sequence[Decision]
    repeats: Repeats
    scores: pd.DataFrame = field(repr=False)
    standings: pd.DataFrame = field(repr=False)
    alignment: pd.DataFrame = field(repr=False)
    aligned: pd.DataFrame = field(repr=False)

    @property
    def ranked(self) -> bool:
        """Whether there is anything to compare rankings by: two models, two repeats, a metric and a decision."""
        return not self.aligned.empty

    @property
    def notes(self) -> list[str]:
        """What measures warned of, by model: why they are undefined, or what was clipped."""
        noted = self.scores[self.scores["note"] != ""]
        lines = []
        for (model, name), part in noted.groupby(["model", "name"], sort=False):
            count = f" ({len(part)} times)" if len(part) > 1 else ""
            lines.append(f"{model}, {name}{count}: {part['note'].iloc[0]}")
        return lines


def compare(
    found: Predictions,
    metrics: Sequence[Metric],
    decisions: Sequence[Decision],
    *,
    dataset: str,
    told: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Score, rank and align the models.

    Args:
        dataset: what the data are called.
        told: called with the name of each model before it is scored.
    """
    scores = measures(found, metrics, decisions, dataset=dataset, told=told)
    oriented = {metric.name: metric.higher_is_better for metric in metrics}
    repeats, models = found.repeats, found.models
    board = standings(scores, models, repeats.folds, oriented, test_train_ratio=repeats.test_train_ratio)
    alignment = pd.DataFrame(columns=ALIGNMENT_COLUMNS)
    aligned = pd.DataFrame(columns=ALIGNED_COLUMNS)
    if repeats.several and len(models) > 1 and metrics and decisions:
        taus = align(per_seed(scores, models, repeats.folds), oriented).assign(task=found.task, dataset=dataset)
        alignment = taus[ALIGNMENT_COLUMNS]
        aligned = _aligned(alignment, metrics, decisions, dataset, repeats.test_train_ratio)
    return Outcome(found.task, dataset, models, metrics, decisions, repeats, scores, board, alignment, aligned)


def _aligned(
    alignment: pd.DataFrame, metrics: Sequence[Metric], decisions: Sequence[Decision], dataset: str, ratio: float
) -> pd.DataFrame:
    seeds = seed_taus(alignment)
    names = [metric.name for metric in metrics]
    parts = []
    for decision in decisions:
        matrices = seed_matrices(seeds[seeds["family"] == decision.family.name], "tau", [dataset], names)
        found = seed_intervals(matrices, ratio)[dataset]
        low, high = (np.clip(end, -1, 1) for end in found.interval())
        parts.append(
            pd.DataFrame(
                {
                    "family": decision.family.name, "metric": names, "mean": found.mean, "low": low, "high": high,
                    "defined": found.count, "repeats": len(matrices[dataset]),
                }
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)[ALIGNED_COLUMNS]
