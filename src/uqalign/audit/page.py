"""The audit as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from uqalign.audit.published import REPEATS
from uqalign.audit.settings import unmeasurable
from uqalign.audit.text import markdown_table
from uqalign.protocol import SWITCHES
from uqalign.theory.errata import errata
from uqalign.theory.render import errata_markdown


def run_notes(metadata: Sequence[Mapping[str, Any]], missing: Mapping[str, Sequence[str]]) -> list[str]:
    """What was run, as sentences: data sets, seeds, models, failed fits, published models that are missing.

    Args:
        metadata: of the taus of every data set.
        missing: published models that were not run, by task.
    """
    notes = []
    for about in metadata:
        absent = missing.get(about["task"], [])
        note = (
            f"- {about['dataset']}: {len(about['seeds'])} seeds of {REPEATS}, {about['n_folds']} folds, "
            f"{len(about['models'])} models ({', '.join(about['models'])})"
        )
        note += f"; missing of the published ones: {', '.join(absent)}" if absent else ""
        note += f"; {about['failed']} of {about['fits']} fits failed" if about["failed"] else ""
        notes.append(note + ".")
    return notes


def unmeasurable_markdown() -> str:
    """The switches that stored predictions cannot measure, and where they act instead."""
    where = {
        "model": "training: the suite has no code without it",
        "data": "cleaning of a data set, before any prediction",
        "case": "the case studies",
    }
    lines = [
        [f"`{s.id}`", s.published, s.definition, "; ".join(where[stage] for stage in s.stages if stage in where)]
        for s in unmeasurable([task for switch in SWITCHES.values() for task in switch.tasks])
    ]
    return markdown_table(["switch", "published", "definition", "acts in"], lines)


def audit_page(notes: Sequence[str], sections: Sequence[str]) -> str:
    """The page: what was run, the given sections (each with its own heading), errata, and what was not measured."""
    parts = [
        "# Audit of the published conclusions",
        "",
        "Written by `snakemake audit`; every number comes from the run described here.",
        "",
        *notes,
        "",
        *(_deeper(section) for section in sections),
        "## Errata",
        "",
        errata_markdown(errata()),
        "",
        "## Deviations that stored predictions cannot measure",
        "",
        unmeasurable_markdown(),
    ]
    return "\n".join(parts)


def _deeper(section: str) -> str:
    """A Markdown page with every heading one level down."""
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in section.split("\n"))
