"""How sure a difference between two monitors is, when a cell is what repeats independently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from uqalign.superiority.study import CELL

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95
RESAMPLES = 10_000

PRIMARY = ("supercritical", "published")
TOLERANCE = 1e-3
"""Differences of macro-F1 below it count as none: ten pictures of ten thousand."""

Values = npt.NDArray[np.float64]
Outcome = Literal["flat", "rising", "peaked"]


@dataclass(frozen=True)
class Comparison:
    """A sample of paired differences and what it says about their centre.

    Intervals are at 95 %; p-values are two-sided; all are NaN where the sample allows none (one difference, or none
    that is not zero).

    Attributes:
        n, ties: differences, and those that are exactly zero (left out by both rank tests).
        t_low, t_high: of the mean, from Student's t.
        boot_low, boot_high: of the mean, percentiles of 10,000 resamples.
        wilcoxon, sign: signed-rank test and exact sign test.
    """

    n: int
    ties: int
    mean: float
    median: float
    sd: float
    t_low: float
    t_high: float
    boot_low: float
    boot_high: float
    wilcoxon: float
    sign: float


def compare(differences: Values) -> Comparison:
    """Location of paired differences (n,), by four routes.

    Raises:
        ValueError: no differences, or some that are not finite.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or not len(d) or not np.isfinite(d).all():
        raise ValueError("differences must be a non-empty list of finite numbers")
    nan = float("nan")
    sd = float(d.std(ddof=1)) if len(d) > 1 else nan
    t_low, t_high, boot_low, boot_high = nan, nan, nan, nan
    if len(d) > 1:
        half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(d) - 1)) * sd / np.sqrt(len(d))
        t_low, t_high = float(d.mean() - half), float(d.mean() + half)
        rng = np.random.default_rng(0)
        means = d[rng.integers(0, len(d), size=(RESAMPLES, len(d)))].mean(axis=1)
        boot_low, boot_high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    moved = d[d != 0]
    wilcoxon, sign = nan, nan
    if len(moved):
        wilcoxon = float(stats.wilcoxon(moved).pvalue)
        sign = float(stats.binomtest(int((moved > 0).sum()), len(moved)).pvalue)
    return Comparison(
        len(d),
        len(d) - len(moved),
        float(d.mean()),
        float(np.median(d)),
        sd,
        t_low,
        t_high,
        boot_low,
        boot_high,
        wilcoxon,
        sign,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment; NaN stays NaN and is not counted as a test."""
    p = np.asarray(p_values, dtype=np.float64)
    order = [int(i) for i in np.argsort(p) if np.isfinite(p[i])]
    adjusted = np.full(len(p), np.nan)
    running = 0.0
    for position, index in enumerate(order):
        running = max(running, min(1.0, (len(order) - position) * p[index]))
        adjusted[index] = running
    return [float(value) for value in adjusted]


def differences(selections: pd.DataFrame, outcome: str, base: str, first: str, second: str, unit: list[str]) -> Values:
    """Outcome at one grid point minus the outcome at another, averaged within each `unit`."""
    grid = selections[(selections["kind"] == "penalised") & (selections["base"] == base)]
    wide = grid.pivot_table(index=[*CELL, "seed", "mode"], columns="point", values=outcome)
    gap: Values = (wide[first] - wide[second]).groupby(level=unit).mean().to_numpy()
    return gap


def primary(selections: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    """Macro-F1 just above the infimal penalty against that at the published one, for both bases.

    Args:
        unit: what counts as independent: `CELL`, or a single run and mode (which overstates the evidence, because the
            modes read off one training run and the seeds of a cell share its data).

    Returns:
        a row per base: the fields of `Comparison`, and p-values adjusted for the two bases.
    """
    import dataclasses

    import pandas as pd

    rows = [
        {"base": base, **dataclasses.asdict(compare(differences(selections, "macro_f1", base, *PRIMARY, unit)))}
        for base in ("brier", "log")
    ]
    table = pd.DataFrame(rows)
    for test in ("wilcoxon", "sign"):
        table[f"{test}_holm"] = holm(table[test].tolist())
    return table


def outcome(macro_f1: dict[str, float]) -> Outcome:
    """Which of the three outcomes fixed in advance the means along the grid match.

    "peaked": some point between the infimal penalty and the limit beats both ends by more than a tolerance; "rising":
    the limit beats the point just above the infimal penalty by more than it; "flat": neither.

    Args:
        macro_f1: by grid point.
    """
    start, end = macro_f1["supercritical"], macro_f1["limit"]
    inside = [macro_f1[point] for point in ("published", "implemented") if point in macro_f1]
    if inside and max(inside) > max(start, end) + TOLERANCE:
        return "peaked"
    return "rising" if end > start + TOLERANCE else "flat"
