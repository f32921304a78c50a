"""Facts of a run that its results hold beside the numbers: records of runs, and what the jobs took."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LATEST = 10
"""Records of runs that are shown."""


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    """Readable records, the latest first."""
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            yield json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue


def runs(results: Path) -> pd.DataFrame:
    """The latest runs of the workflow: columns started, ended, status, commit, command.

    Args:
        results: folder the workflow writes to.
    """
    import pandas as pd

    rows = []
    for record in _records(results / "manifest"):
        git = record.get("git") or {}
        commit = git.get("commit", "")[:12] + (" (changed)" if git.get("changed") else "")
        program, *arguments = record.get("command") or [""]
        rows.append(
            {
                "started": record.get("started", ""), "ended": record.get("ended", ""),
                "status": record.get("status", ""), "commit": commit,
                "command": " ".join([Path(program).name, *arguments]),
            }
        )  # fmt: skip
    return pd.DataFrame(rows[:LATEST], columns=["started", "ended", "status", "commit", "command"])


def machine(results: Path) -> Mapping[str, str]:
    """The machine of the latest recorded run, in words; empty without records."""
    found = next((record["machine"] for record in _records(results / "manifest") if "machine" in record), None)
    if found is None:
        return {}
    memory = found.get("memory_bytes")
    told = {
        "System": found.get("system"),
        "Processor": f"{found.get('processor')}, {found.get('cores')} cores",
        "Memory": f"{memory / 2**30:.0f} GiB" if memory else None,
        "GPUs": ", ".join(found.get("gpus") or []) or "none",
        "Python": found.get("python"),
    }
    return {name: str(value) for name, value in told.items() if value}


def job_times(results: Path) -> pd.DataFrame:
    """What the jobs took by rule, the longest in all first.

    Args:
        results: folder the workflow writes to; its benchmark files are read.

    Returns:
        columns rule, jobs, median s, longest s, hours in all, largest memory MB.
    """
    import pandas as pd

    folder = results / "benchmarks"
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for measured in csv.DictReader(file, delimiter="\t"):
                rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
                rows.append((rule, _number(measured.get("s")), _number(measured.get("max_rss"))))
    frame = pd.DataFrame(rows, columns=["rule", "s", "mb"])
    grouped = frame.groupby("rule")
    table = pd.DataFrame(
        {
            "jobs": grouped.size().astype(int),
            "median s": grouped["s"].median(),
            "longest s": grouped["s"].max(),
            "hours in all": grouped["s"].sum() / 3600,
            "largest memory MB": grouped["mb"].max(),
        }
    )
    return table.sort_values("hours in all", ascending=False).reset_index(names="rule")


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:  # Snakemake writes NA where a job was too short to be measured
        return float("nan")
