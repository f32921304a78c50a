"""What the page shows: the `report` section of a configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from uqalign.strict import Strict

SectionName = Literal["sensitivity", "audit", "superiority"]


class PageConfig(Strict):
    """The report."""

    sections: list[SectionName] = Field(
        default_factory=list,
        description="analyses that the page shows beside the benchmark, and that are then computed for it: "
        "sensitivity, audit, superiority",
    )
