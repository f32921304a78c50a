"""Mean ranks of models over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def mean_ranks(standings: pd.DataFrame, family: str) -> pd.Series[float]:
    """Mean rank by realised utility over the data sets, the best first (1 is best; ties share a rank).

    Only models with a value on every data set are ranked.

    Args:
        standings: rows as `frames.STANDING_COLUMNS`.
        family: a decision family.
    """
    part = standings[(standings["kind"] == "utility") & (standings["name"] == family)]
    wide = part.pivot_table(index="model", columns="dataset", values="mean", sort=False, dropna=False)
    complete = wide.dropna(axis="columns", how="all").dropna()
    return complete.rank(ascending=False).mean(axis="columns").sort_values(kind="stable")
