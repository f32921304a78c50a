"""The page as text: complete, self-contained, escaped, small."""

import dataclasses
import io
import json
import re
from html.parser import HTMLParser

import altair as alt
import numpy as np
import pandas as pd
import pytest

from report_contents import contents
from uqalign.metrics.registry import for_task
from uqalign.report.contents import Contents, Facts
from uqalign.report.curves import MOST_REPEATS
from uqalign.report.elements import Figure, Picture, Section, Table, Text
from uqalign.report.page import build_page, sections_of
from uqalign.report.render import Options, frames_of, render

LIMIT = 10_000_000
SMALL = contents(("binary", "regression"), seeds=2, datasets=1)


class Reader(HTMLParser):
    """Elements, ids and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.addresses += [found[name] for name in ("href", "src", "srcset", "action", "data") if name in found]


def payload(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="payload">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture(scope="module")
def page():
    return build_page(SMALL)


def test_everything_is_in_the_page(page):
    reader = Reader(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert {"script", "style", "main", "nav", "header", "footer", "h1", "table", "figure"} <= set(reader.tags)
    assert "link" in reader.tags  # the icon, which is in the page as well
    for address in reader.addresses:
        assert address.startswith(("#", "data:")), address
        if address.startswith("#"):
            assert address[1:] in reader.ids
    assert len(page.encode()) < LIMIT


def test_every_section_is_there(page):
    titles = re.findall(r"<h2 id[^>]*>(.*?)</h2>", page)
    assert titles == [
        "At a glance", "Alignment: which metrics rank models as decisions do", "Models by decision", "Decision curves",
        "Reliability, coverage and retention", "What was run", "Runtime and memory",
    ]  # fmt: skip
    assert "FitFailed: made up" in page
    assert "its weights are not here" in page


def test_curves_say_what_they_are_means_of_and_by_which_protocol():
    told = {section.id: " ".join(section.intro) for section in sections_of(SMALL)}
    for name in ("decisions", "quality"):
        assert f"no more than the first {MOST_REPEATS}" in told[name]
        assert "Curves follow the definitions" in told[name]


def test_every_frame_is_offered_and_read_back_as_it_was(page):
    frames = frames_of(sections_of(SMALL))
    found = payload(page)["data"]
    assert set(found) == set(frames)
    for name, frame in frames.items():
        again = pd.read_csv(io.StringIO(found[name]["csv"]))
        assert list(again.columns) == [str(c) for c in frame.columns]
        assert len(again) == len(frame)
        assert set(found[name]["types"]) == set(again.columns)


def test_charts_are_valid_and_name_their_data(page):
    found = payload(page)
    assert len(found["charts"]) > 15

    def named(value):
        if isinstance(value, dict):
            if set(value) == {"name"}:
                yield value["name"]
            for item in value.values():
                yield from named(item)
        elif isinstance(value, list):
            for item in value:
                yield from named(item)

    kinds = set()
    for name, chart in found["charts"].items():
        if name.split("-")[0] not in kinds:
            alt.Chart.from_dict(chart["spec"])  # raises for what Vega-Lite's schema does not allow
            kinds.add(name.split("-")[0])
        assert set(named(chart["spec"])) == set(chart["data"]), name
        assert set(chart["data"]) <= set(found["data"])


HOSTILE = "</script><img src=x onerror=alert(1)>\u2028'\",\n&amp;"


def test_names_of_any_kind_are_text():
    renamed = SMALL.standings.replace({"model": {"fair": HOSTILE}})
    facts = Facts(lines=[HOSTILE], config=HOSTILE, models=pd.DataFrame({"model": [HOSTILE]}))
    models = ("sharp", HOSTILE, "vague")
    page = build_page(dataclasses.replace(SMALL, title=HOSTILE, standings=renamed, models=models, facts=facts))
    assert "<img src=x" not in page
    csv = payload(page)["data"]["standing-top-k"]["csv"]
    assert HOSTILE in set(pd.read_csv(io.StringIO(csv))["model"])


def test_the_leaderboard_marks_the_best_and_those_not_told_apart():
    table = next(b for s in sections_of(SMALL) for b in s.blocks if b.id == "board-top-k")
    rows = SMALL.standings
    rows = rows[(rows["name"] == "top_k") & (rows["kind"] == "utility")].set_index("model")
    order = list(rows["mean"].sort_values(ascending=False).index)
    assert list(table.frame["model"]) == order
    expected = {(i, 1) for i, m in enumerate(order) if rows["behind"][m] == 0 or rows["behind_low"][m] <= 0}
    assert table.strong == expected
    assert (0, 1) in table.strong


def test_the_glance_names_the_best_of_each_kind():
    table = next(b for s in sections_of(SMALL) for b in s.blocks if b.id == "glance-table").frame
    pooled = SMALL.pooled[SMALL.pooled["family"] == "top_k"].set_index("metric")["mean"]
    classical = pooled.drop(["pwu_c", "pwu_k"])
    told = table.set_index("decision").loc["Top-k selection"]
    assert told["best classical metric"].startswith(for_task("binary")[classical.idxmax()].title)
    assert told["best prior-weighted utility"].startswith(for_task("binary")[pooled[["pwu_c", "pwu_k"]].idxmax()].title)


def test_what_is_absent_is_left_out():
    empty = Contents("Nothing", {"d": "binary"}, ("m",), {"binary": for_task("binary")})
    page = build_page(empty)
    assert re.findall(r"<h2 id[^>]*>(.*?)</h2>", page) == ["At a glance"]
    assert "vegaEmbed = " not in page  # no charts, no library
    no_repeats = dataclasses.replace(SMALL, alignment=None, pooled=None)
    assert "Alignment:" not in build_page(no_repeats)


def test_ids_are_checked():
    text = Text("twice", "Title", ["A"])
    options = Options({}, {}, {})
    with pytest.raises(ValueError, match="twice"):
        render("T", [Section("s", "S", [], [text, text])], options)
    with pytest.raises(ValueError, match="no anchor"):
        render("T", [Section("s s", "S", [], [])], options)
    frame = pd.DataFrame({"x": [1]})
    figure = Figure("f", "F", "", "alt", {}, {"g": frame})
    with pytest.raises(ValueError, match="two frames"):
        render("T", [Section("s", "S", [], [figure, Table("g", "G", "", frame)])], options)


def test_pictures_carry_their_description():
    picture = Picture("p", "P", "", 'a "picture"', b"\x89PNG")
    page = render("T", [Section("s", "S", [], [picture])], Options({}, {}, {}))
    assert 'alt="a &#34;picture&#34;"' in page
    assert "data:image/png;base64,iVBORw==" in page


def test_a_large_run_fits():
    """The published grid: 20 data sets, 12 models, 100 repeats."""
    rng = np.random.default_rng(0)
    names = {f"{task}_{i}": task for task in ("binary", "multiclass", "regression") for i in range(7)}
    metrics = {task: for_task(task) for task in ("binary", "multiclass", "regression")}
    families = {"binary": ("binary_decision", "top_k"), "multiclass": ("one_vs_rest",)}
    families["regression"] = ("selective", "risk_averse_top_k")
    keys = [(t, d, f, m) for d, t in names.items() for f in families[t] for m in metrics[t]]
    taus = pd.DataFrame(np.repeat(keys, 100, axis=0), columns=["task", "dataset", "family", "metric"])
    taus = taus.assign(seed=np.tile(np.arange(100), len(keys)), tau=rng.uniform(-1, 1, 100 * len(keys)))
    models = tuple(f"model_{i}" for i in range(12))
    lines = []
    for name in ("binary_0", "regression_0"):
        part = SMALL.curves[SMALL.curves["dataset"] == name]
        one = part[part["model"] == "fair"]
        wanted = [d for d, task in names.items() if task == name.split("_")[0]]
        lines += [one.assign(dataset=d, model=m, y=rng.normal(size=len(one))) for d in wanted for m in models]
    page = build_page(
        Contents("Large", names, models, metrics, alignment=taus, curves=pd.concat(lines))  # type: ignore[arg-type]
    )
    assert len(page.encode()) < LIMIT
