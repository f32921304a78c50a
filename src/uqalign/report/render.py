"""Sections as one HTML page: styles, scripts, charts and data inside it."""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from uqalign import __version__
from uqalign.report.assets import TEMPLATES, text_of
from uqalign.report.contents import Contents
from uqalign.report.elements import Figure, Picture, Section, Table
from uqalign.report.words import cell

if TYPE_CHECKING:
    import pandas as pd

VEGA_LITE = "v6.4"
"""Version of the charts' language; its library comes with vl-convert-python."""


@dataclass(frozen=True)
class Options:
    """What a reader can choose: titles by value."""

    datasets: Mapping[str, str]
    families: Mapping[str, str]
    metrics: Mapping[str, str]

    @classmethod
    def of(cls, contents: Contents) -> Options:
        """The data sets, families and metrics of some contents; metrics of one name share an entry."""
        return cls(
            {name: f"{name} ({task})" for name, task in contents.datasets.items()},
            {family.name: family.title for task in contents.tasks for family in contents.families_of(task)},
            {name: title for task in contents.tasks for name, title in contents.titles(task).items()},
        )


@functools.cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that sets `vegaEmbed` on the window."""
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
    return script.replace("</script", "<\\/script")


def embedded_json(value: Any) -> str:
    """JSON that cannot end the script element that holds it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _kind(column: pd.Series[Any]) -> str:
    if column.dtype == bool:
        return "boolean"
    return "number" if column.dtype.kind in "if" else "string"


def packed(frame: pd.DataFrame) -> dict[str, Any]:
    """A frame as the page holds it: CSV text, and how to read each column."""
    text = frame.to_csv(index=False, lineterminator="\n")
    return {"csv": text, "types": {str(name): _kind(frame[name]) for name in frame.columns}}


def _frames(sections: Sequence[Section]) -> Iterator[tuple[str, pd.DataFrame]]:
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Figure):
                yield from block.data.items()
            elif isinstance(block, Table):
                yield block.id, block.frame if block.data is None else block.data


def frames_of(sections: Sequence[Section]) -> dict[str, pd.DataFrame]:
    """Every frame behind a figure or table, by the name of its CSV file.

    Raises:
        ValueError: two of one name.
    """
    found: dict[str, pd.DataFrame] = {}
    for name, frame in _frames(sections):
        if name in found:
            raise ValueError(f"two frames of the page are called {name!r}")
        found[name] = frame
    return found


def _rows(table: Table) -> list[list[dict[str, Any]]]:
    """Cells with what the template needs to know of each."""
    rows = []
    numeric = [table.frame[name].dtype.kind in "if" for name in table.frame.columns]
    for i, values in enumerate(table.frame.itertuples(index=False, name=None)):
        rows.append(
            [
                {"text": cell(value, table.digits), "strong": (i, j) in table.strong, "number": numeric[j]}
                for j, value in enumerate(values)
            ]
        )
    return rows


def render(title: str, sections: Sequence[Section], options: Options) -> str:
    """The page as text.

    Raises:
        ValueError: ids that are used twice or are no anchors.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    ids = [section.id for section in sections] + [block.id for section in sections for block in section.blocks]
    for name in ids:
        if ids.count(name) > 1 or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            raise ValueError(f"{name!r} is no anchor, or is used twice on the page")
    figures = {b.id: b for section in sections for b in section.blocks if isinstance(b, Figure)}
    payload = {
        "data": {name: packed(frame) for name, frame in frames_of(sections).items()},
        "charts": {
            name: {"spec": figure.spec, "data": list(figure.data), "paper": figure.paper}
            for name, figure in figures.items()
        },
    }
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["rows"] = _rows
    environment.filters["base64"] = lambda content: base64.b64encode(content).decode()
    environment.tests["figure"] = lambda block: isinstance(block, Figure)
    environment.tests["picture"] = lambda block: isinstance(block, Picture)
    environment.tests["table"] = lambda block: isinstance(block, Table)
    return environment.get_template("page.html.j2").render(
        title=title,
        version=__version__,
        sections=sections,
        options=options,
        charts=bool(figures),
        style=text_of("style.css"),
        script=text_of("page.js"),
        library=library() if figures else "",
        payload=embedded_json(payload),
    )
