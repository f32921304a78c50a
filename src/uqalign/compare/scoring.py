"""Metrics and realised utilities of predictions from files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from uqalign.cases.case import CaseSplit
from uqalign.checks import FloatArray, exact_sum, noted
from uqalign.compare.decisions import Decision
from uqalign.compare.matching import Keys, Stack, keys_of, stacked
from uqalign.compare.predictions import Predictions
from uqalign.compare.rows import ModelRows, read_rows
from uqalign.compare.sheets import Sheet, read_sheets
from uqalign.contracts.scores import SCORE_COLUMNS
from uqalign.errors import UserError
from uqalign.files import FileError
from uqalign.metrics.metric import Metric, fixed
from uqalign.metrics.registry import for_task, get
from uqalign.priors import Prior
from uqalign.registry import did_you_mean
from uqalign.tasks import Task

PRIOR_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "c": {"pwu_c": "prior", "pwu_jc": "prior"},
    "k": {"pwu_k": "prior", "pwu_phi": "prior_k", "pwu_phi_residual": "prior_k"},
    "lambda": {"pwu_lambda": "prior"},
    "gamma": {"pwu_phi": "prior_aversion", "pwu_phi_residual": "prior_aversion"},
}
"""Decision parameter -> the metrics that average over it, and the option that holds its prior."""


def chosen_metrics(
    task: Task, names: Iterable[str] | None = None, priors: Mapping[str, Prior] | None = None
) -> list[Metric]:
    """The named metrics of `task` (default: all) under the given priors of c, k, lambda or gamma.

    Raises:
        UserError: a prior of a parameter that no chosen metric averages over.
        UnknownNameError: no such metric.
    """
    members = for_task(task)
    chosen = list(members.values()) if names is None else [get(task, name) for name in dict.fromkeys(names)]
    used = [key for key, users in PRIOR_OPTIONS.items() if any(metric.name in users for metric in chosen)]
    for parameter in priors or {}:
        if parameter not in used:
            what = did_you_mean(parameter, used) if used else "none of the metrics has a prior"
            raise UserError(f"no {task} metric averages over {parameter!r}: {what}")
    return with_priors(chosen, priors or {})


def with_priors(metrics: Iterable[Metric], priors: Mapping[str, Prior]) -> list[Metric]:
    """The metrics, averaging over given priors of c, k, lambda or gamma where they have such a prior."""
    changed = []
    for metric in metrics:
        users = {name: PRIOR_OPTIONS[name] for name in priors if metric.name in PRIOR_OPTIONS[name]}
        options = {option[metric.name]: priors[name] for name, option in users.items()}
        changed.append(replace(metric, options=fixed(**{**metric.options, **options})) if options else metric)
    return changed


def measures(
    found: Predictions,
    metrics: Sequence[Metric],
    decisions: Sequence[Decision],
    *,
    dataset: str,
    told: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Every metric and every realised utility of every model on every test set.

    Args:
        dataset: name of the data.
        told: called with the name of each model before it is scored.

    Returns:
        columns `contracts.scores.SCORE_COLUMNS`; seed holds the labels of the repeats, fold counts from 0.
    """
    rows: list[tuple[Any, ...]] = []
    sides = None if found.side is None else [found.side.iloc[a:b].reset_index(drop=True) for *_, a, b in found.bounds]
    for model in found.models:
        told(model)
        for i, split in enumerate(found.splits(model)):
            assert split.prediction is not None
            key = (found.task, dataset, model, found.repeats.labels[split.seed], split.fold)
            for metric in metrics:
                value, note = noted(metric.evaluate, split.y, split.prediction)
                rows.append((*key, "metric", metric.name, "", value, note))
            seen = CaseSplit(
                arm="", seed=split.seed, fold=split.fold, y=split.y, prediction=split.prediction,
                side=pd.DataFrame() if sides is None else sides[i], y_train=split.y[:0],
                side_train=pd.DataFrame() if sides is None else sides[i][:0], options={}, switches=frozenset(),
            )  # fmt: skip
            for decision in decisions:
                for theta, value, note in decision.utilities(seen):
                    rows.append((*key, "utility", decision.family.name, theta, value, note))
    return pd.DataFrame(rows, columns=SCORE_COLUMNS)


def score_file(
    path: Path,
    task: Task,
    metrics: Sequence[Metric],
    *,
    columns: Sequence[str] = (),
    labels: Sequence[str] | None = None,
    weight: str | None = None,
) -> pd.DataFrame:
    """Every metric of every model in a file, whatever rows each was tested on.

    Args:
        columns: `NAME=COLUMN` for columns that the file calls otherwise.
        labels: classes in column order, as text (default: y holds 0, 1, ...).
        weight: column of sample weights.

    Returns:
        One row per model and metric: model, metric, value (mean over seeds and folds; NaN if undefined in any
        of them), higher_is_better, groups (number of seeds and folds averaged), undefined (how many of them),
        note.

    Raises:
        UserError: columns that are missing or mixed up, or values that no metric can score; names the place.
    """
    sheets = read_sheets([path], columns)
    if weight is not None:
        sheets = [_weighed(sheet, weight) for sheet in sheets]
    _, found = read_rows(sheets, task, labels)
    keys = keys_of(sheets)
    rows: list[dict[str, Any]] = []
    for part in found:
        stack = stacked(part.part.model, [part], keys)
        weights = None if weight is None else _weights(part, stack, weight)
        rows += [_summary(part.part.model, metric, _values(metric, stack, keys, weights)) for metric in metrics]
    return pd.DataFrame(rows)


def _weighed(sheet: Sheet, weight: str) -> Sheet:
    """The file without rows of weight 0, which count as absent and may hold anything."""
    if weight not in sheet.frame:
        columns = [str(column) for column in sheet.frame.columns]
        raise FileError(f"{sheet.path}: --weight needs the column {weight!r}: {did_you_mean(weight, columns)}")
    weights = sheet.numbers(weight)
    sheet.refuse(weight, ~(np.isfinite(weights) & (weights >= 0)), "weights must be finite and >= 0")
    if not weights.any():
        raise FileError(f"{sheet.path}: {weight} is zero everywhere: no row is left to score")
    return Sheet(sheet.path, sheet.frame[weights > 0], sheet.called)


def _weights(part: ModelRows, stack: Stack, weight: str) -> FloatArray:
    values = part.part.sheet.numbers(weight)
    return (values if part.part.index is None else values[part.part.index])[stack.order]


def _values(metric: Metric, stack: Stack, keys: Keys, weights: FloatArray | None) -> Iterator[tuple[float, str]]:
    """The metric on every (seed, fold), and what it warned of."""
    starts = np.flatnonzero(np.diff(stack.group, prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(stack.group)], strict=True):
        part = slice(start, end)
        try:
            yield noted(
                metric.evaluate,
                stack.y[part],
                tuple(array[part] for array in stack.prediction),
                sample_weight=None if weights is None else weights[part],
            )
        except ValueError as error:
            where = f"model {stack.model!r}, {keys.label(int(stack.group[start]))}"
            raise UserError(f"{where}: {metric.name}: {error}") from error


def _summary(model: str, metric: Metric, results: Iterable[tuple[float, str]]) -> dict[str, Any]:
    found = list(results)
    values = np.array([value for value, _ in found])
    notes = dict.fromkeys(note for _, note in found if note)
    return {
        "model": model,
        "metric": metric.name,
        "value": exact_sum(values) / len(values),
        "higher_is_better": metric.higher_is_better,
        "groups": len(values),
        "undefined": int(np.isnan(values).sum()),
        "note": " | ".join(notes),
    }
