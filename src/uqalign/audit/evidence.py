"""What a claim is judged by: medians and drawn medians by yardstick, family and data set, under one protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from uqalign.audit.claimed_cases import CASES
from uqalign.audit.published import metrics_of, published_tables
from uqalign.audit.settings import AUDITED
from uqalign.audit.summaries import Block, block_of
from uqalign.audit.yardsticks import SOURCES, YARDSTICK_COLUMNS, Yardstick, why_lacking
from uqalign.families import FAMILIES

if TYPE_CHECKING:
    import pandas as pd


Key = tuple[Yardstick, str, str]

_CASES = {case.family: case for case in CASES.values()}

NOT_RUN = "no data set of it was run"
FIGURES_ONLY = "the paper shows it in figures, without numbers"


@dataclass(frozen=True)
class Evidence:
    """Blocks of taus by family and data set (by its published name where it has one).

    Attributes:
        blocks: per (yardstick, family, data set).
        sampled: whether the blocks come from seeds, so that it can be said how sure they are.
        lacking: why there is nothing by some yardsticks.
    """

    blocks: Mapping[Key, Block]
    sampled: bool
    lacking: Mapping[Yardstick, str] = field(default_factory=dict)

    def of(self, family: str, datasets: Sequence[str] = (), by: Yardstick = "tau") -> dict[str, Block]:
        """Blocks of one family by data set; of all its data sets unless some are named."""
        found = {dataset: block for (*key, dataset), block in self.blocks.items() if key == [by, family]}
        return {name: block for name, block in found.items() if not datasets or name in datasets}

    def why_not(self, by: Yardstick = "tau") -> str:
        """Why there are no blocks by a yardstick."""
        return self.lacking.get(by, NOT_RUN)


def evidence_under(
    taus: pd.DataFrame, setting: str, names: Mapping[str, str], folds: int, others: pd.DataFrame | None = None
) -> Evidence:
    """The evidence of a run under one setting.

    Args:
        taus: rows as `TAU_COLUMNS`.
        setting: name of a setting.
        names: published names of our data sets; of two that share one, the first counts.
        folds: folds of the cross-validation.
        others: rows as `YARDSTICK_COLUMNS`; none if the run has no other yardsticks than tau.
    """
    import pandas as pd

    if others is None:
        others = pd.DataFrame(columns=YARDSTICK_COLUMNS)
    blocks: dict[Key, Block] = {}
    for frame in (taus.assign(yardstick="tau"), others):
        chosen = frame[frame["setting"] == setting]
        for (yardstick, dataset, family), part in chosen.groupby(["yardstick", "dataset", "family"], sort=False):
            case = _CASES.get(str(family))
            metrics = metrics_of(str(family)) or AUDITED[(case or FAMILIES[str(family)]).task]
            key = (cast(Yardstick, yardstick), str(family), names.get(str(dataset), str(dataset)))
            blocks.setdefault(key, block_of(part, metrics, 1 if case and case.redrawn else folds))
    return Evidence(blocks, sampled=True, lacking=why_lacking(others, setting))


def printed() -> Evidence:
    """The evidence of the published tables: medians without draws."""
    blocks: dict[Key, Block] = {}
    for (family, dataset), part in published_tables().groupby(["family", "dataset"], sort=False):
        medians = part["median"].to_numpy()
        block = Block(tuple(part["metric"]), medians, np.empty((0, len(medians))), 100)
        blocks["money" if family in _CASES else "tau", str(family), str(dataset)] = block
    return Evidence(blocks, sampled=False, lacking=dict.fromkeys(SOURCES, FIGURES_ONLY))
