"""Write what the switches do, which claims hold, and the page of the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.audit.effects import rankings, switches_markdown, turned_markdown
from uqalign.audit.files import of_kind, read
from uqalign.audit.page import audit_page, run_notes
from uqalign.audit.questions import questions_markdown, selective_cost
from uqalign.audit.stages.results import Results
from uqalign.audit.verdicts import claims_markdown, verdicts
from uqalign.audit.yardsticks import YARDSTICK_COLUMNS, by_agreement, by_level, by_money
from uqalign.contracts.alignment import read_alignment
from uqalign.contracts.sensitivity import LEVEL_COLUMNS, read_table
from uqalign.files import write_text
from uqalign.protocol import SWITCHES
from uqalign.stages.common import check_code, parse_spec

if TYPE_CHECKING:
    import pandas as pd

FILES = (
    "effects.csv",
    "rankings.csv",
    "claims.csv",
    "selective_cost.csv",
    "top_k_ties.csv",
    "row_orders.csv",
    "audit.md",
)


def run(*, files: Sequence[Path], spec: str, code: str, folder: Path) -> str:
    """Write `FILES` to `folder`.

    Args:
        files: taus of every data set; ties and orders of the binary ones; alignment, and alignment by level of the
            prior, of the data sets that have claims about them; alignment of such case studies.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    results = Results.read(of_kind(files, "taus"), orders)
    turned = rankings(results.changes)
    claims = verdicts(results.taus, results.names, results.folds, _other_yardsticks(files, orders))
    cost = selective_cost(results.taus, results.folds)
    (tied, _), (by_order, _) = (read(of_kind(files, kind), kind) for kind in ("ties", "orders"))
    tables = (results.changes, turned, claims, cost, tied, by_order)
    for name, table in zip(FILES, tables, strict=False):
        write_text(folder / name, table.to_csv(index=False))
    published = {switch.id: switch.published for switch in SWITCHES.values()}
    effect = "\n".join(
        [
            "# What each switch does",
            "",
            "Changes of median taus, over all cells (metric x family x data set) of the tasks that a switch concerns: "
            "turned on alone in the definitions, and on top of all other switches. Order of metrics: Kendall's tau "
            "between the metrics' order before and after, median over data sets and families.",
            "",
            switches_markdown(results.changes, turned, published),
            "## Where another metric becomes the best",
            "",
            turned_markdown(turned),
        ]
    )
    sections = [claims_markdown(claims), questions_markdown(cost, tied, by_order), effect]
    write_text(folder / FILES[-1], audit_page(run_notes(results.about, orders["missing"]), sections))
    holds = int((claims["definitions_verdict"] == "holds").sum())
    return f"{len(claims)} claims, {holds} hold under the definitions"


def _other_yardsticks(files: Sequence[Path], orders: Mapping[str, Any]) -> pd.DataFrame:
    """Rows as `YARDSTICK_COLUMNS`, of what there is."""
    import pandas as pd

    own = orders["settings"]
    settings = {name: own[task] for name, task in orders["datasets"].items() if task in own}
    # A file at a time: decisions are averaged away before the next one is read.
    parts = [by_agreement(read_alignment([path]), settings) for path in of_kind(files, "alignment")]
    parts += [by_money(read_alignment([path]), orders["cases"]) for path in files if path.parts[-4] == "cases"]
    parts += [by_level(read_table(path, "levels", LEVEL_COLUMNS)[0], settings) for path in of_kind(files, "levels")]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=YARDSTICK_COLUMNS)
