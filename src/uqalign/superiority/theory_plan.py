"""Files and orders of the theory report, for the workflow."""

from __future__ import annotations

from typing import Any

from uqalign.jobs import FIGURE_FORMATS
from uqalign.provenance import canonical_json, code_digest

FOLDER = "results/superiority/theory"
TABLES = (
    "claims",
    "table_1",
    "table_3",
    "table_4",
    "table_15",
    "endpoints",
    "minimality",
    "orders",
    "escapes",
    "strict_ties",
    "boundary",
    "class_thresholds",
    "class_propriety",
)
"""Tables by file name, in the order they are read."""

FIGURES = ("figure_1", "figure_2", "figure_3", "figure_4")


class TheoryPlan:
    """The theory report; it depends on no data and no configuration."""

    def outputs(self) -> list[str]:
        """Every table and figure."""
        return [
            *(f"{FOLDER}/{name}.{kind}" for name in TABLES for kind in ("csv", "md")),
            *(f"{FOLDER}/{name}.{kind}" for name in FIGURES for kind in FIGURE_FORMATS),
        ]

    def spec(self, _: Any = None) -> str:
        """What the stage is told: how much it checks (nothing: its defaults)."""
        return canonical_json({})

    def code(self, _: Any = None) -> str:
        """Code behind the stage."""
        return code_digest("uqalign.stages.superiority_theory")
