"""The generated pages of the documentation leave out nothing that is public."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from uqalign.config import Config

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/site/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(reference):
    return dict(reference.pages())


def test_every_command_and_option_is_listed(pages):
    import typer

    from uqalign.cli import app

    page = pages["reference/command-line.md"]
    for name in typer.main.get_command(app).commands:
        if name != "stage":
            assert re.search(rf"^## uqalign {name}\b", page, re.MULTILINE), name
    section = page.split("## uqalign score\n")[1].split("\n## ")[0]
    assert "uqalign score FILE [OPTIONS]" in section
    assert "| `--task` | One of binary, multiclass, regression, multivariate. Required. |" in section
    assert "| `--format` | table, json or csv. Default: `table`. |" in section


def test_every_key_is_listed(pages):
    page = pages["reference/configuration.md"]
    for name in Config.model_fields:
        assert f"| `{name}` |" in page
    assert "| `chunk.seeds` | `10` | seeds per training job |" in page
    assert "| `cases` | `[]` |" in page


def test_every_export_is_documented(reference, pages):
    for name, (_, *modules) in reference.PAGES.items():
        for module in modules:
            members = getattr(importlib.import_module(module), "__all__", [])
            page = pages[f"reference/{name}.md"]
            assert f"::: {module}\n" in f"{page}\n"
            if (ROOT / "src" / Path(*module.split(".")) / "__init__.py").exists():
                assert members
                assert all(f"::: {module}.{member}\n" in page for member in members)


def test_every_generated_page_is_in_the_navigation(pages):
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert not [page for page in pages if page not in text]
    assert yaml.safe_load(text)["theme"]["font"] is False


def test_the_citation_names_the_version():
    from uqalign import __version__

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert {author["family-names"] for author in citation["references"][0]["authors"]} == {
        "Schneider", "Rochussen", "Stiller", "Fortuin",
    }  # fmt: skip
