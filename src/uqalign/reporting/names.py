"""Names and formats of tables and figures, shared by those who plan them and those who write them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TABLE_FORMATS = ("csv", "md", "tex")
TEXT_FORMATS = ("csv", "md")
FIGURE_FORMATS = ("pdf", "png")

BOXPLOTS: Mapping[str, str] = MappingProxyType(
    {"alignment": "tau", "top_1": "top_1", "top_3": "top_3", "pearson": "pearson"}
)
"""Boxplots of each task by the name of their files: Kendall's tau, and the agreements of the ablation."""

COMPARISONS = ("critical_difference", "better")
"""Pictures of each family's metrics: ranks over data sets, and who aligns better than whom."""

PRIORS = ("priors_base", "priors_implicit", "priors_perturbed")
"""Pictures of priors, whatever the configuration."""
