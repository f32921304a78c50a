"""What a claim is judged by: medians and drawn medians of every data set and family, under one protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from uqalign.audit.published import metrics_of, published_tables
from uqalign.audit.settings import AUDITED
from uqalign.audit.summaries import Block, block_of
from uqalign.families import FAMILIES

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Evidence:
    """Blocks of taus by family and data set (by its published name where it has one).

    Attributes:
        blocks: per (family, data set).
        sampled: whether the blocks come from seeds, so that it can be said how sure they are.
    """

    blocks: Mapping[tuple[str, str], Block]
    sampled: bool

    def of(self, family: str, datasets: Sequence[str] = ()) -> dict[str, Block]:
        """Blocks of one family by data set; of all its data sets unless some are named."""
        found = {dataset: block for (name, dataset), block in self.blocks.items() if name == family}
        return {name: block for name, block in found.items() if not datasets or name in datasets}


def evidence_under(taus: pd.DataFrame, setting: str, names: Mapping[str, str], folds: int) -> Evidence:
    """The evidence of a run under one setting.

    Args:
        taus: rows as `TAU_COLUMNS`.
        setting: name of a setting.
        names: published names of our data sets; of two that share one, the first counts.
        folds: folds of the cross-validation.
    """
    blocks: dict[tuple[str, str], Block] = {}
    chosen = taus[taus["setting"] == setting]
    for (dataset, family), part in chosen.groupby(["dataset", "family"], sort=False):
        metrics = metrics_of(str(family)) or AUDITED[FAMILIES[str(family)].task]
        key = (str(family), names.get(str(dataset), str(dataset)))
        blocks.setdefault(key, block_of(part, metrics, folds))
    return Evidence(blocks, sampled=True)


def printed() -> Evidence:
    """The evidence of the published tables: medians without draws."""
    blocks = {}
    for (family, dataset), part in published_tables().groupby(["family", "dataset"], sort=False):
        medians = part["median"].to_numpy()
        blocks[str(family), str(dataset)] = Block(tuple(part["metric"]), medians, np.empty((0, len(medians))), 100)
    return Evidence(blocks, sampled=False)
