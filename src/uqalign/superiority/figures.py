"""Pictures of the checkpoint study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uqalign.superiority.selection import GRID_POINTS
from uqalign.superiority.study import CELL, OUTCOMES

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours: told apart by readers with any kind of colour vision.
COLOURS = {"brier": "#0072B2", "log": "#D55E00"}

TITLES = {
    "macro_f1": "macro-F1",
    "pwu": "PWU loss",
    "utility": "decision utility",
    "ece": "ECE",
    "log": "NLL",
    "brier": "Brier",
    "error": "error rate",
}
"""Outcomes by name."""


def frontier_figure(table: pd.DataFrame) -> Any:
    """Macro-F1, ECE and NLL of the kept epoch along the penalty grid, a row of panels per number of classes.

    Args:
        table: output of `study.frontier`; bars are one standard deviation over seeds either way.
    """
    import altair as alt

    shown = table[table["mode"] == "checkpointing"]
    rows = []
    for classes, block in shown.groupby("classes"):
        panels = []
        for name in ("macro_f1", "ece", "log"):
            data = block.assign(low=block[name] - block[f"{name}_sd"], high=block[name] + block[f"{name}_sd"])
            base = alt.Chart(data).encode(
                x=alt.X("point:N", sort=list(GRID_POINTS), title=None, axis=alt.Axis(labelAngle=-40)),
                color=alt.Color(
                    "base:N",
                    title="base score",
                    scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
                ),
                xOffset=alt.XOffset("base:N", sort=list(COLOURS)),
            )
            bars = base.mark_rule().encode(
                y=alt.Y("low:Q", title=TITLES[name], scale=alt.Scale(zero=False)), y2="high:Q"
            )
            points = base.mark_point(filled=True, size=45).encode(y=alt.Y(f"{name}:Q", scale=alt.Scale(zero=False)))
            panels.append((bars + points).properties(width=230, height=190))
        title = f"{classes} classes, {int(block['cells'].max())} cells"
        rows.append(alt.hconcat(*panels, title=alt.Title(title, anchor="start")))
    return alt.vconcat(*rows).configure_view(stroke="#ccc")


def differences_figure(selections: pd.DataFrame) -> Any:
    """Macro-F1 just above the infimal penalty minus macro-F1 at the published one, a dot per run, by cell."""
    import altair as alt

    grid = selections[(selections["kind"] == "penalised") & (selections["mode"] == "checkpointing")]
    wide = grid.pivot_table(index=[*CELL, "seed", "base"], columns="point", values="macro_f1").reset_index()
    wide["difference"] = wide["supercritical"] - wide["published"]
    wide["cell"] = wide["dataset"] + " / " + wide["regime"]
    data = wide[["cell", "seed", "base", "difference"]]
    color = alt.Color("base:N", title="base score", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())))
    base = alt.Chart(data).encode(y=alt.Y("cell:N", title=None, sort=None), color=color)
    dots = base.mark_circle(size=40, opacity=0.5).encode(
        x=alt.X("difference:Q", title="macro-F1, supercritical minus published"), yOffset=alt.YOffset("base:N")
    )
    means = base.mark_tick(thickness=3, size=14).encode(
        x="mean(difference):Q", yOffset=alt.YOffset("base:N", sort=list(COLOURS))
    )
    zero = alt.Chart().mark_rule(color="#888").encode(x=alt.datum(0))
    return (
        alt.layer(zero, dots, means, data=data).properties(width=420, height=alt.Step(18)).configure_view(stroke="#ccc")
    )


def monitors_figure(table: pd.DataFrame) -> Any:
    """Mean regret of every monitor by every outcome; the colour ranks the monitors within an outcome.

    Args:
        table: output of `monitors.monitor_table`.
    """
    import altair as alt

    shown = table[["outcome", "monitor", "regret"]].copy()
    shown["place"] = shown.groupby("outcome")["regret"].rank(method="average")
    shown["outcome_title"] = shown["outcome"].map(TITLES)
    worst = len(shown["monitor"].unique())
    base = alt.Chart(shown).encode(
        x=alt.X(
            "outcome_title:N",
            sort=[TITLES[name] for name in OUTCOMES],
            title="judged on the test pictures by",
            axis=alt.Axis(labelAngle=-30),
        ),
        y=alt.Y("monitor:N", sort=list(dict.fromkeys(shown["monitor"])), title="epoch kept by"),
    )
    scale = alt.Scale(scheme="viridis", reverse=True, domain=[1, worst])
    tiles = base.mark_rect().encode(color=alt.Color("place:Q", title="place (1: best)", scale=scale))
    text = base.mark_text(fontSize=11).encode(
        text=alt.Text("regret:Q", format=".2~g"),
        color=alt.condition(f"datum.place > {worst / 2}", alt.value("white"), alt.value("black")),
    )
    return (tiles + text).properties(width=alt.Step(78), height=alt.Step(26))
