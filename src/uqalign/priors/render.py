"""A prior and its elicitation report as plain text for a terminal."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from uqalign.checks import FloatArray
from uqalign.priors.base import Prior
from uqalign.priors.text import describe

if TYPE_CHECKING:
    from uqalign.priors.elicitation import ElicitationReport, ModeShift

BLOCKS = " ▁▂▃▄▅▆▇█"


def display_range(prior: Prior) -> tuple[float, float]:
    """The interval worth plotting: from 0 to 1, or to the 99.5 % quantile where that is far from 1."""
    levels = np.asarray(prior.quantile([0.0005, 0.5, 0.995]))
    finite = levels[np.isfinite(levels)]
    low, high = float(min(finite.min(initial=0.0), 0.0)), float(finite.max(initial=0.0))
    return low, 1.0 if 0.3 < high <= 1 or high <= 0 else high


def cell_masses(prior: Prior, cells: int) -> tuple[FloatArray, FloatArray]:
    """Edges (cells + 1,) of equal cells over the display range, and the mass of each cell (cells,).

    Masses instead of densities show poles and atoms at a finite height.
    """
    edges = np.linspace(*display_range(prior), cells + 1)
    mass = np.asarray(prior.interval_mass(edges[:-1], edges[1:]))
    # The first cell also holds an atom on its lower edge.
    mass[0] += max(float(prior.cdf(edges[0]) + prior.tail(edges[0])) - 1, 0.0)
    return edges, mass


def sparkline(prior: Prior, width: int = 60) -> str:
    """The density over `display_range` as one line of block characters."""
    _, mass = cell_masses(prior, width)
    if not mass.any():
        return " " * width
    height = np.ceil(mass / mass.max() * (len(BLOCKS) - 1) - 1e-9).astype(int)
    return "".join(BLOCKS[h] if m > mass.max() / 1000 else " " for h, m in zip(height, mass, strict=True))


def short_text(prior: Prior) -> str:
    """The prior as text with numbers rounded to six digits."""
    return re.sub(r"\d+\.\d{6,}(e[+-]?\d+)?", lambda match: f"{float(match[0]):.6g}", describe(prior))


def _signed(change: float) -> str:
    return "undefined" if math.isnan(change) else f"{change:+.3f}"


def _shift_line(shift: ModeShift) -> str:
    quantiles = [
        f"{100 * float(level):g} % {value:.3f} ({_signed(shift.quantile_changes[level])})"
        for level, value in shift.quantiles.items()
    ]
    mean = f"mean {shift.mean:.3f} ({_signed(shift.mean_change)})"
    return f"x {shift.factor:g}  {short_text(shift.prior)}: {', '.join([mean, *quantiles])}"


def report_lines(report: ElicitationReport) -> list[tuple[str, list[str]]]:
    """The sections of a report: heading and lines."""
    prior = report.prior
    low, high = display_range(prior)
    flaw = report.degeneracy
    sections = [
        (
            f"{short_text(prior)} over {report.parameter}: mean {report.mean:.3g}, mode {report.mode:.3g}",
            [sparkline(prior), f"{low:<30.3g}{high:>30.3g}"],
        ),
        ("Quantiles", [f"{100 * q.level:>3g} %  {q.value:.3f}  {q.reading}" for q in report.quantiles]),
        (
            "Trivial decisions",
            [
                f"mass at {report.parameter} <= {flaw.margin:g}: {flaw.mass_near_zero:.2g}"
                + (", infinite density at 0" if flaw.pole_at_zero else ""),
                f"mass at {report.parameter} >= {1 - flaw.margin:g}: {flaw.mass_near_one:.2g}"
                + (", infinite density at 1" if flaw.pole_at_one else ""),
            ],
        ),
    ]
    if report.shifts:
        sections.append(("Mode moved by 50 %", [_shift_line(shift) for shift in report.shifts]))
    if report.selection is not None:
        rows = report.selection
        sections.append(
            (
                f"Rows selected of {rows.n_test}",
                [
                    f"k: mean {rows.mean_k:.1f}, median {rows.median_k}, "
                    f"probability of k = 1 {rows.probability_one_row:.2f}",
                    f"weight of the best-ranked row {rows.top_row_share:.2f}, "
                    f"effective number of rows {rows.effective_rows:.1f}",
                ],
            )
        )
    sections.append(("Warnings" if report.warnings else "No warnings", list(report.warnings)))
    return sections


def report_text(report: ElicitationReport) -> str:
    """The whole report as text."""
    return "\n\n".join(
        "\n".join([heading, *(f"  {line}" for line in lines)]) for heading, lines in report_lines(report)
    )
