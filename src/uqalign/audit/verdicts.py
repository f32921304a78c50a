"""The table of claims and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from uqalign.audit.claims import SURE, Claim, judge
from uqalign.audit.declared import declared
from uqalign.audit.evidence import evidence_under, printed
from uqalign.audit.settings import DEFINITIONS, PUBLISHED
from uqalign.audit.summaries import MIN_SEEDS
from uqalign.audit.text import markdown_table, share

VIEWS = ("printed", PUBLISHED, DEFINITIONS)
"""The published tables themselves, our run under the published protocol, and under the definitions."""


def verdicts(
    taus: pd.DataFrame, names: Mapping[str, str], folds: int, others: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Every claim under each view.

    Args:
        taus: rows as `TAU_COLUMNS`.
        names: published names of our data sets.
        folds: folds of the cross-validation.
        others: rows as `YARDSTICK_COLUMNS`, under the run's own protocol.

    Returns:
        columns claim, bold, where, text, read_as, and for each view .._verdict, .._at_medians, .._probability,
        .._detail.
    """
    views = {"printed": printed()} | {
        setting: evidence_under(taus, setting, names, folds, others) for setting in (PUBLISHED, DEFINITIONS)
    }
    rows = []
    for claim in declared():
        row: dict[str, object] = {
            "claim": claim.id,
            "bold": claim.bold,
            "where": claim.where,
            "text": claim.text,
            "read_as": claim.read_as,
        }
        for view, evidence in views.items():
            outcome = judge(claim, evidence)
            row |= {
                f"{view}_verdict": outcome.verdict,
                f"{view}_at_medians": outcome.at_medians,
                f"{view}_probability": outcome.probability,
                f"{view}_detail": outcome.detail,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def _counted(table: pd.DataFrame, claims: Sequence[Claim]) -> list[list[str]]:
    lines = []
    for bold, title in ((False, "text and captions"), (True, "bold cells")):
        part = table[table["bold"] == bold]
        for view in VIEWS:
            count = Counter(part[f"{view}_verdict"])
            points = part[f"{view}_at_medians"]
            true = int((points == True).sum())  # noqa: E712 - a column of True, False and None
            told = [str(count[verdict]) for verdict in ("holds", "undecided", "fails", "not run")]
            lines.append([title, _view(view), *told, f"{true} of {int(points.notna().sum())}"])
    return lines


def _view(view: str) -> str:
    return {"printed": "the printed tables", PUBLISHED: "ours, published protocol", DEFINITIONS: "ours, definitions"}[
        view
    ]


def claims_markdown(table: pd.DataFrame) -> str:
    """The claims as a page: counts, then a line a claim."""
    parts = [
        "# Claims",
        "",
        "Each claim is read as a statement about medians over seeds and tested on the published tables as printed, on "
        "our run under the published protocol, and on our run under the definitions. In brackets: the probability that "
        "the statement holds for the medians of other seeds and data, by a bootstrap of seeds whose spread is "
        f"corrected for what seeds share. *Holds*: {SURE} or more; *fails*: {1 - SURE:.2f} or less; *undecided*: in "
        f"between, or fewer than {MIN_SEEDS} seeds. The probabilities are each claim's own: of many claims with "
        "probability 0.95, one in twenty fails. Claims about other priors, other agreements and case studies are "
        "tested under the protocol of the configuration alone.",
        "",
        markdown_table(
            ["claims", "judged by", "holds", "undecided", "fails", "not run", "true of the medians"],
            _counted(table, declared()),
        ),
    ]
    for bold, title in ((False, "## Text and captions"), (True, "## Bold cells: which metric aligns best")):
        part = table[table["bold"] == bold].to_dict("records")
        run = [row for row in part if any(row[f"{view}_verdict"] != "not run" for view in VIEWS[1:])]
        rest = [row for row in part if row not in run]
        parts += [title, "", markdown_table(_HEAD[bold], [_line(row, bold) for row in run]), *_gaps(run, bold)]
        if rest:
            parts += ["Not run here:", "", *(f"- {row['text']} ({row['where']}){_because(row)}" for row in rest), ""]
    return "\n".join(parts)


_HEAD = {
    False: ["claim", "where", "read as", "printed", "published protocol", "definitions", "numbers (definitions)"],
    True: ["claim", "where", "published protocol", "definitions", "numbers: published protocol", "definitions"],
}


def _line(row: Mapping[Any, Any], bold: bool) -> list[str]:
    cells = {view: _outcome(row, view) for view in VIEWS}
    if bold:
        details = [row[f"{view}_detail"] for view in (PUBLISHED, DEFINITIONS)]
        return [row["text"], row["where"], cells[PUBLISHED], cells[DEFINITIONS], *details]
    numbers = row[f"{DEFINITIONS}_detail"]
    if row[f"{DEFINITIONS}_verdict"] == "not run":
        numbers = f"{_view(PUBLISHED)}: {row[f'{PUBLISHED}_detail']}"
    return [row["text"], row["where"], row["read_as"], *cells.values(), numbers]


def _gaps(rows: Sequence[Mapping[Any, Any]], bold: bool) -> list[str]:
    """Why claims that one view can judge are not run in another, a line per view and reason."""
    if bold:  # their numbers stand in the table for either protocol
        return []
    missing = Counter(
        (view, str(row[f"{view}_detail"])) for view in VIEWS for row in rows if row[f"{view}_verdict"] == "not run"
    )
    lines = [f"- {_view(view)}, {count} of the claims: {why}." for (view, why), count in missing.items()]
    return ["Why some columns have *not run*:", "", *lines, ""] if lines else []


def _because(row: Mapping[Any, Any]) -> str:
    return "" if row["bold"] and row["read_as"] else f": {row['definitions_detail']}"


def _outcome(row: Mapping[Any, Any], view: str) -> str:
    verdict, probability = str(row[f"{view}_verdict"]), float(row[f"{view}_probability"])
    return verdict if probability != probability else f"{verdict} ({share(probability)})"
