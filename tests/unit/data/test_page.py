"""The documentation page is in step with the catalogue, and its pictures with the data."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from typer.testing import CliRunner

from uqalign.cli.datasets import datasets_app
from uqalign.data.declare import Facts
from uqalign.data.page import page, summary
from uqalign.data.plots import class_svg, target_svg
from uqalign.data.registry import DATASETS_REGISTRY
from uqalign.data.table import Table

DOCS = Path(__file__).parents[3] / "docs"
NAMES = DATASETS_REGISTRY.names()


def test_the_page_is_in_step_with_the_catalogue() -> None:
    expected = CliRunner().invoke(datasets_app, ["page"]).stdout
    assert (DOCS / "data.md").read_text() == expected, "run: uqalign datasets page > docs/data.md"


def test_the_page_has_every_data_set_with_licence_citation_and_sources() -> None:
    text = page(DATASETS_REGISTRY)
    for dataset in DATASETS_REGISTRY:
        section = text.split(f"\n### {dataset.name}\n")[1].split("\n### ")[0]
        assert f"- licence: {dataset.licence}" in section
        assert f"- cite: {dataset.citation}" in section
        assert section.count("\n- ") == len(dataset.sources) + 2
        assert f"({Path('data') / dataset.name}.svg)" in section


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_there_and_in_step_with_the_facts(name: str) -> None:
    text = (DOCS / "data" / f"{name}.svg").read_text()
    bars = ElementTree.fromstring(text).findall("{*}rect")
    facts = DATASETS_REGISTRY.get(name).facts
    assert facts is not None
    if facts.class_counts:
        assert text == class_svg(dict(facts.class_counts))
        assert len(bars) == len(facts.class_counts)
    else:
        assert len(bars) == 24 * len(facts.target_mean)


def test_pictures_of_numbers_are_in_step_with_the_data() -> None:
    data_dir = os.environ.get("UQALIGN_DATA_DIR")
    if not data_dir:
        pytest.skip("UQALIGN_DATA_DIR is not set")
    from uqalign.data.load import load

    for name in ("auto_mpg", "flare"):
        table = load(DATASETS_REGISTRY.get(name), data_dir=data_dir, download_dir="unused")
        assert (DOCS / "data" / f"{name}.svg").read_text() == target_svg(table)


def test_bars_are_in_proportion(table: Table) -> None:
    bars = ElementTree.fromstring(target_svg(table)).findall("{*}rect")
    assert [float(bar.attrib["height"]) for bar in bars] == [48.0, 24.0]
    assert class_svg({"a<b": 1}).count("<rect") == 1


def test_summaries() -> None:
    assert summary(Facts(rows=4, features=1, class_counts={"no": 3, "yes": 1})) == "yes: 25.0%"
    three = Facts(rows=10, features=1, class_counts={"a": 1, "b": 4, "c": 5})
    assert summary(three) == "3 classes, 10.0% to 50.0%"
    assert summary(Facts(rows=4, features=1, target_mean=(1.0, 12.3456), target_std=(0.5, 2.0))) == "1 ± 0.5; 12.35 ± 2"
