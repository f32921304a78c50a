"""The page: sections from contents, and HTML from sections."""

from __future__ import annotations

from uqalign.report.contents import Contents
from uqalign.report.elements import Section
from uqalign.report.render import Options, render
from uqalign.report.sections.alignment import alignment
from uqalign.report.sections.curves import decisions, quality
from uqalign.report.sections.glance import glance
from uqalign.report.sections.models import models
from uqalign.report.sections.resources import resources
from uqalign.report.sections.run import run
from uqalign.report.sections.theory import theory


def sections_of(contents: Contents) -> list[Section]:
    """The sections that have something to show, in order."""
    made = [glance(contents), alignment(contents), models(contents), decisions(contents), quality(contents)]
    made += [theory(contents), *contents.extra, run(contents), resources(contents)]
    return [section for section in made if section is not None and (section.blocks or section.intro)]


def build_page(contents: Contents) -> str:
    """One self-contained page of HTML that needs neither network nor server.

    Args:
        contents: data frames and facts; whatever is empty is left out.
    """
    chosen = Options.of(contents)
    return render(contents.title, sections_of(contents), chosen)
