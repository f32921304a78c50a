"""What a page is made of. Plain data: sections say what to show, the renderer says how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Figure:
    """A chart with its data.

    Attributes:
        id: unique on the page; letters, digits and hyphens.
        title: heading.
        text: what it shows and how to read it.
        alt: what someone who cannot see it should know, one or two sentences.
        spec: Vega-Lite specification without data; `{"name": NAME}` refers to an entry of `data`.
        data: frames by name; the first is the one offered as CSV. A reader's choice of data set and metric keeps the
            rows that match in the columns dataset and metric.
        command: what made the data, or "".
        families: decision families that it belongs to; empty: all.
        half: two fit beside each other on a wide screen.
        paper: drawn on white whatever the theme, because its colours are fixed.
    """

    id: str
    title: str
    text: str
    alt: str
    spec: Mapping[str, Any]
    data: Mapping[str, pd.DataFrame]
    command: str = ""
    families: Sequence[str] = ()
    half: bool = False
    paper: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture from a file.

    Attributes:
        png: its bytes.
    """

    id: str
    title: str
    text: str
    alt: str
    png: bytes = field(repr=False)
    command: str = ""
    families: Sequence[str] = ()
    half: bool = False


@dataclass(frozen=True)
class Table:
    """A table, all rows of it on the page.

    Attributes:
        caption: what it holds.
        frame: cells; text is shown as it is, numbers with `digits` significant digits, booleans as yes and no.
        data: the frame that is offered as CSV; by default `frame`.
        strong: (row, column) positions of cells that stand out.
        folded: shown when the reader asks for it.
        by_dataset: the columns that belong to a data set, by name: hidden when the reader chooses another.
    """

    id: str
    title: str
    caption: str
    frame: pd.DataFrame
    data: pd.DataFrame | None = None
    command: str = ""
    families: Sequence[str] = ()
    strong: frozenset[tuple[int, int]] = frozenset()
    by_dataset: Mapping[str, str] = field(default_factory=dict)
    half: bool = False
    digits: int = 3
    folded: bool = False


@dataclass(frozen=True)
class Text:
    """Paragraphs, a list of them, or literal text such as a configuration.

    Attributes:
        lines: one paragraph each.
        literal: text to be shown as it is, folded away.
    """

    id: str
    title: str
    lines: Sequence[str] = ()
    literal: str = ""
    families: Sequence[str] = ()
    half: bool = False


Block = Figure | Picture | Table | Text


@dataclass(frozen=True)
class Section:
    """One section of the page.

    Attributes:
        id: anchor.
        title: heading, and entry of the contents.
        intro: paragraphs.
        blocks: what it holds, in order.
    """

    id: str
    title: str
    intro: Sequence[str]
    blocks: Sequence[Block]
