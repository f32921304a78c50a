"""The first answer: per decision family, the metric that aligns best and the model that earns most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from uqalign.report.contents import Contents
from uqalign.report.elements import Section, Table, Text
from uqalign.report.ranks import mean_ranks
from uqalign.report.words import between, cell, number

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.families import Family


def glance(contents: Contents) -> Section:
    """What was compared in a sentence each, and the table of the best."""
    import pandas as pd

    blocks: list[Any] = [Text("glance-facts", "", contents.facts.lines)] if contents.facts.lines else []
    rows = [_row(contents, family) for task in contents.tasks for family in contents.families_of(task)]
    known = [row for row in rows if row]
    if known:
        blocks.append(Table("glance-table", "The best per decision", _caption(contents), pd.DataFrame(known)))
    if contents.alignment is None:
        intro = [
            "A model is as good as the decisions that are taken from its predictions: which is best depends on them."
        ]
    else:
        intro = [
            "A metric is useful to a decision maker if it ranks models as their decisions would. Kendall's tau-b is 1 "
            "where both rankings agree, 0 where they have nothing to do with each other, and -1 where one is the other "
            "reversed."
        ]
    return Section("glance", "At a glance", intro, blocks)


def _caption(contents: Contents) -> str:
    single = len(contents.datasets) == 1
    over = "repeats" if single else "data sets"
    metric = (
        "the metric whose ranking of the models agrees best with the ranking by realised utility (mean of Kendall's "
        f"tau-b over {over}; in brackets the 95 % interval over {over}), the best prior-weighted utility beside the "
        "best classical metric, and "
    )
    best = "the model of best mean rank by utility"
    if single:
        best = "the model of best mean utility"
    if single and contents.alignment is not None:
        best += ", with those that the repeats do not tell apart from it"
    return f"Per decision family: {metric if contents.pooled is not None else ''}{best}."


def _best(pooled: pd.DataFrame, titles: dict[str, str]) -> str:
    known = pooled.dropna(subset=["mean"])
    if known.empty:
        return "--"
    first = known.iloc[int(known["mean"].to_numpy().argmax())]
    interval = "" if math.isnan(first["t_low"]) else f" {between(first['t_low'], first['t_high'])}"
    return f"{titles[first['metric']]}: {number(first['mean'])}{interval}"


def _row(contents: Contents, family: Family) -> dict[str, str]:
    row = {"decision": family.title, "task": family.task}
    found = False
    if contents.pooled is not None:
        part = contents.pooled[contents.pooled["family"] == family.name]
        weighted = part["metric"].isin(contents.weighted(family.task))
        titles = contents.titles(family.task)
        found = not part.empty
        row["best prior-weighted utility"] = _best(part[weighted], titles)
        row["best classical metric"] = _best(part[~weighted], titles)
    if contents.standings is not None:
        ranks = mean_ranks(contents.standings, family.name)
        found = found or not ranks.empty
        row["best model"] = _best_model(contents, family, ranks)
    return row if found else {}


def _best_model(contents: Contents, family: Family, ranks: pd.Series[float]) -> str:
    assert contents.standings is not None
    if ranks.empty:
        return "--"
    if len(contents.datasets) > 1:
        return f"{ranks.index[0]} (mean rank {number(ranks.iloc[0])})"
    frame = contents.standings
    part = frame[(frame["kind"] == "utility") & (frame["name"] == family.name)].set_index("model")
    others = [name for name in ranks.index[1:] if part["behind"][name] == 0 or part["behind_low"][name] <= 0]
    words = "not told apart" if part["low"].notna().any() else "as good"
    beside = f"; {words}: {', '.join(others)}" if others else ""
    return f"{ranks.index[0]} ({cell(part['mean'][ranks.index[0]])}){beside}"
