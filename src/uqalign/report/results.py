"""A page's contents from the files of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.alignment import seed_taus
from uqalign.contracts.alignment import read_alignment
from uqalign.metrics.select import selected
from uqalign.report.contents import Contents, Facts
from uqalign.report.elements import Section
from uqalign.report.facts import job_times, machine, runs
from uqalign.report.frames import CURVE_COLUMNS, FIT_COLUMNS, STANDING_COLUMNS, read_frames
from uqalign.report.sections.galleries import Shelf, audit, case_studies, superiority
from uqalign.report.sections.sensitivity import sensitivity
from uqalign.report.words import counted

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.metrics.metric import Metric
    from uqalign.tasks import Task


DATASET_COLUMNS = ["name", "title", "task", "rows", "features", "source"]
MODEL_COLUMNS = ["name", "title", "kind", "predicts"]


@dataclass(frozen=True)
class Files:
    """Files of a run, found by where they lie below its results."""

    paths: Sequence[Path]

    def below(self, *folders: str, suffix: str = "", stem: str = "") -> list[Path]:
        """Files in `results/FOLDERS...`, at any depth, in their given order.

        Args:
            suffix: of the files wanted, such as `.csv`.
            stem: beginning of their names.
        """
        return [
            path
            for path in self.paths
            if _place(path)[: len(folders)] == folders
            and (not suffix or path.suffix == suffix)
            and path.name.startswith(stem)
        ]

    def shelf(self, *folders: str, command: str) -> Shelf:
        """The tables and pictures in `results/FOLDERS...`."""
        return Shelf(self.below(*folders, suffix=".csv"), self.below(*folders, suffix=".png"), command)


def _place(path: Path) -> tuple[str, ...]:
    parts = path.parts
    return parts[len(parts) - 1 - parts[::-1].index("results") + 1 :]


def _taus(paths: Sequence[Path]) -> pd.DataFrame:
    """Each metric's mean tau by data set, family and seed, with the data set's task."""
    alignment = read_alignment(paths)
    return seed_taus(alignment).merge(alignment[["dataset", "task"]].drop_duplicates(), on="dataset", how="left")


def _pooled(paths: Sequence[Path]) -> pd.DataFrame | None:
    import pandas as pd

    parts = [pd.read_csv(path).assign(family=path.stem.removeprefix("pooled_")) for path in paths]
    return pd.concat(parts, ignore_index=True) if parts else None


def contents_of(files: Files, orders: Mapping[str, Any], results: Path) -> Contents:
    """What the page of a run shows.

    Args:
        files: every result that the page is about.
        orders: what the stage is told, see `report.plan.PagePlan.page_spec`.
        results: folder of the records and measurements of jobs.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    import pandas as pd

    datasets: dict[str, Task] = {entry["name"]: entry["task"] for entry in orders["datasets"]}
    metrics = {task: selected(task, orders["metrics"]) for task in dict.fromkeys(datasets.values())}
    data = ("report", "data")
    aligned = files.below("alignment", suffix=".parquet")
    fits = read_frames(files.below(*data, stem="fits"), "fits", FIT_COLUMNS)
    theory = [path for path in files.below("tables") if path.name == "table_1.csv"]
    return Contents(
        title="Which metrics rank models as their decisions would?",
        datasets=datasets,
        models=[entry["name"] for entry in orders["models"]],
        metrics=metrics,
        alignment=_taus(aligned) if aligned else None,
        pooled=_pooled(files.below("tables", stem="pooled_", suffix=".csv")),
        standings=read_frames(files.below(*data, stem="standings"), "standings", STANDING_COLUMNS),
        curves=read_frames(files.below(*data, stem="curves"), "curves", CURVE_COLUMNS),
        facts=_facts(orders, fits, results),
        theory=pd.read_csv(theory[0]) if theory else None,
        resources=job_times(results),
        extra=_extra(files, orders, metrics),
        commands=orders["commands"],
    )


def _facts(orders: Mapping[str, Any], fits: pd.DataFrame, results: Path) -> Facts:
    import pandas as pd
    import yaml

    seeds, folds = len(orders["seeds"]), orders["folds"]
    failed = int((fits["error"] != "").sum())
    lines = []
    if orders["datasets"]:
        lines.append(
            f"{counted(len(orders['models']), 'model')} on {counted(len(orders['datasets']), 'data set')}, "
            f"{counted(seeds, 'repeat')} of {folds}-fold cross-validation: {counted(len(fits), 'fit')}, "
            f"{failed or 'none'} of them failed."
        )
    if orders["absent"]:
        lines.append(f"Left out: {', '.join(entry['model'] for entry in orders['absent'])} (see what was run).")
    return Facts(
        lines=lines,
        config=yaml.safe_dump(orders["config"], sort_keys=False, width=100),
        datasets=pd.DataFrame(orders["datasets"], columns=DATASET_COLUMNS).rename(columns={"name": "data set"}),
        models=pd.DataFrame(orders["models"], columns=MODEL_COLUMNS).rename(columns={"name": "model"}),
        absent=pd.DataFrame(orders["absent"], columns=["model", "title", "why"]),
        fits=fits,
        runs=runs(results),
        machine=machine(results),
    )


def _extra(files: Files, orders: Mapping[str, Any], metrics: Mapping[Task, Mapping[str, Metric]]) -> list[Section]:
    """Case studies of the configuration, and the sections that it asks for."""
    sections = []
    if orders["cases"]:
        shelves = {
            entry["name"]: files.shelf("cases", entry["name"], command="snakemake --cores 2 cases")
            for entry in orders["cases"]
        }
        titles = {entry["name"]: entry["title"] for entry in orders["cases"]}
        named = {
            entry["name"]: {name: m.title for name, m in selected(entry["task"], orders["metrics"]).items()}
            for entry in orders["cases"]
        }
        sections.append(case_studies(shelves, titles, named))
    for section in orders["sections"]:
        match section:
            case "sensitivity":
                tables = {
                    kind: _by_task(files.below("sensitivity", "tables", stem=f"{kind}_", suffix=".csv"), kind)
                    for kind in ("surfaces", "levels")
                }
                sections.append(sensitivity(tables["surfaces"], tables["levels"], metrics))
            case "audit":
                sections.append(audit(files.shelf("audit", command="snakemake --cores 2 audit")))
            case "superiority":
                sections.append(superiority(files.shelf("superiority", command="snakemake --cores 2 superiority")))
    return sections


def _by_task(paths: Sequence[Path], kind: str) -> dict[Task, pd.DataFrame]:
    import pandas as pd

    return {path.stem.removeprefix(f"{kind}_"): pd.read_csv(path) for path in paths}  # type: ignore[misc]
