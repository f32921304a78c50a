"""Two case studies of one's own, on data made here: parts to inspect (folds), and demand on given days (fixed test)."""

from __future__ import annotations

import hashlib

import numpy as np

from uqalign.cases.case import Arm, Case, CaseFigure, CaseTable, FixedTest
from uqalign.checks import noted
from uqalign.data.declare import Content, Dataset, LocalFile
from uqalign.data.readers import csv


def _lines(seed: int, header: str, n: int, row) -> str:
    rng = np.random.default_rng(seed)
    return "\n".join([header, *(row(rng, i) for i in range(n))]) + "\n"


def _part(rng, i):
    a, b = rng.normal(size=2)
    return f"{a:.6f},{b:.6f},{rng.integers(1, 9)},{int(a + 0.7 * rng.normal() > 0)}"


def _day(rng, i):
    x = rng.normal()
    return f"2024-01-{i % 28 + 1:02d},{x:.6f},{i % 28},{2 * x + rng.normal():.6f}"


PARTS = _lines(0, "a,b,price,faulty", 60, _part)
DAYS = _lines(1, "day,x,weight,y", 56, _day)


def _content(name: str, text: str) -> Content:
    return Content(name, hashlib.sha256(text.encode()).hexdigest(), len(text))


def write_toy_data(folder) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parts.csv").write_text(PARTS)
    (folder / "days.csv").write_text(DAYS)


PARTS_DATA = Dataset(
    name="toy_parts",
    task="binary",
    title="Parts",
    sources=(LocalFile((_content("parts.csv", PARTS).at(),)),),
    read=csv(),
    target="faulty",
    drop=("price",),
)
DAYS_DATA = Dataset(
    name="toy_days",
    task="regression",
    title="Days",
    sources=(LocalFile((_content("days.csv", DAYS).at(),)),),
    read=csv(),
    target="y",
    drop=("weight",),
    time="day",
)
MORE_DAYS_DATA = Dataset(
    name="toy_more_days",
    task="regression",
    title="The same days",
    sources=(LocalFile((_content("days.csv", DAYS).at(),)),),
    read=csv(),
    target="y",
    drop=("weight",),
    time="day",
)


def prices(table, frame):
    return frame[["price"]].astype(float)


def inspect(split):
    cost = split.options["inspection"] / (10 if "annual_rates" in split.switches else 1)
    return split.prediction[0] * split.side["price"].to_numpy() > cost


def earned(split, inspected):
    missed = split.side["price"].to_numpy() * split.y * ~inspected
    return -float(missed.sum()) - float(split.options["inspection"]) * int(inspected.sum())


def inspected_share(split, inspected):
    return {"inspected": float(inspected.mean()), "training_rows": float(len(split.y_train))}


def own_prior(split):
    from uqalign.priors import Beta

    return {"pwu_c": {"prior": Beta(3, 5)}}


def priciest(results):
    sides = [results.side(name) for name in results.datasets["plant"]]
    return "The dearest part.", sides[0].nlargest(1, "price")


def price_figure(results):
    import altair as alt

    rows = [{"price": value} for value in results.side("toy_parts")["price"].tolist()]
    return alt.Chart(alt.Data(values=rows)).mark_bar().encode(x="price:Q", y="count()")


INSPECTION = Case(
    name="inspection",
    title="Inspection of parts",
    task="binary",
    arms=(Arm("plant", "The plant", ("toy_case:PARTS_DATA",)),),
    side=prices,
    decide=inspect,
    utility=earned,
    details=inspected_share,
    priors=own_prior,
    options={"inspection": 1.5},
    switches=("annual_rates",),
    tables=(CaseTable("priciest", priciest),),
    figures=(CaseFigure("prices", price_figure),),
    unit="EUR",
)


def last_week(table):
    return table.time >= np.datetime64("2024-01-22")


def weights(table, frame):
    return frame[["weight"]]


def stock(split):
    return split.prediction[0] + np.sqrt(split.prediction[1])


def sold(split, stocked):
    return float(np.minimum(split.y, stocked).sum())


def by_draws(inputs):
    caches = [part.cache.splits[0] for part in inputs.parts]
    if any(cache.prediction is None for cache in caches):
        return
    y = np.concatenate([cache.y for cache in caches])
    mean, var = (np.concatenate([cache.prediction[i] for cache in caches]) for i in (0, 1))
    for draw in range(int(inputs.options["draws"])):
        rows = np.random.default_rng(draw).integers(len(y), size=len(y))
        for name, metric in inputs.metrics.items():
            value, note = noted(metric.evaluate, y[rows], (mean[rows], var[rows]))
            yield draw, 1, "metric", name, "", value, note
        stocked = mean[rows] + np.sqrt(var[rows])
        yield draw, 1, "utility", inputs.case.name, "", float(np.minimum(y[rows], stocked).sum()), ""


DEMAND = Case(
    name="demand",
    title="Demand of the last week",
    task="regression",
    arms=(Arm("shop", "The shop", ("toy_case:DAYS_DATA", "toy_case:MORE_DAYS_DATA")),),
    side=weights,
    decide=stock,
    utility=sold,
    splits=FixedTest(last_week, replicates="draws"),
    score=by_draws,
    options={"draws": 4},
)
