"""Align every metric of one data set under every setting of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from uqalign.audit.files import write
from uqalign.audit.stages.common import aligner_of
from uqalign.audit.taus import all_taus, medians_without
from uqalign.stages.common import check_code, parse_spec


def run(*, measures: Sequence[Path], spec: str, code: str, taus: Path, without: Path) -> str:
    """Write the taus of every setting, and the medians with each model left out.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    aligner, names, about = aligner_of(measures, orders)
    metadata = {"spec": orders, "code": code, **about}
    table = all_taus(aligner, names).assign(dataset=orders["dataset"])
    write(taus, "taus", table, metadata)
    write(without, "without", medians_without(aligner, names).assign(dataset=orders["dataset"]), metadata)
    return f"{orders['dataset']}: {table['setting'].nunique()} settings, {len(table)} mean taus"
