"""Decision curves with their priors, and the quality of the predictions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from uqalign.families import Family
from uqalign.report import curve_charts
from uqalign.report.contents import Contents
from uqalign.report.curves import ALWAYS, GRID, MOST_REPEATS, NEVER
from uqalign.report.elements import Block, Figure, Section
from uqalign.tasks import CLASSIFICATION, Task

if TYPE_CHECKING:
    import pandas as pd

PARAMETERS = {
    "c": "cost c of acting in vain (1 - c: of a missed event)",
    "q": "share selected, k/n",
    "lambda_factor": "cost of abstaining over the variance of the target",
    "gamma_factor": "aversion to risk, times the target's standard deviation",
}

AVERAGED = (
    f"Means over test folds and repeats, no more than the first {MOST_REPEATS}. Curves follow the definitions: a "
    "published protocol, where the configuration sets one, changes scores, rankings and alignment, but no curve."
)


class Quality(NamedTuple):
    """One kind of curve: its titles and how to read it."""

    title: str
    x: str
    y: str
    text: str
    alt: str
    unit_square: bool


_RELIABILITY = Quality(
    "reliability", "mean forecast", "observed frequency",
    "Rows in ten bins by forecast, pooled over test folds and repeats; on the diagonal, events are as frequent as "
    "forecast.",
    "Reliability diagram: observed frequency by mean forecast, a line per model, one panel a data set.", True,
)  # fmt: skip
_COVERAGE = Quality(
    "coverage", "level of the interval", "share of targets inside",
    "Central Gaussian intervals at each level; on the diagonal, they hold as many targets as they promise. Below it, "
    "variances are too small.",
    "Coverage: share of targets inside central intervals by their level, a line per model, one panel a data set.", True,
)  # fmt: skip
_RETENTION = Quality(
    "retention", "share of rows kept, least uncertain first", "mean error of the rows kept",
    "Rows are kept from the least uncertain on. A curve that rises to the right says that the uncertainty tells which "
    "rows are wrong.",
    "Retention: mean error of the rows kept, by the share kept, a line per model, one panel a data set.", False,
)  # fmt: skip


def _part(contents: Contents, task: Task, curve: str) -> pd.DataFrame:
    assert contents.curves is not None
    frame = contents.curves
    return frame[(frame["task"] == task) & (frame["curve"] == curve)].dropna(subset=["y"])


def _present(contents: Contents, part: pd.DataFrame) -> tuple[list[str], list[str]]:
    datasets, models = set(part["dataset"]), set(part["model"])
    return [d for d in contents.datasets if d in datasets], [m for m in contents.models if m in models]


def _digits(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers with five significant digits: what can be seen, in fewer bytes."""
    numbers = frame.select_dtypes("float").columns
    return frame.assign(**{name: [float(f"{value:.5g}") for value in frame[name]] for name in numbers})


def decisions(contents: Contents) -> Section | None:
    """One chart per family and parameter."""
    if contents.curves is None or contents.curves.empty:
        return None
    blocks = [
        block
        for task in contents.tasks
        for family in contents.families_of(task)
        for parameter in family.priors
        for block in _decision(contents, family, parameter)
    ]
    intro = [
        "What decisions realise as their parameter changes: for yes/no decisions this is the Murphy diagram, turned so "
        "that higher is better. The shade is the prior: how much each decision counts in the prior-weighted utility. A "
        "model that is ahead only where there is no shade is ahead for nobody.",
        f"{AVERAGED} Click on a model in the legend to see it alone.",
    ]
    return Section("decisions", "Decision curves", intro, blocks) if blocks else None


def _decision(contents: Contents, family: Family, parameter: str) -> list[Block]:
    import pandas as pd

    part = _part(contents, family.task, "decision")
    part = part[(part["family"] == family.name) & (part["parameter"] == parameter)]
    datasets, models = _present(contents, part)
    if not models:
        return []
    name = f"decision-{family.name}-{parameter}".replace("_", "-")
    others = [other for other in family.priors if other != parameter]
    held = f" Held at its prior's mean: {' and '.join(PARAMETERS[o].split(',')[0] for o in others)}." if others else ""
    references = [model for model in (NEVER, ALWAYS) if model in set(part["model"])]
    dashed = " Grey dashes: never acting, always acting." if references else ""
    averaged = " Averaged over the classes." if "j" in family.parameters else ""
    density = pd.DataFrame({"x": GRID, "density": family.priors[parameter].density(GRID)})
    frame = part[["dataset", "model", "x", "y", "low", "high"]]
    label = PARAMETERS[parameter]
    return [
        Figure(
            name,
            f"{family.title}: by {label.split(' (')[0]}",
            f"Realised utility by {label}; shaded: the prior {family.priors[parameter]!r}.{held}{averaged}{dashed}",
            f"Lines of realised utility by {label}, one per model and one panel a data set, above the density of the "
            f"prior, which is highest at {family.priors[parameter].mode:.2f}.",
            curve_charts.decision_curve(
                name,
                f"{name}-prior",
                datasets,
                models,
                contents.models,
                references,
                label.split(" (")[0],
                repeated=bool(part["low"].notna().any()),
            ),
            {name: _digits(frame), f"{name}-prior": _digits(density)},
            contents.command("curves"),
            (family.name,),
            half=len(datasets) <= 2,
        )
    ]


def quality(contents: Contents) -> Section | None:
    """Reliability, coverage and retention, one chart a task."""
    if contents.curves is None or contents.curves.empty:
        return None
    blocks: list[Block] = []
    for task in contents.tasks:
        for kind in ([_RELIABILITY] if task in CLASSIFICATION else [_COVERAGE]) + [_RETENTION]:
            blocks += _quality(contents, task, kind)
    intro = [
        "How far predictions can be taken at their word, and whether uncertainty points to errors. Neither says by "
        "itself what a decision earns: see above.",
        AVERAGED,
    ]
    return Section("quality", "Reliability, coverage and retention", intro, blocks) if blocks else None


def _quality(contents: Contents, task: Task, kind: Quality) -> list[Block]:
    part = _part(contents, task, kind.title)
    datasets, models = _present(contents, part)
    if not models:
        return []
    name = f"{kind.title}-{task}"
    top = " Of several classes, the most probable one." if (task, kind) == ("multiclass", _RELIABILITY) else ""
    each = " Means over the coordinates of the target." if task == "multivariate" else ""
    error = ""
    if kind is _RETENTION:
        error = " Errors are wrong labels." if task in CLASSIFICATION else " Errors are squared, in the target's unit."
    columns = ["dataset", "model", "x", "y", "rows"] if kind is _RELIABILITY else ["dataset", "model", "x", "y"]
    return [
        Figure(
            name,
            f"{task.capitalize()}: {kind.title}",
            f"{kind.text}{error}{top}{each}",
            kind.alt,
            curve_charts.quality_curve(
                name,
                datasets,
                models,
                contents.models,
                x=kind.x,
                y=kind.y,
                unit_square=kind.unit_square,
                rows=kind is _RELIABILITY,
            ),
            {name: _digits(part[columns])},
            contents.command("curves"),
            tuple(family.name for family in contents.families_of(task)),
            half=len(datasets) <= 2,
        )
    ]
