"""Fill the results of a case study's page from its tables and figures.

    .venv/bin/python docs/cases/fill.py docs/cases/electricity.md results/cases/electricity

What lies between `<!-- table: NAME -->` or `<!-- figure: NAME -->` and the next `<!-- end -->` becomes the table or the
figure of that name; figures are copied beside the page, to img/.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

MARKED = re.compile(r"(<!-- (table|figure): (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: Path, results: Path) -> str:
    """The page's text with every marked place filled."""

    def content(match: re.Match[str]) -> str:
        opening, kind, name, end = match.groups()
        if kind == "table":
            return f"{opening}\n{(results / 'tables' / f'{name}.md').read_text(encoding='utf-8')}\n{end}"
        picture = page.parent / "img" / f"{page.stem}_{name}.png"
        picture.parent.mkdir(exist_ok=True)
        shutil.copyfile(results / "figures" / f"{name}.png", picture)
        return f"{opening}\n![{name.replace('_', ' ')}](img/{picture.name})\n\n{end}"

    return MARKED.sub(content, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    path, folder = (Path(argument) for argument in sys.argv[1:3])
    path.write_text(filled(path, folder), encoding="utf-8")
