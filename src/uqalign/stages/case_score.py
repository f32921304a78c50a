"""Score one model's predictions for a case study: every metric, and what the decisions earn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.cases.case import CaseInputs, Part
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.scoring import score_splits
from uqalign.cases.side import read_side
from uqalign.contracts.predictions import check_coverage, read_predictions
from uqalign.contracts.scores import write_scores
from uqalign.data.splits import read_splits
from uqalign.data.table import read_table
from uqalign.files import FileError
from uqalign.metrics.select import selected
from uqalign.protocol import metrics_under
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec

KINDS = 4
"""Files of each data set: data, side information, splits, predictions."""


def read_part(data: Path, side: Path, splits: Path, predictions: Path, expects: dict[str, object]) -> Part:
    """One data set of an arm, its files checked against each other and against the job that was planned.

    Raises:
        DataError, FileError: files that are damaged, incomplete, of another job or of other data.
    """
    cache = read_predictions(predictions, **expects)  # type: ignore[arg-type]
    table = read_table(data)
    if cache.provenance["data_sha256"] != table.digest:
        raise FileError(
            f"{predictions} was fitted to other data than {data}: remove it and run again (rm {predictions})"
        )
    folds = {seed: read_splits(splits, seed, table=table) for seed in sorted({split.seed for split in cache.splits})}
    check_coverage(predictions, cache, table.target, folds)
    return Part(table.name, table, read_side(side, table), folds, cache)


def run(*, files: Sequence[Path], spec: str, code: str, out: Path) -> str:
    """Write the scores of one model in one arm to `out`.

    Args:
        files: data of each data set of the arm, then side information, splits and predictions of each.

    Raises:
        DataError, FileError: as `read_part`.
    """
    import pandas as pd

    orders = parse_spec(spec)
    case = CASES_REGISTRY.get(orders["case"])
    own = [name.partition(":")[0] for name in orders["metrics"] if ":" in name]
    check_code(code, __name__, *declaration_modules((case.decide, case.utility, case.details, case.score)), *own)
    arm, expects = case.arm(orders["arm"]), orders["expects"]
    count = len(expects)
    if len(files) != KINDS * count:
        raise FileError(
            f"{case.name}, {arm.name}: got {len(files)} files, expected {KINDS} for each of {count} data sets"
        )
    of_each = zip(*(files[kind * count : (kind + 1) * count] for kind in range(KINDS)), expects, strict=True)
    inputs = CaseInputs(
        case=case,
        arm=arm,
        options=orders["options"],
        switches=frozenset(orders["switches"]),
        metrics=metrics_under(case.task, orders["protocol"], selected(case.task, orders["metrics"])),
        parts=tuple(read_part(*paths) for paths in of_each),
    )
    model = orders["model"]
    key = (case.task, arm.name, model)
    rows = [
        (*key, seed, fold, kind, name, theta, value, note)
        for seed, fold, kind, name, theta, value, note in (case.score or score_splits)(inputs)
    ]
    columns = ["task", "dataset", "model", "seed", "fold", "kind", "name", "theta", "value", "note"]
    status = [
        {"dataset": arm.name, "model": model, "seed": s.seed, "fold": s.fold, "error": s.error, "seconds": s.seconds}
        for part in inputs.parts
        for s in part.cache.splits
    ]
    write_scores(out, pd.DataFrame(rows, columns=columns), {"spec": orders, "code": code, "splits": status})
    failed = sum(1 for s in status if s["error"])
    return f"{case.name}, {arm.name}, {model}: {len(rows)} scores, {failed} of {len(status)} fits failed"
