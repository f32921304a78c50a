"""Fill a page's results from the tables and figures of a run.

    .venv/bin/python docs/fill.py docs/cases/electricity.md results/cases/electricity

What lies between `<!-- table: PATH -->`, `<!-- page: PATH -->` or `<!-- figure: PATH -->` and the next `<!-- end -->`
becomes table or page PATH.md or figure PATH.png of the folder of results, without its own title; further headings of a
table come below those of the page. Figures are saved beside the page, in img/, with 64 colours: a fifth of the size.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from PIL import Image

MARKED = re.compile(r"(<!-- (table|page|figure): ([\w/]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: Path, results: Path) -> str:
    """The page's text with every marked place filled."""

    def content(match: re.Match[str]) -> str:
        opening, kind, path, end = match.groups()
        if kind != "figure":
            text = re.sub("^# .*\n+", "", (results / f"{path}.md").read_text(encoding="utf-8"))
            if kind == "table":
                text = re.sub("^#", "###", text, flags=re.MULTILINE)
            return f"{opening}\n{text}\n{end}"
        name = Path(path).name
        picture = page.parent / "img" / f"{page.stem}_{name}.png"
        picture.parent.mkdir(exist_ok=True)
        with Image.open(results / f"{path}.png") as drawn:
            drawn.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(picture, optimize=True)
        return f"{opening}\n![{name.replace('_', ' ')}](img/{picture.name})\n\n{end}"

    return MARKED.sub(content, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    path, folder = (Path(argument) for argument in sys.argv[1:3])
    path.write_text(filled(path, folder), encoding="utf-8")
