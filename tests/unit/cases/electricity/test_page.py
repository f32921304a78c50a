"""The page's places for results, and the script that fills them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from uqalign.cases.electricity import CASES
from uqalign.cases.report import figures_of, tables_of

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs/cases/electricity.md"


@pytest.fixture(scope="module")
def fill() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fill", ROOT / "docs/fill.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_place_names_a_table_or_figure_of_the_case(fill: ModuleType) -> None:
    places = [(kind, name) for _, kind, name, _ in fill.MARKED.findall(PAGE.read_text())]
    assert len(places) == PAGE.read_text().count("<!-- end -->") == 7
    known = {("table", f"tables/{name}") for name in tables_of(CASES[0])} | {
        ("figure", f"figures/{name}") for name in figures_of(CASES[0])
    }
    assert set(places) <= known


def test_the_options_on_the_page_are_those_of_the_case() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\w.]+) \|", PAGE.read_text(), re.MULTILINE))
    assert rows == {
        name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in CASES[0].options.items()
    }


def test_filling_replaces_what_was_there_and_nothing_else(fill: ModuleType, tmp_path: Path) -> None:
    results = tmp_path / "results"
    for folder in ("tables", "figures"):
        (results / folder).mkdir(parents=True)
    (results / "tables/money.md").write_text("# Title\n\n| a |\n## Part\n")
    Image.new("RGB", (30, 20), "#0072b2").save(results / "figures/profit.png")
    page = tmp_path / "docs" / "case.md"
    page.parent.mkdir()
    page.write_text(
        "before\n<!-- table: tables/money -->\nold\n<!-- end -->\n"
        "between\n<!-- page: tables/money -->\n<!-- end -->\n"
        "<!-- figure: figures/profit -->\n<!-- end -->\nafter\n"
    )
    once = fill.filled(page, results)
    assert once == (
        "before\n<!-- table: tables/money -->\n\n| a |\n#### Part\n\n<!-- end -->\n"
        "between\n<!-- page: tables/money -->\n\n| a |\n## Part\n\n<!-- end -->\n"
        "<!-- figure: figures/profit -->\n\n"
        "![profit](img/case_profit.png)\n\n<!-- end -->\nafter\n"
    )
    page.write_text(once)
    assert fill.filled(page, results) == once
    with Image.open(page.parent / "img/case_profit.png") as picture:
        assert picture.size == (30, 20)
        assert picture.convert("RGB").getpixel((7, 7)) == (0, 0x72, 0xB2)
