"""Prediction tables of one or several models, and the table of their scores.

A table has the target `y` (multivariate: `y_0 ..`) and, per model, the prediction columns of its task:

    binary        p
    multiclass    p_0 p_1 ..
    regression    mu and var, or mu and std
    multivariate  mu_0 .., cov_0_0 cov_1_0 cov_1_1 .. (lower triangle)

Several models lie side by side as `p:modelA p:modelB ..`, or below each other with a column `model`. Rows may
carry `seed` and `fold`: every combination is then scored alone and the values averaged.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from uqalign.checks import FloatArray, exact_sum, noted, refuse
from uqalign.errors import UserError
from uqalign.files import FileError
from uqalign.metrics.metric import Metric, fixed
from uqalign.metrics.registry import for_task, get
from uqalign.predictions import from_columns
from uqalign.priors import Prior
from uqalign.registry import did_you_mean
from uqalign.tasks import CLASSIFICATION, Task, prediction_columns, target_columns

GROUPS = ("seed", "fold")
PRIOR_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "c": {"pwu_c": "prior", "pwu_jc": "prior"},
    "k": {"pwu_k": "prior", "pwu_phi": "prior_k", "pwu_phi_residual": "prior_k"},
    "lambda": {"pwu_lambda": "prior"},
    "gamma": {"pwu_phi": "prior_aversion", "pwu_phi_residual": "prior_aversion"},
}
"""Decision parameter -> the metrics that average over it, and the option that holds its prior."""

_BASES: Mapping[Task, str] = {
    "binary": r"p",
    "multiclass": r"p_\d+",
    "regression": r"mu|var|std",
    "multivariate": r"mu_\d+|cov_\d+_\d+",
}


def read_table(path: Path) -> pd.DataFrame:
    """A CSV or Parquet file as a frame.

    Raises:
        FileError: missing, unreadable, empty, or of another type.
    """
    if not path.exists():
        raise FileError(f"{path} does not exist")
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise FileError(f"{path}: predictions are read from .csv or .parquet files, not {suffix or 'this'}")
    try:
        frame = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    if frame.empty:
        raise FileError(f"{path} holds no rows")
    return frame


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
    for parameter, prior in (priors or {}).items():
        if parameter not in used:
            what = did_you_mean(parameter, used) if used else "none of the metrics has a prior"
            raise UserError(f"no {task} metric averages over {parameter!r}: {what}")
        users = PRIOR_OPTIONS[parameter]
        chosen = [
            replace(m, options=fixed(**{**m.options, users[m.name]: prior})) if m.name in users else m for m in chosen
        ]
    return chosen


def split_models(frame: pd.DataFrame, task: Task, unnamed: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each model's rows with plain column names, in the order of the table.

    Args:
        unnamed: name of the only model of a table that names none.

    Raises:
        FileError: a table that mixes the layouts.
    """
    wide = [re.fullmatch(rf"({_BASES[task]}):(.+)", str(column)) for column in frame.columns]
    named = {match.string: (match[1], match[2]) for match in wide if match}
    plain = [column for column in frame.columns if re.fullmatch(_BASES[task], str(column))]
    if not named:
        if "model" in frame:
            _require_filled(frame, ["model"])
            yield from ((str(name), part) for name, part in frame.groupby("model", sort=False))
        else:
            yield unnamed, frame
        return
    if plain or "model" in frame:
        mixed = plain[0] if plain else "model"
        raise FileError(
            f"the table has columns {mixed!r} and {next(iter(named))!r}: name models in every prediction "
            "column, or in one column 'model', not both"
        )
    for model in dict.fromkeys(model for _, model in named.values()):
        columns = {column: base for column, (base, owner) in named.items() if owner == model}
        yield model, frame.drop(columns=[c for c in named if c not in columns]).rename(columns=columns)


def _width(frame: pd.DataFrame, task: Task) -> int:
    pattern = r"p_\d+" if task == "multiclass" else r"mu_\d+"
    return sum(bool(re.fullmatch(pattern, str(column))) for column in frame.columns)


def _require(frame: pd.DataFrame, names: Sequence[str], task: Task) -> None:
    missing = [name for name in names if name not in frame]
    if missing:
        found = [str(column) for column in frame.columns]
        unused = [column for column in found if column not in (*names, *GROUPS, "model")]
        close = difflib.get_close_matches(missing[0], unused, n=1, cutoff=0.35)
        raise FileError(
            f"a {task} table needs the column {missing[0]!r} ({', '.join(names)}); "
            f"found {', '.join(found)}" + (f": rename {close[0]!r}?" if close else "")
        )


def _require_filled(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse rows that grouping would silently leave out."""
    for name in names:
        empty = np.flatnonzero(frame[name].isna())
        if len(empty):
            raise FileError(f"row {frame.index[empty[0]]} has no {name!r}: fill the column in every row")


def read_columns(
    frame: pd.DataFrame, task: Task, labels: Sequence[str] | None = None
) -> tuple[Any, tuple[FloatArray, ...]]:
    """Targets and prediction of one model's rows.

    Args:
        labels: classes in column order, as text.

    Raises:
        FileError: missing columns (says which were found).
        ValueError: a label that is not among `labels`, a negative standard deviation.
    """
    width = _width(frame, task) if task in ("multiclass", "multivariate") else 1
    if task == "regression" and "std" in frame and "var" not in frame:
        _require(frame, ["y", "mu", "std"], task)
        std = frame["std"].to_numpy(dtype=np.float64)
        refuse("std", std, std < 0, ">= 0")
        frame = frame.assign(var=std**2)
    least = {"multiclass": 3, "multivariate": 1}.get(task, 1)
    wanted = max(width, least)
    _require(frame, [*target_columns(task, wanted), *prediction_columns(task, wanted)], task)
    prediction = from_columns(task, frame, width)
    if task == "multivariate":
        return frame[target_columns(task, width)].to_numpy(dtype=np.float64), prediction
    if task in CLASSIFICATION and labels is None and not pd.api.types.is_numeric_dtype(frame["y"]):
        raise FileError(
            f"y holds text such as {frame['y'].iloc[0]!r}: name the classes in column order (--labels no,yes)"
        )
    if task in CLASSIFICATION and labels is not None:
        n_classes = 2 if task == "binary" else width
        if len(labels) != n_classes or len(set(labels)) != n_classes:
            raise FileError(f"labels must name the {n_classes} classes in column order, got {list(labels)}")
        codes = frame["y"].astype(str).map({label: code for code, label in enumerate(labels)})
        if codes.isna().any():
            row = int(np.flatnonzero(codes.isna())[0])
            raise ValueError(f"y[{row}] = {frame['y'].iloc[row]!r} is not one of the classes {list(labels)}")
        return codes.to_numpy(dtype=np.float64), prediction
    return frame["y"].to_numpy(), prediction


def score_table(
    frame: pd.DataFrame,
    task: Task,
    metrics: Sequence[Metric],
    *,
    unnamed: str = "model",
    labels: Sequence[str] | None = None,
    weight: str | None = None,
) -> pd.DataFrame:
    """Every metric of every model.

    Args:
        frame: predictions, laid out as this module describes.
        task: binary, multiclass, regression or multivariate.
        metrics: what to compute.
        unnamed: name of the only model of a table that names none.
        labels: classes in column order, as text (default: y holds 0, 1, ...).
        weight: column of sample weights.

    Returns:
        One row per model and metric: model, metric, value (mean over seeds and folds; NaN if undefined in any
        of them), higher_is_better, groups (number of seeds and folds averaged), undefined (how many of them),
        note.

    Raises:
        FileError: columns that are missing or mixed up.
        UserError: values that no metric can score, with the model, seed and fold they are in.
    """
    rows = []
    for model, part in split_models(frame, task, unnamed):
        keys = [key for key in GROUPS if key in part]
        _require_filled(part, keys)
        groups = part.groupby(keys, sort=True) if keys else [((), part)]
        results: dict[str, list[tuple[float, str]]] = {metric.name: [] for metric in metrics}
        for key, group in groups:
            where = ", ".join([f"model {model!r}", *(f"{k} {v}" for k, v in zip(keys, key, strict=True))])
            try:
                if weight is not None:
                    _require(group, [weight], task)
                weights = None if weight is None else group[weight].to_numpy()
                y, prediction = read_columns(group, task, labels)
                for metric in metrics:
                    results[metric.name].append(noted(metric.evaluate, y, prediction, sample_weight=weights))
            except FileError:
                raise
            except ValueError as error:
                raise UserError(f"{where}: {error}") from error
        rows += [_summary(model, metric, results[metric.name]) for metric in metrics]
    return pd.DataFrame(rows)


def _summary(model: str, metric: Metric, results: list[tuple[float, str]]) -> dict[str, Any]:
    values = np.array([value for value, _ in results])
    notes = dict.fromkeys(note for _, note in results if note)
    return {
        "model": model,
        "metric": metric.name,
        "value": exact_sum(values) / len(values),
        "higher_is_better": metric.higher_is_better,
        "groups": len(values),
        "undefined": int(np.isnan(values).sum()),
        "note": " | ".join(notes),
    }
