"""Figures 1 to 4 of "Minimal Superior Penalties", drawn from the closed forms and from scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqalign.scoring_rules.penalties import (
    BASES,
    endpoints,
    implemented_penalty,
    infimal_penalty,
    penalty_value,
    published_penalty,
)
from uqalign.scoring_rules.ties import LETTER, Ties
from uqalign.scoring_rules.verification.propriety import escape_threshold, expected_scores

CORRECT, INCORRECT, ACCENT = "#0072B2", "#D55E00", "#555555"
CLASSES = 13
_TITLES = {"brier": "Brier (sum form)", "log": "log score"}


def _altair() -> Any:
    import altair as alt

    return alt


def _frame(rows: list[dict[str, Any]]) -> Any:
    import pandas as pd

    return pd.DataFrame(rows)


def _colour() -> Any:
    alt = _altair()
    scale = alt.Scale(domain=["correct", "incorrect"], range=[CORRECT, INCORRECT])
    return alt.Color("forecasts:N", title="forecasts", scale=scale)


def score_ranges() -> Any:
    """Figure 1: scores of correct and incorrect forecasts overlap, and no longer do with the penalty."""
    alt = _altair()
    panels = []
    for base in BASES:
        ends, penalty = endpoints(CLASSES, base), penalty_value("infimal+", CLASSES, base)
        top = 2.0 + penalty if base == "brier" else 5.0 + penalty
        rows = []
        for name, shift in (("without penalty", 0.0), ("infimal penalty + 0.001", penalty)):
            rows.append({"rule": name, "forecasts": "correct", "low": 0.0, "high": ends.correct})
            high = min(top, 2.0 + shift) if base == "brier" else top
            rows.append({"rule": name, "forecasts": "incorrect", "low": ends.incorrect + shift, "high": high})
        title = _TITLES[base] + (" (incorrect forecasts continue to infinity)" if base == "log" else "")
        panels.append(
            alt.Chart(_frame(rows), title=f"{title}, {CLASSES} classes")
            .mark_bar(size=14, opacity=0.85)
            .encode(
                x=alt.X("low:Q", title="score", scale=alt.Scale(domain=[0, top])),
                x2="high:Q",
                y=alt.Y("rule:N", title=None, sort=None),
                yOffset=alt.YOffset("forecasts:N"),
                color=_colour(),
            )
            .properties(width=420, height=90)
        )
    return alt.vconcat(*panels)


def attainment() -> Any:
    """Figure 2: which endpoint is attained (filled) or only approached (hollow), by convention and true class."""
    alt = _altair()
    cases: list[tuple[Ties, int | None, str]] = [
        ("permissive", None, "A, any class"),
        ("order", 0, "B, first class"),
        ("order", CLASSES - 1, "B, other class"),
        ("strict", None, "C, any class"),
    ]
    panels = []
    for base in BASES:
        rows = []
        for ties, true_class, label in cases:
            ends = endpoints(CLASSES, base, ties=ties, true_class=true_class)
            for kind, value, attained in (
                ("correct", ends.correct, ends.correct_attained),
                ("incorrect", ends.incorrect, ends.incorrect_attained),
            ):
                words = "attained" if attained else "approached only"
                rows.append({"case": label, "forecasts": kind, "score": value, "endpoint": words})
        panels.append(
            alt.Chart(_frame(rows), title=f"{_TITLES[base]}, {CLASSES} classes")
            .mark_point(size=110, strokeWidth=2)
            .encode(
                x=alt.X("score:Q", title="endpoint", scale=alt.Scale(zero=False, padding=20)),
                y=alt.Y("case:N", title=None, sort=None),
                color=_colour(),
                fill=alt.Fill(
                    "filled:N",
                    legend=None,
                    scale=alt.Scale(domain=["correct", "incorrect", "none"], range=[CORRECT, INCORRECT, "white"]),
                ),
                shape=alt.Shape("endpoint:N", title="endpoint", scale=alt.Scale(range=["circle", "square"])),
            )
            .transform_calculate(filled="datum.endpoint == 'attained' ? datum.forecasts : 'none'")
            .properties(width=260, height=130)
        )
    return alt.hconcat(*panels)


def uniform_escape() -> Any:
    """Figure 3: expected score of an honest and of a uniform report under convention A, as the penalty grows."""
    alt = _altair()
    c = 10
    truth = np.full((1, c), 0.6 / (c - 1))
    truth[0, 0] = 0.4
    uniform = np.full((1, c), 1 / c)
    rows = []
    for penalty in np.linspace(0, 1.2, 25):
        for report, p in (("honest", truth), ("uniform", uniform)):
            for ties in ("permissive", "order"):
                score = expected_scores(truth, p, "brier", float(penalty), ties)[0]
                rows.append(
                    {
                        "penalty": penalty,
                        "report": report,
                        "score": score,
                        "convention": f"convention {LETTER[ties]}",
                    }
                )
    marks = _frame(
        [
            {"penalty": float(escape_threshold(truth, "brier")[0]), "what": "escape"},
            {"penalty": infimal_penalty(c), "what": "infimal"},
            {"penalty": published_penalty(c), "what": "published"},
        ]
    )
    panels = []
    for name in ("convention A", "convention B"):
        shown = [row for row in rows if row["convention"] == name]
        lines = (
            alt.Chart(_frame(shown))
            .mark_line()
            .encode(
                x=alt.X("penalty:Q", title="penalty"),
                y=alt.Y("score:Q", title="expected Brier score + penalty"),
                color=alt.Color("report:N", scale=alt.Scale(range=[CORRECT, INCORRECT])),
                strokeDash=alt.StrokeDash("report:N"),
            )
        )
        rules = alt.Chart(marks).mark_rule(color=ACCENT, strokeDash=[2, 2]).encode(x="penalty:Q")
        words = (
            alt.Chart(marks)
            .mark_text(angle=270, align="left", dx=4, dy=-6, color=ACCENT)
            .encode(x="penalty:Q", y=alt.value(230), text="what:N")
        )
        title = f"{name}: truth (0.4, 0.067, ...), {c} classes"
        panels.append(alt.layer(lines, rules, words, title=title).properties(width=300, height=230))
    return alt.hconcat(*panels).resolve_scale(y="shared")


def penalties_on_one_axis() -> Any:
    """Figure 4: infimal, published and implemented penalty; everything right of the infimal one is admissible."""
    alt = _altair()
    panels = []
    for base in BASES:
        values = {
            "infimal": infimal_penalty(CLASSES, base),
            "published": published_penalty(CLASSES, base),
            "implemented": implemented_penalty(CLASSES, base),
        }
        if base == "log":
            values = {"infimal": values["infimal"], "published = implemented": values["published"]}
        rows = [
            {"penalty": value, "name": f"{name} {value:.4g}", "ratio": f"{value / values['infimal']:.3g} x"}
            for name, value in values.items()
        ]
        shared = alt.Chart(_frame(rows), title=f"{_TITLES[base]}, {CLASSES} classes").encode(
            x=alt.X("penalty:Q", title="penalty", scale=alt.Scale(type="log", nice=False, padding=60)),
            y=alt.Y("name:N", title=None, sort=None),
        )
        panels.append(
            alt.layer(
                shared.mark_point(size=110, filled=True, color=CORRECT, opacity=1),
                shared.mark_text(align="left", dx=10, color=ACCENT).encode(text="ratio:N"),
            ).properties(width=420, height=80)
        )
    return alt.vconcat(*panels)


FIGURES = {
    "figure_1": score_ranges,
    "figure_2": attainment,
    "figure_3": uniform_escape,
    "figure_4": penalties_on_one_axis,
}
"""Figures by file name."""
