"""What the audit's reports are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.audit.effects import effects
from uqalign.audit.files import read
from uqalign.audit.summaries import summarise_taus

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """The taus of a run.

    Attributes:
        taus: rows as `TAU_COLUMNS`, data sets in the order of the configuration.
        about: metadata of each data set's file.
        orders: what the job was told.
    """

    taus: pd.DataFrame
    about: Sequence[Mapping[str, Any]]
    orders: Mapping[str, Any]

    @classmethod
    def read(cls, paths: Sequence[Path], orders: Mapping[str, Any]) -> Results:
        """The results behind some files of taus.

        Raises:
            FileError: files that are missing, damaged or of another version.
        """
        taus, about = read(paths, "taus")
        return cls(taus, about, orders)

    @property
    def names(self) -> Mapping[str, str]:
        """Published names of our data sets, in the order of the configuration."""
        known = self.orders["published"]["names"]
        return {about["dataset"]: known[about["dataset"]] for about in self.about if about["dataset"] in known}

    @property
    def folds(self) -> int:
        """Folds of the cross-validation."""
        return int(self.about[0]["n_folds"])

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Medians and intervals."""
        return summarise_taus(self.taus)

    @cached_property
    def changes(self) -> pd.DataFrame:
        """The effect of every switch on every cell."""
        return effects(self.summary, {about["dataset"]: about["task"] for about in self.about})
