"""What metrics are held against besides Kendall's tau with their family's decisions: other priors, other agreements,
and the money of the case studies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from uqalign.agreement import AGREEMENTS
from uqalign.audit.claimed_cases import CASES
from uqalign.audit.settings import DEFINITIONS, PUBLISHED

if TYPE_CHECKING:
    import pandas as pd

Yardstick = Literal["tau", "top_1", "top_3", "pearson", "base", "slight", "strong", "extreme", "money"]
"""tau: Kendall's tau with the family's decisions, as in the published tables. top_1, top_3, pearson: another agreement
with them. base, slight, strong, extreme: Kendall's tau with decisions drawn from the prior of this level. money:
Kendall's tau with the realised utility of a case study."""

YARDSTICK_COLUMNS = ["dataset", "setting", "yardstick", "seed", "family", "metric", "tau"]
"""One row per yardstick, seed and metric: mean agreement over the decisions that have one, as `tau`. setting: the name
of the setting that the run's own protocol is, "" if it is none."""

SOURCES: Mapping[Yardstick, str] = MappingProxyType(
    {
        "top_1": "results/alignment",
        "top_3": "results/alignment",
        "pearson": "results/alignment",
        "base": "results/sensitivity/levels",
        "slight": "results/sensitivity/levels",
        "strong": "results/sensitivity/levels",
        "extreme": "results/sensitivity/levels",
        "money": "results/cases",
    }
)
"""Where the files of each yardstick lie, but for tau under every setting, which the audit computes itself."""


def by_agreement(alignment: pd.DataFrame, settings: Mapping[str, str]) -> pd.DataFrame:
    """The agreements other than tau.

    Args:
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`.
        settings: the setting under which each data set was aligned; data sets without one are left out.

    Returns:
        rows as `YARDSTICK_COLUMNS`.
    """
    import pandas as pd

    from uqalign.alignment import seed_means

    parts = [
        seed_means(alignment, agreement).rename(columns={agreement: "tau"}).assign(yardstick=agreement)
        for agreement in AGREEMENTS
        if agreement in SOURCES
    ]
    return _under(pd.concat(parts, ignore_index=True), settings)


def by_level(levels: pd.DataFrame, settings: Mapping[str, str]) -> pd.DataFrame:
    """Kendall's tau with the decisions drawn from the priors of each level.

    Args:
        levels: rows as `contracts.sensitivity.LEVEL_COLUMNS`.
        settings: the setting under which each data set was aligned; data sets without one are left out.

    Returns:
        rows as `YARDSTICK_COLUMNS`.
    """
    from uqalign.sensitivity.summary import level_taus

    means = level_taus(levels[levels["source"] == "draws"])
    return _under(means.rename(columns={"level": "yardstick"}), settings)


def by_money(alignment: pd.DataFrame, settings: Mapping[str, str]) -> pd.DataFrame:
    """Kendall's tau with the realised utility of case studies.

    Args:
        alignment: rows as `contracts.alignment.ALIGNMENT_COLUMNS`: family is a case study, dataset one of its arms.
        settings: the setting under which each case study was aligned; those without one are left out.

    Returns:
        rows as `YARDSTICK_COLUMNS`, under the claims' names of utilities and data.
    """
    import pandas as pd

    from uqalign.alignment import seed_taus

    taus = seed_taus(alignment)
    parts = [
        taus[(taus["family"] == name) & (taus["dataset"] == arm)].assign(
            yardstick="money", setting=settings[name], family=case.family, dataset=data
        )
        for name, case in CASES.items()
        if name in settings
        for arm, data in case.arms.items()
    ]
    return pd.concat(parts, ignore_index=True)[YARDSTICK_COLUMNS] if parts else pd.DataFrame(columns=YARDSTICK_COLUMNS)


def _under(means: pd.DataFrame, settings: Mapping[str, str]) -> pd.DataFrame:
    means = means[means["dataset"].isin(list(settings))]
    return means.assign(setting=means["dataset"].map(settings))[YARDSTICK_COLUMNS]


def why_lacking(taus: pd.DataFrame, setting: str) -> dict[Yardstick, str]:
    """Why a run has nothing by a yardstick under a setting, for each yardstick of which that is so.

    Args:
        taus: rows as `YARDSTICK_COLUMNS`.
        setting: name of a setting.
    """
    reasons: dict[Yardstick, str] = {}
    for yardstick, folder in SOURCES.items():
        found = set(taus.loc[taus["yardstick"] == yardstick, "setting"])
        if not found:
            reasons[yardstick] = f"nothing that it is about is in {folder}"
        elif setting not in found:
            own = " and ".join(sorted(_TITLES.get(name, "a protocol between the two") for name in found))
            reasons[yardstick] = f"{folder} follows the protocol of the configuration alone, here {own}"
    return reasons


_TITLES = {DEFINITIONS: "the definitions", PUBLISHED: "the published protocol"}
