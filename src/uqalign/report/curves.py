"""Curves of one model on one data set: small enough to be drawn, averaged over test folds and repeats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from uqalign.checks import FloatArray, noted
from uqalign.contracts.predictions import SplitResult
from uqalign.families import CLASS, Family, families_of
from uqalign.metrics.curves import coverage_curve, regression_retention_curve, reliability_curve, retention_curve
from uqalign.predictions import Prediction
from uqalign.report.frames import CURVE_COLUMNS
from uqalign.tasks import CLASSIFICATION, Task

if TYPE_CHECKING:
    import pandas as pd

GRID: FloatArray = np.arange(1, 100, 2) / 100
"""Values of a decision's parameter: 0.01, 0.03, ..., 0.99."""

KEPT: FloatArray = np.arange(1, 41) / 40
"""Shares of rows kept: 0.025, 0.05, ..., 1."""

LEVELS: FloatArray = np.arange(1, 20) / 20
"""Levels of intervals: 0.05, 0.1, ..., 0.95."""

BINS = 10
MOST_REPEATS = 10
"""Repeats that curves are averaged over: the first ones of a run that has more."""

NEVER, ALWAYS = "never act", "always act"


class Line(NamedTuple):
    """What a curve shows: its kind, and the family and parameter of a decision curve."""

    curve: str
    family: str = ""
    parameter: str = ""
    model: str = ""


def decision_lines(
    families: Sequence[Family], y: FloatArray, prediction: Prediction, width: int
) -> Iterator[tuple[Line, FloatArray]]:
    """Realised utility of each family's decisions along each of its parameters, the others at their prior's mean.

    One-vs-rest decisions are averaged over the classes. Where acting pays off or not by a cost alone, the utilities
    of never and of always acting come along, as models of those names.
    """
    for family in families:
        for parameter in family.priors:
            line = Line("decision", family.name, parameter)
            yield line, _utilities(family, parameter, y, prediction, width)
            if parameter == "c":
                rates = np.array([np.mean(y == j) for j in range(width)]) if CLASS in family.parameters else y.mean()
                share = np.atleast_1d(rates)[:, None]
                yield line._replace(model=NEVER), -((1 - GRID) * share).mean(axis=0)
                yield line._replace(model=ALWAYS), -(GRID * (1 - share)).mean(axis=0)


def _utilities(family: Family, parameter: str, y: FloatArray, prediction: Prediction, width: int) -> FloatArray:
    fixed = {name: prior.mean for name, prior in family.priors.items() if name != parameter}
    classes = range(width) if CLASS in family.parameters else [None]
    values = np.empty((len(classes), len(GRID)))
    for i, j in enumerate(classes):
        chosen = {} if j is None else {CLASS: j}
        for k, value in enumerate(GRID):
            theta = {**chosen, **fixed, parameter: float(value)}
            values[i, k] = noted(family.evaluate, y, prediction, theta)[0]
    means: FloatArray = values.mean(axis=0)
    return means


def _marginals(task: Task, y: FloatArray, prediction: Prediction) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Target, mean and variance of every coordinate."""
    if task == "regression":
        return [(y, *prediction)]  # type: ignore[list-item]
    mean, cov = prediction
    return [(y[:, d], mean[:, d], cov[:, d, d]) for d in range(y.shape[1])]


def quality_lines(task: Task, y: FloatArray, prediction: Prediction) -> Iterator[tuple[Line, FloatArray]]:
    """Retention of every task, and coverage of regressions (means over the coordinates)."""
    if task in CLASSIFICATION:
        curves = [retention_curve(y, *prediction)]
    else:
        parts = _marginals(task, y, prediction)
        curves = [regression_retention_curve(*part) for part in parts]
        covered = [coverage_curve(*part, levels=LEVELS.tolist())["empirical"].to_numpy() for part in parts]
        yield Line("coverage"), np.mean(covered, axis=0)
    retained = [np.interp(KEPT, curve["kept"], curve["retained"]) for curve in curves]
    yield Line("retention"), np.mean(retained, axis=0)


_X: Mapping[str, FloatArray] = {"decision": GRID, "retention": KEPT, "coverage": LEVELS}


def _with_bands(line: Line, by_seed: Mapping[int, list[FloatArray]]) -> pd.DataFrame:
    """Mean over folds, then over repeats, with quantiles over the repeats."""
    import pandas as pd

    repeats = np.array([np.mean(folds, axis=0) for folds in by_seed.values()])
    low, high = (
        np.quantile(repeats, [0.05, 0.95], axis=0) if len(repeats) > 1 else np.full((2, repeats.shape[1]), np.nan)
    )
    return pd.DataFrame(
        {
            "curve": line.curve, "family": line.family, "parameter": line.parameter, "model": line.model,
            "x": _X[line.curve], "y": repeats.mean(axis=0), "low": low, "high": high, "rows": np.nan,
        }
    )  # fmt: skip


def _reliability(sums: FloatArray, repeats: int) -> pd.DataFrame:
    """Bins with rows, from summed counts, forecasts and events (BINS, 3)."""
    import pandas as pd

    some = sums[sums[:, 0] > 0]
    return pd.DataFrame(
        {
            "curve": "reliability", "family": "", "parameter": "", "model": "", "x": some[:, 1] / some[:, 0],
            "y": some[:, 2] / some[:, 0], "low": np.nan, "high": np.nan, "rows": some[:, 0] / repeats,
        }
    )  # fmt: skip


def model_curves(
    task: Task,
    width: int,
    splits: Iterable[SplitResult],
    names: Mapping[str, Any],
    families: Sequence[Family] | None = None,
) -> pd.DataFrame:
    """Every curve of one model on one data set.

    Reliability pools all rows (of several classes, the most probable one); the others are means over test folds and
    repeats. Splits without predictions are left out, and so are repeats beyond the first `MOST_REPEATS`.

    Args:
        width: classes or target coordinates.
        splits: the model's predictions.
        names: task, dataset and model.
        families: whose decisions, with their priors; by default the task's.

    Returns:
        columns `CURVE_COLUMNS`; the references of decision curves under their own names.
    """
    import pandas as pd

    taken = families_of(task) if families is None else families
    found: dict[Line, dict[int, list[FloatArray]]] = {}
    bins, seeds = np.zeros((BINS, 3)), set[int]()
    for split in splits:
        if split.prediction is None or (split.seed not in seeds and len(seeds) == MOST_REPEATS):
            continue
        seeds.add(split.seed)
        for line, values in (
            *decision_lines(taken, split.y, split.prediction, width),
            *quality_lines(task, split.y, split.prediction),
        ):
            found.setdefault(line, {}).setdefault(split.seed, []).append(values)
        if task in CLASSIFICATION:
            curve = reliability_curve(split.y, *split.prediction, n_bins=BINS, view="top_label")
            weight = curve["weight"].to_numpy()
            bins += np.column_stack([weight, *(weight * curve[c].fillna(0) for c in ("forecast", "observed"))])
    if not seeds:
        return pd.DataFrame(columns=CURVE_COLUMNS)
    frames = [_with_bands(line, by_seed) for line, by_seed in found.items()]
    if task in CLASSIFICATION:
        frames.append(_reliability(bins, len(seeds)))
    frame = pd.concat(frames, ignore_index=True).assign(task=names["task"], dataset=names["dataset"])
    frame["model"] = frame["model"].where(frame["model"] != "", names["model"])
    return frame[CURVE_COLUMNS]
