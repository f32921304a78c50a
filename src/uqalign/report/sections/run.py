"""What was run: configuration, data, models, failures, versions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from uqalign.report.contents import Contents
from uqalign.report.elements import Block, Section, Table, Text
from uqalign.report.words import counted, duration

if TYPE_CHECKING:
    import pandas as pd

MOST_FAILURES = 200
"""Failed fits listed on the page; the CSV lists all."""


def run(contents: Contents) -> Section | None:
    """Everything needed to judge, and to repeat, what the page shows."""
    facts = contents.facts
    blocks: list[Block] = []
    if facts.datasets is not None and len(facts.datasets):
        blocks.append(Table("run-datasets", "Data sets", "The data sets of this run.", facts.datasets))
    if facts.models is not None and len(facts.models):
        blocks.append(Table("run-models", "Models", "The models of this run.", facts.models))
    if facts.absent is not None and len(facts.absent):
        caption = "Models that this page does not compare, and why."
        blocks.append(Table("run-absent", "Models left out", caption, facts.absent))
    if facts.fits is not None and len(facts.fits):
        blocks += _fits(contents, facts.fits)
    if facts.machine:
        blocks.append(
            Text("run-machine", "Machine", [f"{name}: {value}." for name, value in facts.machine.items()], half=True)
        )
    if facts.runs is not None and len(facts.runs):
        caption = "Records of the runs in this folder, the latest first."
        blocks.append(Table("run-records", "Runs", caption, facts.runs))
    if facts.config:
        blocks.append(Text("run-config", "Configuration", literal=facts.config))
    return Section("run", "What was run", [], blocks) if blocks else None


def _fits(contents: Contents, fits: pd.DataFrame) -> list[Block]:
    import pandas as pd

    command = contents.command("fits")
    failed = fits[fits["error"] != ""]
    if failed.empty:
        failures: Block = Text(
            "run-failures", "Failures", [f"None: all {counted(len(fits), 'fit')} succeeded."], half=True
        )
    else:
        columns = ["dataset", "model", "seed", "fold", "error"]
        caption = (
            f"{len(failed)} of {counted(len(fits), 'fit')} failed. A model without a fold has no value in that repeat, "
            "and rankings are over the others."
        )
        if len(failed) > MOST_FAILURES:
            caption += f" The first {MOST_FAILURES} are shown."
        shown = failed[columns].head(MOST_FAILURES)
        failures = Table("run-failures", "Failures", caption, shown, data=failed[columns], command=command)
    versions = pd.DataFrame([json.loads(text) for text in fits["versions"]], index=fits.index)
    made = pd.concat([fits[["model", "device", "code"]], versions], axis=1)
    grouped = made.fillna("").groupby(list(made.columns), sort=False).size().reset_index(name="fits")
    order = {name: i for i, name in enumerate(contents.models)}
    grouped = grouped.sort_values("model", key=lambda names: names.map(order), kind="stable")
    several = grouped["model"].duplicated().any()
    caption = "Device, digest of the code, and versions of the libraries behind each model's predictions."
    caption += " Some models were fitted by more than one of them." if several else ""
    provenance = Table("run-versions", "Versions", caption, grouped.astype({"fits": int}), command=command)
    total = f"All fits together took {duration(float(fits['seconds'].sum()))} of one core or device."
    return [failures, provenance, Text("run-time", "Time of the fits", [total], half=True)]
