"""The page in a real browser: every chart is drawn, choices change the pictures, everybody can use it."""

import csv
import io
import re
from pathlib import Path

import pytest

from browser_reading import DESKTOP, PHONE, draw_all, opened, settle, texts
from report_contents import MODELS, contents
from uqalign.report.elements import Figure
from uqalign.report.page import sections_of
from uqalign.report.render import frames_of

HEAT = "alignment-binary-decision"


@pytest.fixture(scope="module")
def page(browser, page_file):
    with opened(browser, page_file) as page:
        yield page


@pytest.fixture(autouse=True)
def _everything_chosen(request):
    yield
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        page.get_by_role("button", name="Show all").click()
        settle(page)


def sizes(page, selector):
    return page.eval_on_selector_all(selector, "all => all.map(e => [e.clientWidth, e.clientHeight])")


def choose(page, label, value):
    page.get_by_label(label, exact=True).select_option(value)
    settle(page)


def test_every_chart_is_drawn(page):
    names = draw_all(page)
    assert names == [b.id for s in sections_of(contents(seeds=2)) for b in s.blocks if isinstance(b, Figure)]
    assert len(names) > 30
    pictures = sizes(page, "[data-chart] svg, [data-chart] canvas")
    assert len(pictures) == len(names)
    assert all(width > 100 and height > 40 for width, height in pictures)
    assert page.eval_on_selector_all("main > section", "all => all.map(s => s.id)") == [
        "glance", "alignment", "models", "decisions", "quality", "run", "resources",
    ]  # fmt: skip
    assert "NLL" in texts(page, HEAT)
    assert set(MODELS) <= set(texts(page, "standing-top-k"))


def test_a_data_set_is_chosen(page):
    draw_all(page, f"#{HEAT}")
    assert {"binary_0", "binary_1"} <= set(texts(page, HEAT))
    before = page.locator(f'[data-chart="{HEAT}"]').screenshot()
    choose(page, "Data set", "binary_1")
    assert page.get_by_role("status").inner_text().startswith("binary_1 (binary): ")
    draw_all(page, f"#{HEAT}")
    assert "binary_1" in texts(page, HEAT)
    assert "binary_0" not in texts(page, HEAT)
    assert page.locator(f'[data-chart="{HEAT}"]').screenshot() != before
    # Other tasks' charts and columns are gone; what is about all data sets stays.
    assert page.locator("#alignment-selective").is_hidden()
    headings = page.locator("#board-top-k thead th:visible").all_inner_texts()
    assert headings == ["model", "mean rank", "binary_1"]
    assert page.locator("#pooled-top-k").is_visible()


def test_a_decision_and_a_metric_are_chosen(page):
    choose(page, "Decision", "selective")
    assert page.locator("#alignment-selective").is_visible()
    assert page.locator("#alignment-top-k").is_hidden()
    assert page.locator("#board-selective").is_visible()
    choose(page, "Metric", "kind:prior-weighted")
    draw_all(page, "#alignment")
    shown = texts(page, "alignment-selective")
    assert "PWU lambda" in shown
    assert "NLL" not in shown
    choose(page, "Metric", "crps")
    draw_all(page, "#alignment")
    assert "CRPS" in texts(page, "boxes-selective")
    assert "PWU lambda" not in texts(page, "boxes-selective")
    choose(page, "Metric", "accuracy")  # no metric of regressions
    assert page.locator("#alignment-selective").is_hidden()
    assert page.locator("#alignment .nothing").is_visible()


def test_pointing_tells_the_values(page):
    page.locator(f"#{HEAT}").scroll_into_view_if_needed()
    settle(page)
    page.locator(f'[data-chart="{HEAT}"] svg .mark-text text').first.hover()
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    told = tip.inner_text()
    assert all(word in told for word in ("data set", "metric", "median tau", "repeats"))


def test_data_is_one_click_away(page):
    frames = frames_of(sections_of(contents(seeds=2)))
    links = page.locator("[data-csv]")
    assert links.count() == len({block.id for s in sections_of(contents(seeds=2)) for block in s.blocks
                                 if type(block).__name__ in ("Figure", "Table")})  # fmt: skip
    for name in (HEAT, "board-top-k", "run-failures"):
        with page.expect_download() as waiting:
            page.locator(f'[data-csv="{name}"]').first.click()
        assert waiting.value.suggested_filename == f"{name}.csv"
        found = list(csv.reader(io.StringIO(Path(waiting.value.path()).read_text())))
        assert found[0] == list(frames[name].columns)
        assert len(found) == 1 + len(frames[name])
    with page.expect_download() as waiting:
        page.locator(f'[data-png="{HEAT}"]').click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")
    box = page.locator(f"#{HEAT} details.datatable")
    box.locator("summary").click()
    cells = box.locator("tbody tr").first.locator("td").all_inner_texts()
    first = frames[HEAT].iloc[0]
    assert cells[:2] == [first["dataset"], first["metric"]]
    assert float(cells[list(frames[HEAT].columns).index("median")]) == pytest.approx(first["median"])


def test_how_it_was_made_is_told(page):
    made = page.locator(f"#{HEAT} details.command")
    made.locator("summary").click()
    assert made.locator("code").inner_text() == "snakemake --cores 2 alignment"


def test_links_lead_somewhere(page):
    for link in page.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))"):
        if link.startswith("blob:"):
            assert page.evaluate("href => fetch(href).then(r => r.text()).then(t => t.length)", link) > 0
        else:
            assert re.fullmatch(r"#[a-z][a-z0-9-]*", link), link
            assert page.locator(link).count() == 1, link


def test_the_colours_can_be_turned(browser, page_file):
    def back(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with opened(browser, page_file, scheme="dark") as page:
        dark = back(page)
        button = page.get_by_role("button", name="Dark colours")
        assert button.get_attribute("aria-pressed") == "true"
        page.locator(f"#{HEAT}").scroll_into_view_if_needed()
        settle(page)
        ink = page.locator(f'[data-chart="{HEAT}"] svg text').first.get_attribute("fill")
        button.click()
        settle(page)
        assert back(page) != dark
        assert button.get_attribute("aria-pressed") == "false"
        assert page.locator(f'[data-chart="{HEAT}"] svg text').first.get_attribute("fill") != ink
        page.reload()
        assert back(page) != dark  # remembered


def test_the_keyboard_is_enough(browser, page_file):
    with opened(browser, page_file) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "choose-dataset"
        page.keyboard.press("ArrowDown")
        settle(page)
        assert page.get_by_role("status").inner_text().startswith("binary_0")


def test_a_phone_shows_everything_in_its_width(browser, page_file):
    with opened(browser, page_file, PHONE) as page:
        draw_all(page, "#decisions")
        draw_all(page, "#boxes-top-k")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        widths = page.eval_on_selector_all("[data-drawn]", "all => all.map(c => [c.scrollWidth, c.clientWidth])")
        assert len(widths) > 8
        assert all(wide <= room + 1 for wide, room in widths)
        assert page.locator(".contents ul").is_hidden()
        # What is wider scrolls in a box of its own, which the keyboard reaches.
        hidden = page.eval_on_selector_all(
            ".scroll", "all => all.filter(b => b.scrollWidth > b.clientWidth && b.tabIndex !== 0).length"
        )
        assert hidden == 0


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")])
def test_nothing_serious_bars_anybody(browser, page_file, axe, size, scheme):
    with opened(browser, page_file, size, scheme) as page:
        draw_all(page, f"#{HEAT}")
        page.locator(f"#{HEAT} details.datatable summary").click()
        page.evaluate("scrollTo(0, 0)")
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
        serious = [
            (rule["id"], rule["help"], [node["html"][:120] for node in rule["nodes"]][:3])
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
        assert serious == []
