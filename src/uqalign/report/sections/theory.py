"""What is known without any data: which metric is aligned with which decisions."""

from __future__ import annotations

from uqalign.families import FAMILIES
from uqalign.report.contents import Contents
from uqalign.report.elements import Section, Table


def theory(contents: Contents) -> Section | None:
    """The table of verdicts, one row an entry."""
    found = contents.theory
    if found is None:
        return None
    found = found[found["task"].isin(contents.tasks)]
    if found.empty:
        return None
    entries = found.drop_duplicates(["task", "metric", "family", "scope"]).fillna("")
    shown = entries.assign(family=[FAMILIES[name].title for name in entries["family"]])
    columns = ["task", "metric", "family", "scope", "verdict", "prior", "reason"]
    strong = {(i, 4) for i, verdict in enumerate(shown["verdict"]) if verdict == "aligned"}
    table = Table(
        "theory-table", "Which metric is aligned with which decisions",
        "Every entry is checked by execution: an identity for those that are aligned, a counterexample for the others.",
        shown[columns], data=found, command=contents.command("theory"), strong=frozenset(strong), folded=True,
    )  # fmt: skip
    intro = [
        "An aligned metric ranks any two models as the expected utility under its prior does, on every data set. What "
        "is measured above is how far the others come close on these data sets."
    ]
    return Section("theory", "What theory says", intro, [table])
