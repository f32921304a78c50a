"""Pictures of priors, which depend on no data."""

from __future__ import annotations

from pathlib import Path

from uqalign.reporting.figures import save_formats
from uqalign.reporting.prior_figures import base_priors_figure, implicit_priors_figure, perturbed_priors_figure
from uqalign.stages.common import check_code


def run(*, code: str, folder: Path) -> str:
    """Write the figures to `folder`."""
    check_code(code, __name__)
    figures = {"base": base_priors_figure, "implicit": implicit_priors_figure, "perturbed": perturbed_priors_figure}
    for name, draw in figures.items():
        save_formats(draw(), folder, f"priors_{name}")
    return f"{len(figures)} pictures"
