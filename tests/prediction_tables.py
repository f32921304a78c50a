"""Predictions of made-up models as tables of every layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from report_contents import FOLDS, MODELS, WIDTH, splits_of
from uqalign.predictions import to_columns
from uqalign.tasks import prediction_columns, target_columns

KEYS = ["seed", "fold", "row"]


def long_table(task: str, seeds: int = 2) -> pd.DataFrame:
    """All models below each other; rows are numbered over the test sets of a seed."""
    parts = []
    for model in MODELS:
        for split in splits_of(task, model, seeds):
            y = split.y if split.y.ndim > 1 else split.y[:, None]
            rows = len(y) * (split.fold - 1) + split.rows
            about = {"model": model, "seed": split.seed, "fold": split.fold, "row": rows}
            truth = dict(zip(target_columns(task, WIDTH[task]), y.T, strict=True))
            parts.append(pd.DataFrame({**about, **truth, **to_columns(task, split.prediction)}))
    return pd.concat(parts, ignore_index=True)


def wide_table(task: str, seeds: int = 2) -> pd.DataFrame:
    """All models side by side."""
    long = long_table(task, seeds)
    columns = prediction_columns(task, WIDTH[task])
    shared = [*KEYS, *target_columns(task, WIDTH[task])]
    wide = long[long["model"] == MODELS[0]][shared].reset_index(drop=True)
    for model in MODELS:
        own = long.loc[long["model"] == model, columns].reset_index(drop=True)
        wide = pd.concat([wide, own.add_suffix(f":{model}")], axis=1)
    return wide


def written(frame: pd.DataFrame, path: Path) -> Path:
    """The frame as the file that its name says."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    return path


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows in another order."""
    return frame.iloc[np.random.default_rng(0).permutation(len(frame))].reset_index(drop=True)


__all__ = ["FOLDS", "KEYS", "MODELS", "WIDTH", "long_table", "shuffled", "wide_table", "written"]
