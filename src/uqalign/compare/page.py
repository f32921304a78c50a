"""A comparison as the report's page and as CSV tables."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from uqalign.alignment import seed_taus
from uqalign.compare.outcome import Outcome
from uqalign.compare.predictions import Predictions
from uqalign.errors import UserError
from uqalign.files import write_text
from uqalign.report.contents import Contents, Facts
from uqalign.report.curves import model_curves
from uqalign.report.page import build_page
from uqalign.report.words import counted
from uqalign.tasks import CLASSIFICATION

PAGE = "report.html"
TABLES = ("scores.csv", "leaderboard.csv", "alignment.csv", "alignment_by_repeat.csv")


def curves_of(found: Predictions, outcome: Outcome) -> pd.DataFrame:
    """Decision curves, reliability, coverage and retention of every model."""
    families = [decision.family for decision in outcome.decisions]
    frames = []
    for model in found.models:
        names = {"task": found.task, "dataset": outcome.dataset, "model": model}
        frames.append(model_curves(found.task, found.width, found.splits(model), names, families))
    # References are the same for every model.
    lines = pd.concat(frames, ignore_index=True)
    return lines.drop_duplicates(["curve", "family", "parameter", "model", "x"], ignore_index=True)


def contents_of(found: Predictions, outcome: Outcome, *, files: Sequence[Path], command: str) -> Contents:
    """What the page shows.

    Args:
        files: where the predictions came from.
        command: what makes the page.
    """
    task, dataset = outcome.task, outcome.dataset
    taus = pooled = None
    if outcome.ranked:
        taus = seed_taus(outcome.alignment).assign(task=task)
        pooled = outcome.aligned.rename(columns={"low": "t_low", "high": "t_high"}).assign(datasets=1)
    facts = Facts(
        lines=[f"{counted(len(outcome.models), 'model')}, {outcome.repeats}, {counted(len(found.y), 'row')} in all."],
        datasets=pd.DataFrame([_data(found, outcome, files)]),
        models=_files(found) if len(files) > 1 else None,
    )
    parts = ("alignment", "pooled", "standings", "curves")
    return Contents(
        title=f"Predictions of {dataset}, compared",
        datasets={dataset: task},
        models=outcome.models,
        metrics={task: {metric.name: metric for metric in outcome.metrics}},
        alignment=taus,
        pooled=pooled,
        standings=outcome.standings,
        curves=curves_of(found, outcome),
        families={task: [decision.family for decision in outcome.decisions]},
        facts=facts,
        commands=dict.fromkeys(parts, command),
    )


def _files(found: Predictions) -> pd.DataFrame:
    rows = [(model, ", ".join(str(path) for path in paths)) for model, paths in found.sources.items()]
    return pd.DataFrame(rows, columns=["model", "predictions"])


def _data(found: Predictions, outcome: Outcome, files: Sequence[Path]) -> dict[str, object]:
    told: dict[str, object] = {"data set": outcome.dataset, "task": found.task, "rows": len(found.y)}
    if found.task in CLASSIFICATION:
        counts = pd.Series(found.y).value_counts().reindex(range(found.width), fill_value=0).astype(int)
        told["rows by class"] = ", ".join(f"{count:,}" for count in counts)
    told["repeats"] = str(outcome.repeats)
    told["files"] = ", ".join(path.name for path in files)
    return told


def write_folder(
    folder: Path, found: Predictions, outcome: Outcome, *, files: Sequence[Path], command: str, force: bool
) -> list[Path]:
    """Write the tables, then the page; each file appears when it is whole.

    Args:
        force: replace files of an earlier comparison.

    Returns:
        the files written, the page first.

    Raises:
        UserError: a file is there already, see `check_folder`.
    """
    check_folder(folder, force)
    tables = {
        "scores.csv": outcome.scores,
        "leaderboard.csv": outcome.standings,
        "alignment.csv": outcome.aligned,
        "alignment_by_repeat.csv": outcome.alignment,
    }
    written = []
    for name, frame in tables.items():
        if outcome.ranked or not name.startswith("alignment"):
            write_text(folder / name, frame.to_csv(index=False))
            written.append(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    write_text(folder / PAGE, build_page(contents_of(found, outcome, files=files, command=command)))
    return [folder / PAGE, *written]


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that holds an earlier comparison, or that is none, and a page without its libraries.

    Raises:
        UserError: says which file is there, or what is missing, and what to do.
    """
    missing = [name for name in ("jinja2", "vl_convert") if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"--out writes a page, which needs {' and '.join(missing)}: pip install 'uqalign[report]'")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder} is a file: name a folder")
    present = [name for name in (PAGE, *TABLES) if (folder / name).exists()]
    if present and not force:
        raise UserError(f"{folder / present[0]} exists: choose another --out, or replace it with --force")
