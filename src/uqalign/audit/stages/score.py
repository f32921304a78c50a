"""Score all prediction caches of one model on one data set under every setting of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uqalign.audit.files import write
from uqalign.audit.measures import MEASURE_COLUMNS, Row, measure
from uqalign.stages.common import check_code, parse_spec
from uqalign.stages.trusted import trusted


def run(*, data: Path, files: Sequence[Path], spec: str, code: str, out: Path) -> str:
    """Write every measure in every variant.

    Args:
        files: the prediction caches that `spec` lists, then the splits files that it refers to by position.

    Raises:
        FileError: a cache that is damaged, incomplete, of another job or made by other code.
    """
    import pandas as pd

    orders = parse_spec(spec)
    check_code(code, __name__)
    predictions, splits = files[: len(orders["caches"])], files[len(orders["caches"]) :]
    rows: list[Row] = []
    status: list[dict[str, Any]] = []
    classes = None
    for path, expects in zip(predictions, orders["caches"], strict=True):
        cache, table = trusted(path, data, splits[expects["splits"]], expects)
        classes = table.n_classes or None
        rows += measure(cache, orders["model"], orders["metrics"], orders["thetas"], classes)
        status += [{"seed": s.seed, "fold": s.fold, "error": s.error, "rows": len(s.rows)} for s in cache.splits]
    metadata = {"spec": orders, "code": code, "model": orders["model"], "n_classes": classes, "splits": status}
    write(out, "measures", pd.DataFrame(rows, columns=MEASURE_COLUMNS), metadata)
    return f"{orders['dataset']} {orders['model']}: {len(rows)} values of {len(status)} splits"
