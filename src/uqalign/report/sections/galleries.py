"""Sections that show tables and pictures of other parts of the workflow as they are: case studies, audit, "
"checkpoints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.report import charts
from uqalign.report.elements import Block, Figure, Picture, Section, Table
from uqalign.report.words import number

if TYPE_CHECKING:
    pass

MOST_ROWS = 60
"""Rows of a table on the page; the CSV has all."""

UNFOLDED = 12
"""Rows up to which a table is shown without being asked for."""

PICTURES: Mapping[str, tuple[str, str]] = {
    "switches": (
        "What each switch of the protocol does",
        "Heat map of the largest change of a median tau by each switch, per data set and decision family; framed "
        "cells: another metric becomes the best. The numbers are in the table of rankings.",
    ),
    "comparison": (
        "Beside the published tables",
        "Medians and intervals of tau, published and ours under both protocols, one panel per data set. The numbers "
        "are in the table of the comparison.",
    ),
    "frontier": (
        "Outcomes along the penalty",
        "Macro-F1, ECE and NLL of the epoch kept, by penalty from none to the published one. The numbers are in the "
        "table of the frontier.",
    ),
    "differences": (
        "Runs one by one",
        "Macro-F1 just above the infimal penalty minus that at the published penalty, a dot per run. The summary is in "
        "the table of the primary comparison.",
    ),
    "monitors": (
        "What to monitor",
        "Table of the mean regret of every monitor by every outcome, coloured by place. The numbers are in the table "
        "of the monitors.",
    ),
}
"""Title and description of pictures by the name of their files."""


@dataclass(frozen=True)
class Shelf:
    """Files of one kind of result.

    Attributes:
        tables: CSV files whose Markdown neighbours begin with a caption.
        pictures: PNG files.
        command: what makes them.
    """

    tables: Sequence[Path]
    pictures: Sequence[Path]
    command: str


def _words(stem: str) -> str:
    text = stem.replace("_", " ")
    return text[:1].upper() + text[1:]


def caption_of(markdown: Path) -> str:
    """The paragraph that a Markdown file begins with, headings and lists left out; "" without one."""
    if not markdown.exists():
        return ""
    lines: list[str] = []
    for line in markdown.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "-")) or (not line and not lines):
            continue
        if not line or line.startswith("|"):
            break
        lines.append(line)
    return re.sub(r"[*`]", "", " ".join(lines))


def _table(prefix: str, path: Path, command: str) -> Table | None:
    import pandas as pd

    try:
        frame = pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return None
    if frame.empty:
        return None
    caption = caption_of(path.with_suffix(".md")) or f"{_words(path.stem)}."
    if len(frame) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(frame)} rows are shown."
    shown = frame.head(MOST_ROWS).rename(columns=lambda name: str(name).replace("_", " "))
    name = f"{prefix}-{path.stem}".replace("_", "-")
    return Table(name, _words(path.stem), caption, shown, data=frame, command=command, folded=len(shown) > UNFOLDED)


def _picture(prefix: str, path: Path, command: str) -> Picture:
    title, alt = PICTURES.get(path.stem, (_words(path.stem), f"{_words(path.stem)}: see the table of the same name."))
    return Picture(f"{prefix}-picture-{path.stem}".replace("_", "-"), title, "", alt, path.read_bytes(), command)


def _blocks(prefix: str, shelf: Shelf) -> list[Block]:
    pictures: list[Block] = [_picture(prefix, path, shelf.command) for path in shelf.pictures]
    tables = [_table(prefix, path, shelf.command) for path in shelf.tables]
    return [*pictures, *(table for table in tables if table is not None)]


def audit(shelf: Shelf) -> Section:
    """The audit of the published evaluation."""
    intro = [
        "The published evaluation departs from its own definitions in several places. Each departure is a switch: here "
        "is what each of them does to the tables, which published claims hold without them, and how far the published "
        "numbers are met."
    ]
    return Section("audit", "Audit of the published evaluation", intro, _blocks("audit", shelf))


def superiority(shelf: Shelf) -> Section:
    """The checkpoint study."""
    intro = [
        "Which epoch to keep? Penalised scores that rank every error behind every success were published as a remedy; "
        "here they are compared with other monitors on the test pictures of independent runs."
    ]
    return Section("superiority", "Checkpoint study of superior scoring rules", intro, _blocks("superiority", shelf))


def case_studies(
    shelves: Mapping[str, Shelf], titles: Mapping[str, str], metrics: Mapping[str, Mapping[str, str]]
) -> Section:
    """One part per case study.

    Args:
        shelves: by name of the case study.
        titles: of the case studies.
        metrics: titles of the metrics of each case study's task, by name.
    """
    blocks: list[Block] = []
    for name, shelf in shelves.items():
        for path in shelf.tables:
            if path.stem == "alignment":
                blocks += _case_alignment(name, path, titles[name], metrics[name], shelf.command)
        others = [path for path in shelf.tables if path.stem != "alignment"]
        pictures = [path for path in shelf.pictures if path.stem != "alignment"]
        blocks += _blocks(f"case-{name}".replace("_", "-"), Shelf(others, pictures, shelf.command))
    intro = [
        "Decisions with a utility of their own, in money or in what stands for it, taken from the same kind of "
        "predictions: does a metric rank the models as these utilities do?"
    ]
    return Section("cases", "Case studies", intro, blocks)


def _case_alignment(case: str, path: Path, title: str, metrics: Mapping[str, str], command: str) -> list[Block]:
    import pandas as pd

    frame = pd.read_csv(path).dropna(subset=["median"])
    if frame.empty:
        return []
    name = f"case-{case}-alignment".replace("_", "-")
    means = frame.groupby("metric")["median"].mean().sort_values(ascending=False)
    order = [metrics.get(metric, metric) for metric in means.index]
    frame = frame.rename(columns={"dataset": "setting"}).assign(title=frame["metric"].map(lambda m: metrics.get(m, m)))
    tooltip = [
        charts.field("setting", "setting"),
        charts.field("title", "metric"),
        charts.field("median", "median tau", ".2f"),
        charts.field("q05", "5 % of repeats", ".2f"),
        charts.field("q95", "95 % of repeats", ".2f"),
    ]
    spec = charts.heat_map(
        name, x="setting", xs=list(dict.fromkeys(frame["setting"])), y="title", ys=order, value="median",
        titles={"value": "median tau"}, tooltip=tooltip,
    )  # fmt: skip
    alt = f"Heat map of median tau, metrics by settings. Highest mean: {order[0]}, {number(means.iloc[0])}."
    text = "Median over repeats of the agreement between the ranking by metric and by the case's own utility."
    return [Figure(name, f"{title}: alignment", text, alt, spec, {name: frame.round(4)}, command)]
