"""Score one model's predictions for a case study: every metric, and what the decisions earn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.cases.case import CaseInputs
from uqalign.cases.files.inputs import read_part
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.scoring import score_splits
from uqalign.contracts.scores import write_scores
from uqalign.files import FileError
from uqalign.metrics.select import selected
from uqalign.protocol import metrics_under
from uqalign.provenance import declaration_modules
from uqalign.stages.common import check_code, parse_spec

KINDS = 4
"""Files of each data set: data, side information, splits, predictions."""


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
    check_code(code, __name__, *declaration_modules(case.scoring), *own)
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
