"""Small pictures of a target's distribution, as SVG text that is the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from uqalign.data.table import Table
from uqalign.tasks import CLASSIFICATION

WIDTH, HEIGHT, GAP, CAPTION = 180, 48, 24, 14
BINS = 24
INK = "#4c78a8"


def target_svg(table: Table) -> str:
    """Bars per class, or a histogram per target coordinate side by side."""
    if table.task in CLASSIFICATION:
        counts = np.bincount(table.target.astype(np.intp), minlength=len(table.classes))
        return class_svg(dict(zip(table.classes, counts.tolist(), strict=True)))
    panels = []
    for d, name in enumerate(table.target_names):
        values = table.target.reshape(len(table), -1)[:, d]
        counts, edges = np.histogram(values, bins=BINS)
        panels.append((counts.tolist(), f"{name}: {edges[0]:.4g} to {edges[-1]:.4g}"))
    return _svg(panels)


def class_svg(counts: dict[str, int]) -> str:
    """One bar per class."""
    return _svg([(list(counts.values()), f"{len(counts)} classes, {sum(counts.values()):,} rows")])


def _svg(panels: Sequence[tuple[Sequence[int], str]]) -> str:
    width = len(panels) * (WIDTH + GAP) - GAP
    total = HEIGHT + CAPTION
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" '
        f'viewBox="0 0 {width} {total}" font-family="sans-serif" font-size="9">'
    ]
    for number, (counts, caption) in enumerate(panels):
        left, step, top = number * (WIDTH + GAP), WIDTH / len(counts), max(counts)
        for place, count in enumerate(counts):
            height = HEIGHT * count / top
            parts.append(
                f'<rect x="{left + place * step:.2f}" y="{HEIGHT - height:.2f}" width="{step * 0.85:.2f}" '
                f'height="{height:.2f}" fill="{INK}"/>'
            )
        parts.append(f'<text x="{left}" y="{total - 3}" fill="#666">{escape(caption)}</text>')
    return "\n".join([*parts, "</svg>", ""])
