"""A first declaration for a user's own file: types, checksum and facts, written out to be corrected."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, cast

import yaml

from uqalign.data.errors import DataError
from uqalign.data.facts import facts_of
from uqalign.data.load import load
from uqalign.data.table import Table
from uqalign.data.unpack import sha256_of
from uqalign.data.user import FORMATS, Declaration, dataset_of
from uqalign.files import write_text
from uqalign.tasks import CLASSIFICATION, Task

SEPARATORS = ",;\t|"
HEADER = """\
# A data set of your own. Use it in the config as the path of this file:   datasets: [{path}]
# Look at it with:   uqalign datasets check {path}
# Correct what was inferred: `kinds` (codes that are levels), `classes` (binary: the second one is y = 1), `drop`.
# After changing the file or the kinds, the check says what `sha256` and `facts` have become.
"""


def scaffold(
    file: Path,
    *,
    target: list[str],
    task: Task,
    out: Path | None = None,
    name: str = "",
    drop: list[str] | None = None,
    group: str | None = None,
    time: str | None = None,
    missing: list[str] | None = None,
    overwrite: bool = False,
) -> tuple[Path, Table]:
    """Write a declaration of `file` beside it (or to `out`) and return its path and the table that it yields.

    Raises:
        DataError: a file that is absent or not readable as declared, or a declaration that exists already.
    """
    out = out or file.with_name(file.name.split(".")[0] + ".yaml")
    if out.exists() and not overwrite:
        raise DataError(f"{out} exists already: edit it, or write another with --out")
    if not file.is_file():
        raise DataError(f"{file} does not exist")
    declaration = Declaration(
        name=name,
        file=_relative(file, out),
        sha256=_sha256(file),
        task=task,
        target=target[0] if len(target) == 1 else target,
        drop=drop or [],
        group=group,
        time=time,
        separator=_separator(file),
        missing=missing or [],
    )
    dataset = dataset_of(declaration, out)
    table = load(dataset)
    facts = {key: value for key, value in asdict(facts_of(table)).items() if value}
    content: dict[str, Any] = {
        "name": dataset.name,
        **declaration.model_dump(exclude_defaults=True, exclude={"name"}),
        "classes": list(table.classes),
        "kinds": dict(table.kinds),
        "facts": {key: [*value] if isinstance(value, tuple) else value for key, value in facts.items()},
    }
    if task not in CLASSIFICATION:
        del content["classes"]
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)
    write_text(out, HEADER.format(path=out) + text)
    return out, table


def _relative(file: Path, out: Path) -> str:
    try:
        return file.resolve().relative_to(out.parent.resolve()).as_posix()
    except ValueError:
        return str(file.resolve())


def _sha256(file: Path) -> str:
    with _opened(file) as stream:
        return sha256_of(stream)


def _opened(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file)) if file.suffix == ".gz" else file.open("rb")


def _separator(file: Path) -> str:
    """The separator whose count in the header line is largest; a comma when there is none."""
    suffixes = [suffix for suffix in file.suffixes if suffix != ".gz"]
    if FORMATS.get(suffixes[-1].lower() if suffixes else "") != "csv":
        return ","
    with _opened(file) as stream:
        header = io.TextIOWrapper(stream, encoding="utf-8", errors="replace").readline()
    try:
        return csv.Sniffer().sniff(header, delimiters=SEPARATORS).delimiter
    except csv.Error:
        return max(SEPARATORS, key=header.count)
