"""The results of a case study, as its tables and figures read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.cases.case import Case, CaseInputs, Options

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.contracts.predictions import Cache
    from uqalign.data.table import Table
    from uqalign.metrics.metric import Metric


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that a case study has produced.

    Attributes:
        case: the declaration.
        models: names, in the order of the configuration.
        metrics: by name, under the configured protocol.
        switches: the case's protocol switches that are on.
        changed: options that the configuration changes.
        scores: rows as `contracts.scores.SCORE_COLUMNS` of all arms and models; `dataset` holds the arm.
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`; `dataset` holds the arm.
        statuses: of every fit: dataset, model, seed, fold, error, seconds.
        folds: folds that a mean over a seed has.
        datasets: names of the data sets of each arm.
        data, sides: files by data set.
        splits: files by (data set, block of seeds as in their names).
        predictions: files by (data set, model).
    """

    case: Case
    models: Sequence[str]
    metrics: Mapping[str, Metric]
    switches: frozenset[str]
    changed: Options
    scores: pd.DataFrame
    alignment: pd.DataFrame
    statuses: Sequence[Mapping[str, Any]]
    folds: int
    datasets: Mapping[str, Sequence[str]]
    data: Mapping[str, Path]
    sides: Mapping[str, Path]
    splits: Mapping[tuple[str, str], Path]
    predictions: Mapping[tuple[str, str], Sequence[Path]]

    def options(self, arm: str) -> Options:
        """Values of the options in an arm."""
        return self.case.options_of(self.case.arm(arm), self.changed)

    def table(self, dataset: str) -> Table:
        """The cleaned table of a data set."""
        from uqalign.data.table import read_table

        return read_table(self.data[dataset])

    def side(self, dataset: str) -> pd.DataFrame:
        """The side information of a data set, a row per row of its table."""
        from uqalign.cases.files.side import read_side

        return read_side(self.sides[dataset])

    def caches(self, dataset: str, model: str) -> list[Cache]:
        """The predictions of a model for a data set, one cache per range of seeds and folds."""
        from uqalign.contracts.predictions import read_predictions

        return [read_predictions(path) for path in self.predictions[dataset, model]]

    def inputs(self, arm: str, model: str) -> Iterator[CaseInputs]:
        """What the scores of a model in an arm were computed from, one range of seeds and folds after another."""
        from uqalign.cases.files.inputs import read_part
        from uqalign.data.splits import block_name

        chosen = self.case.arm(arm)
        datasets = self.datasets[arm]
        for files in zip(*(self.predictions[name, model] for name in datasets), strict=True):
            # .. /seeds-000-009/folds-1-5.parquet
            block = block_name(int(files[0].parent.name.split("-")[1]))
            parts = tuple(
                read_part(self.data[name], self.sides[name], self.splits[name, block], predictions)
                for name, predictions in zip(datasets, files, strict=True)
            )
            yield CaseInputs(self.case, chosen, self.options(arm), self.switches, self.metrics, parts)
