"""From the rows of a run to one matrix of seeds by metrics per data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqalign.checks import FloatArray
from uqalign.inference.resampled import ResampledMean, resampled_mean

if TYPE_CHECKING:
    import pandas as pd


def seed_matrices(
    seeds: pd.DataFrame, agreement: str, datasets: Sequence[str], metrics: Sequence[str]
) -> dict[str, FloatArray]:
    """Per data set, (seeds, metrics) agreement with one family; NaN where undefined.

    Args:
        seeds: output of `alignment.seed_means`, one family.
        agreement: the column to take.
        datasets, metrics: their order; data sets without a row are left out. Without any row, all data sets have one
            seed without values.
    """
    present = set(seeds["dataset"])
    if not present:
        return {name: np.full((1, len(metrics)), np.nan) for name in datasets}
    wide = seeds.pivot(index=["dataset", "seed"], columns="metric", values=agreement).reindex(columns=list(metrics))
    return {name: wide.loc[name].to_numpy(dtype=float) for name in datasets if name in present}


def seed_intervals(matrices: Mapping[str, FloatArray], test_train_ratio: float) -> dict[str, ResampledMean]:
    """Mean over seeds of every metric on every data set, with its corrected resampled standard error.

    Args:
        matrices: (seeds, metrics) per data set.
        test_train_ratio: n_test / n_train of one split.
    """
    return {name: resampled_mean(values.T, test_train_ratio=test_train_ratio) for name, values in matrices.items()}
