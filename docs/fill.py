"""Fill a page's results from the tables and figures of a run.

    .venv/bin/python docs/fill.py docs/cases/electricity.md results/cases/electricity

What lies between `<!-- table: PATH -->` or `<!-- figure: PATH -->` and the next `<!-- end -->` becomes table PATH.md
or figure PATH.png of the folder of results; figures are copied beside the page, to img/. A table's own title is left
out, its other headings come below those of the page.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

MARKED = re.compile(r"(<!-- (table|figure): ([\w/]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: Path, results: Path) -> str:
    """The page's text with every marked place filled."""

    def content(match: re.Match[str]) -> str:
        opening, kind, path, end = match.groups()
        if kind == "table":
            text = (results / f"{path}.md").read_text(encoding="utf-8")
            text = re.sub("^#", "###", re.sub("^# .*\n+", "", text), flags=re.MULTILINE)
            return f"{opening}\n{text}\n{end}"
        name = Path(path).name
        picture = page.parent / "img" / f"{page.stem}_{name}.png"
        picture.parent.mkdir(exist_ok=True)
        shutil.copyfile(results / f"{path}.png", picture)
        return f"{opening}\n![{name.replace('_', ' ')}](img/{picture.name})\n\n{end}"

    return MARKED.sub(content, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    path, folder = (Path(argument) for argument in sys.argv[1:3])
    path.write_text(filled(path, folder), encoding="utf-8")
