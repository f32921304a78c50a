"""Alignment of every metric under every setting, from one data set's measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from uqalign.agreement import pair_signs
from uqalign.audit.means import Means, Measure
from uqalign.audit.settings import DEFINITIONS, PUBLISHED, Setting, settings, variant_id
from uqalign.checks import FloatArray
from uqalign.families import Theta, theta_id
from uqalign.protocol import acting_on_metric, acting_on_utility, thetas_published
from uqalign.protocol.rankings import kendall_under, published_positions
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

RANKING = frozenset({"tau_row_order", "nan_last"})
"""Switches that act on the comparison of two rankings."""


@dataclass
class Aligner:
    """Taus of one data set; what several settings share is computed once.

    Attributes:
        task: the data set's task.
        means: fold means, models in the published order of rows.
        thetas: decisions per family name.
        higher_is_better: orientation of each metric.
    """

    task: Task
    means: Means
    thetas: Mapping[str, Sequence[Theta]]
    higher_is_better: Mapping[str, bool]
    _known: dict[tuple[Measure, Measure, frozenset[str]], FloatArray] = field(default_factory=dict)
    _ahead: dict[tuple[Measure, frozenset[str]], FloatArray] = field(default_factory=dict)

    def metric(self, name: str, setting: Setting) -> tuple[Measure, FloatArray]:
        """A metric's fold means (s, m) under a setting, and which measure they are of."""
        key = ("metric", name, "", variant_id(acting_on_metric(self.task, name, setting.switches)))
        return key, self._values(key, setting)

    def utilities(self, family: str, setting: Setting) -> list[tuple[Measure, FloatArray]]:
        """The fold means of each of the family's decisions under a setting."""
        variant = variant_id(acting_on_utility(family, setting.switches))
        drawn = self.thetas[family]
        taken = thetas_published(drawn) if "theta_label" in setting.switches else drawn
        keys: list[Measure] = [("utility", family, theta_id(theta), variant) for theta in taken]
        return [(key, self._values(key, setting)) for key in keys]

    def _values(self, key: Measure, setting: Setting) -> FloatArray:
        means = self.means.lenient if "nan_last" in setting.switches else self.means.strict
        missing = np.full((len(self.means.seeds), len(self.means.models)), math.nan)
        return means.get(key, missing)

    def taus(self, name: str, family: str, setting: Setting) -> FloatArray:
        """(s, t) Kendall's tau of a metric with each decision of a family in each seed."""
        metric, values = self.metric(name, setting)
        flags = setting.switches & RANKING
        columns = []
        for utility, against in self.utilities(family, setting):
            known = (metric, utility, flags)
            if known not in self._known:
                self._known[known] = self._compare(known, values, against, self.higher_is_better[name])
            columns.append(self._known[known])
        return np.stack(columns, axis=1)

    def _compare(
        self, known: tuple[Measure, Measure, frozenset[str]], metric: FloatArray, utility: FloatArray, higher: bool
    ) -> FloatArray:
        """(s,) Kendall's tau of one metric with one decision."""
        of_metric, of_utility, flags = known
        if np.isnan(metric).any() or np.isnan(utility).any():
            pairs = zip(metric, utility, strict=True)
            return np.array([kendall_under(m, u, flags, higher_is_better=higher) for m, u in pairs])
        return _tau_of_signs(
            self._signs(of_metric, flags, metric, higher), self._signs(of_utility, flags, utility, True)
        )

    def _signs(self, measure: Measure, flags: frozenset[str], values: FloatArray, higher: bool) -> FloatArray:
        """(s, p) which of each pair of models is ahead by a measure without NaN, under the ranking switches."""
        known = (measure, flags)
        if known not in self._ahead:
            self._ahead[known] = pair_signs(_ranked(values, flags, higher_is_better=higher)).astype(np.float64)
        return self._ahead[known]


def defined_mean(taus: FloatArray) -> FloatArray:
    """(s,) mean over the decisions (s, t) that have a tau; NaN if none has."""
    defined = ~np.isnan(taus)
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.where(defined, taus, 0.0).sum(axis=1) / defined.sum(axis=1)
    return mean


def all_taus(aligner: Aligner, metrics: Sequence[str]) -> pd.DataFrame:
    """Mean tau per setting, seed, family and metric: `TAU_COLUMNS` without the data set."""
    import pandas as pd

    frames = []
    for setting in settings(aligner.task):
        for family in aligner.thetas:
            for name in metrics:
                taus = aligner.taus(name, family, setting)
                columns = {
                    "setting": setting.name,
                    "seed": aligner.means.seeds,
                    "family": family,
                    "metric": name,
                    "tau": defined_mean(taus),
                    "defined": (~np.isnan(taus)).sum(axis=1),
                    "decisions": taus.shape[1],
                }
                frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _ranked(values: FloatArray, flags: frozenset[str], *, higher_is_better: bool) -> FloatArray:
    """Values (s, m) whose order is the one that the ranking switches compare; larger is better."""
    if "tau_row_order" not in flags:
        return values if higher_is_better else -values
    places = np.full(values.shape, math.nan)
    for row, line in zip(places, values, strict=True):
        kept = np.arange(len(line)) if "nan_last" in flags else np.flatnonzero(~np.isnan(line))
        row[kept] = -published_positions(line[kept], higher_is_better=higher_is_better)
    return places


def _tau_of_signs(metric: FloatArray, utility: FloatArray) -> FloatArray:
    """(s,) tau-b from the signs of pairs (s, p); NaN where either has no untied pair."""
    untied = np.abs(metric).sum(axis=1) * np.abs(utility).sum(axis=1)
    with np.errstate(invalid="ignore"):
        tau: FloatArray = (metric * utility).sum(axis=1) / np.sqrt(np.where(untied == 0, math.nan, untied))
    return tau


def medians_without(aligner: Aligner, metrics: Sequence[str]) -> pd.DataFrame:
    """Median tau with each model left out, under the definitions and as published: `WITHOUT_COLUMNS` less the data set.

    The other models keep their order, ties as resolved among all of them.
    """
    import pandas as pd

    rows = []
    models = aligner.means.models
    i, j = np.triu_indices(len(models), k=1)
    for setting in settings(aligner.task):
        if setting.name not in (DEFINITIONS, PUBLISHED):
            continue
        for name in metrics:
            flags, higher = setting.switches & RANKING, aligner.higher_is_better[name]
            metric = _ranked(aligner.metric(name, setting)[1], flags, higher_is_better=higher)
            for family in aligner.thetas:
                utilities = [
                    _ranked(values, flags, higher_is_better=True) for _, values in aligner.utilities(family, setting)
                ]
                for position, model in enumerate(models):
                    kept = (i != position) & (j != position)
                    taus = np.stack([_tau_of_pairs(metric, u, kept) for u in utilities], axis=1)
                    rows.append((setting.name, model, family, name, float(_median(defined_mean(taus)))))
    return pd.DataFrame(rows, columns=["setting", "without", "family", "metric", "median"])


def _tau_of_pairs(metric: FloatArray, utility: FloatArray, kept: np.ndarray) -> FloatArray:
    """(s,) tau-b over the `kept` pairs of models, pairs with an undefined value left out."""
    either = np.isnan(metric) | np.isnan(utility)
    signs = (pair_signs(np.where(either, math.nan, values))[:, kept] for values in (metric, utility))
    return _tau_of_signs(*(part.astype(np.float64) for part in signs))


def _median(values: FloatArray) -> float:
    defined = values[~np.isnan(values)]
    return float(np.median(defined)) if len(defined) else math.nan
