"""What the study runs: the `superiority` section of a configuration."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from uqalign.strict import Strict

RegimeName = Literal["full", "subset", "noisy", "hard"]
REGIMES: tuple[RegimeName, ...] = get_args(RegimeName)

TABLES = (
    "cells",
    "primary",
    "pairs",
    "frontier",
    "excluded",
    "agreement",
    "baselines",
    "stability",
    "monitors",
    "outcomes",
)
FIGURES = ("frontier", "differences", "monitors")
"""Names of the tables and pictures of the study, which are also the names of their files."""


class StudyConfig(Strict):
    """The checkpoint study. Every field has a default: a run of minutes on pictures that come with scikit-learn."""

    datasets: list[str] = Field(
        ["digits"],
        description="image sets by name (digits, mnist, cifar10, emnist_balanced, ...), or your own: "
        "package.module:NAME",
    )
    regimes: list[RegimeName] = Field(
        list(REGIMES),
        description="full; subset (fewer pictures); noisy (wrong labels); hard (both); the last three with an "
        "under-capacity network",
    )
    seeds: int = Field(5, ge=2, le=100, description="training runs of each data set in each regime")
    epochs: int = Field(100, ge=2, le=1000, description="epochs of every run; each one's predictions are kept")
    patience: int = Field(5, ge=1, description="epochs without progress after which early stopping stops")
    share: float = Field(0.1, gt=0, le=1, description="share of the training pictures in the regimes subset and hard")
    noise: float = Field(0.2, ge=0, lt=1, description="share of wrong labels in the regimes noisy and hard")
