"""Runtime and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.report import charts
from uqalign.report.contents import Contents
from uqalign.report.elements import Block, Figure, Section, Table

if TYPE_CHECKING:
    import pandas as pd


def resources(contents: Contents) -> Section | None:
    """Seconds of a fit by model, and time and memory of every kind of job."""
    blocks: list[Block] = []
    fits = contents.facts.fits
    if fits is not None and len(fits):
        blocks += _seconds(contents, fits[fits["error"] == ""])
    if contents.resources is not None and len(contents.resources):
        caption = (
            "Jobs by rule: wall time (s), the largest resident memory (MB) and hours in all, as Snakemake measured "
            "them. Times depend on what else the machine did."
        )
        table = Table(
            "resources-jobs", "Jobs", caption, contents.resources, command=contents.command("resources"),
        )  # fmt: skip
        blocks.append(table)
    return Section("resources", "Runtime and memory", [], blocks) if blocks else None


def _seconds(contents: Contents, fits: pd.DataFrame) -> list[Block]:
    if fits.empty:
        return []
    grouped = fits.assign(device=fits["device"].str.partition(":")[0]).groupby(
        ["dataset", "model", "device"], sort=False
    )
    frame = grouped["seconds"].agg(seconds="median", fits="size").reset_index()
    # A logarithm needs more than zero; times are recorded to a tenth of a millisecond.
    frame["seconds"] = frame["seconds"].clip(lower=1e-4).round(5)
    slowest = frame.iloc[int(frame["seconds"].to_numpy().argmax())]
    return [
        Figure(
            "resources-seconds",
            "Time of a fit",
            "Median seconds of fit and prediction, a dot per data set. Where many fits are trained together, each has "
            "an equal share of the time.",
            f"Dots of the median seconds of a fit on a logarithmic scale, one line a model. The slowest is "
            f"{slowest['model']} on {slowest['dataset']}.",
            charts.seconds("resources-seconds", [m for m in contents.models if m in set(frame["model"])]),
            {"resources-seconds": frame},
            contents.command("fits"),
        )
    ]
