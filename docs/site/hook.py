"""What `mkdocs build` does beside rendering docs/: pages from elsewhere, links that leave docs/, formulas.

Pages are written for the repository, where they are read too: each lies where it belongs, and links lead to files. On
the site, a linked file that is no page is copied into `files/`, so that no address of a repository is needed.
"""

from __future__ import annotations

import html
import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from reference import pages

ROOT = Path(__file__).parents[2]

BORROWED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "profiles/README.md": "howto/cluster.md",
    "results/README.md": "results.md",
}
"""Pages of the site that lie outside docs/ in the repository."""

FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(?P<text>[^\]\[]*)\]\((?P<target>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that do not lie in docs/."""
    for path, place in BORROWED.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    for place, text in pages():
        files.append(File.generated(config, place, content=text))
    return files


def site_place(path: str, page: str, config: MkDocsConfig, files: Files) -> str:
    """Where a file of the repository lies on the site."""
    inside = path.removeprefix("docs/")
    if path in BORROWED:
        return BORROWED[path]
    if path.startswith("docs/") and files.get_file_from_path(inside):
        return inside
    if not (ROOT / path).is_file():
        raise PluginError(f"{page} links to {path}, which is no file of the repository")
    place = f"files/{path}"
    if not files.get_file_from_path(place):
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return place


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    home = page.file.src_uri
    source = next((path for path, place in BORROWED.items() if place == home), f"docs/{home}")

    def relocated(match: re.Match[str]) -> str:
        target = match["target"]
        if not target or ":" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = site_place(path, source, config, files)
        return f"[{match['text']}]({posixpath.relpath(place, posixpath.dirname(home) or '.')}{match['anchor'] or ''})"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(relocated, part) for part in parts)


def on_page_content(text: str, **_: Any) -> str:
    """Draw formulas as MathML, which browsers know: no script and no font to fetch."""

    def drawn(match: re.Match[str]) -> str:
        return str(convert(html.unescape(match[2]), display="block" if match[1] == "div" else "inline"))

    return FORMULA.sub(drawn, text)
