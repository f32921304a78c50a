"""The tables and figures of a case study: those that every one has, and its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uqalign.cases.case import Case, CaseFigure, CaseTable
from uqalign.cases.figures import alignment_figure
from uqalign.cases.prior_table import prior_table
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.results import Results
from uqalign.cases.switches import switches_table
from uqalign.cases.tables import alignment_table, money_table, render_alignment


def tables_of(case: Case) -> dict[str, CaseTable]:
    """Tables of a case study by name."""
    common = [CaseTable("alignment", alignment_table, render_alignment), CaseTable("money", money_table)]
    if case.score is None:
        common.append(CaseTable("priors", prior_table))
    if case.switches:
        common.append(CaseTable("switches", switches_table))
    return {table.name: table for table in (*common, *case.tables)}


def figures_of(case: Case) -> dict[str, CaseFigure]:
    """Figures of a case study by name."""
    return {figure.name: figure for figure in (CaseFigure("alignment", alignment_figure), *case.figures)}


def read_results(orders: dict[str, Any], files: Sequence[Path]) -> Results:
    """The results that lie in the files of a case study, told apart by their folders.

    Args:
        orders: case, models, metrics, options, switches, n_folds, and the data sets of each arm.
        files: score, alignment, data, side information and prediction files of the case study.

    Raises:
        FileError: score or alignment files that are missing, damaged or of another version.
    """
    from uqalign.contracts.alignment import read_alignment
    from uqalign.contracts.scores import read_scores
    from uqalign.metrics.select import selected

    case = CASES_REGISTRY.get(orders["case"])
    scores: list[Path] = []
    alignments: list[Path] = []
    data: dict[str, Path] = {}
    sides: dict[str, Path] = {}
    splits: dict[tuple[str, str], Path] = {}
    predictions: dict[tuple[str, str], list[Path]] = {}
    for path in files:
        # results/cases/<case>/<kind>/.. or results/<kind>/..
        place = path.parts[path.parts.index("results") + 1 :]
        kind = place[2] if place[0] == "cases" else place[0]
        match kind:
            case "scores":
                scores.append(path)
            case "alignment":
                alignments.append(path)
            case "data":
                data[path.stem] = path
            case "side":
                sides[path.stem] = path
            case "splits":
                splits[place[1], path.stem] = path
            case "predictions":
                predictions.setdefault((place[2], place[3]), []).append(path)
    frame, statuses = read_scores(scores)
    return Results(
        case=case,
        models=orders["models"],
        metrics=selected(case.task, orders["metrics"]),
        switches=frozenset(orders["switches"]),
        changed=orders["options"],
        scores=frame,
        alignment=read_alignment(alignments),
        statuses=statuses,
        folds=orders["n_folds"],
        datasets=orders["datasets"],
        data=data,
        sides=sides,
        splits=splits,
        predictions=predictions,
    )
