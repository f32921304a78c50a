"""What the tests of the audit share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqalign.audit.means import fold_means
from uqalign.audit.settings import AUDITED
from uqalign.audit.taus import Aligner
from uqalign.families import published_thetas
from uqalign.metrics.registry import for_task
from uqalign.protocol.rankings import published_row_order


def aligner(task: str, measures: pd.DataFrame, folds: int = 2) -> Aligner:
    """The aligner of some measures."""
    models = published_row_order(measures["model"].unique().tolist())
    thetas = {family.name: drawn for family, drawn in published_thetas(task).items()}
    orientation = {name: for_task(task)[name].higher_is_better for name in AUDITED[task]}
    return Aligner(task, fold_means(measures, models, folds), thetas, orientation)


def frame(values: np.ndarray, metrics: tuple[str, ...], dataset: str = "d", family: str = "top_k") -> pd.DataFrame:
    """Taus of one data set and family from values (seeds, metrics)."""
    rows = [
        (dataset, "definitions", seed, family, metric, values[seed, i], 5, 5)
        for seed in range(len(values))
        for i, metric in enumerate(metrics)
    ]
    columns = ["dataset", "setting", "seed", "family", "metric", "tau", "defined", "decisions"]
    return pd.DataFrame(rows, columns=columns)
