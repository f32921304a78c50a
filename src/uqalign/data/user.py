"""A user's own data set: a YAML file beside a CSV or Parquet file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from uqalign.data import readers
from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, LocalFile, Reader, Source, Url
from uqalign.data.errors import DataError
from uqalign.registry import NAME_PATTERN, did_you_mean
from uqalign.tasks import Task

FORMATS = {".csv": "csv", ".tsv": "csv", ".txt": "csv", ".data": "csv", ".parquet": "parquet", ".pq": "parquet"}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _label(value: object) -> object:
    """Class labels are text: numbers become their digits, and YAML's unquoted yes and no are refused."""
    if isinstance(value, bool):
        raise ValueError("YAML reads an unquoted yes, no, on, off, true or false as a truth value: put it in quotes")
    return str(value) if isinstance(value, int | float) else value


Label = Annotated[str, BeforeValidator(_label)]


class UserFacts(_Strict):
    """The `facts` of a YAML declaration; see `uqalign.data.declare.Facts`."""

    rows: int
    features: int
    raw_rows: int | None = None
    missing: int = 0
    class_counts: dict[Label, int] = Field(default_factory=dict)
    target_mean: tuple[float, ...] = ()
    target_std: tuple[float, ...] = ()


class Declaration(_Strict):
    """What a YAML declaration may say.

    Args:
        name: short id; default: the file's stem.
        file: CSV or Parquet file (also .gz), relative to the declaration.
        sha256: of the file; `uqalign datasets add` computes it.
        url: where to fetch the file when it is not there.
        task, target, classes, drop, group, time, title, licence, citation, note: as in a built-in declaration.
        kinds: feature columns whose kind is not what their values suggest (codes that are levels, say).
        separator, decimal, missing, encoding: how to read a CSV file.
        facts: what the table must hold.
    """

    name: str = ""
    file: str
    sha256: str = ""
    url: str = ""
    task: Task
    target: str | list[str]
    title: str = ""
    classes: list[Label] = Field(default_factory=list)
    kinds: dict[str, Literal["numeric", "categorical"]] = Field(default_factory=dict)
    drop: list[str] = Field(default_factory=list)
    group: str | None = None
    time: str | None = None
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    missing: list[str] = Field(default_factory=list)
    facts: UserFacts | None = None
    licence: str = ""
    citation: str = ""
    note: str = ""

    @field_validator("url")
    @classmethod
    def _plain_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in ("http", "https") or parts.username or parts.password):
            # The address is kept with the table, so it must not carry a password.
            raise ValueError("use an http or https address without a user name or password")
        return url


def read_declaration(path: Path) -> Dataset:
    """The data set that the YAML file at `path` declares.

    Raises:
        DataError: no such file, not YAML, unknown or wrong keys; names the file, the key and the remedy.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path} does not exist: `uqalign datasets add FILE.csv` writes one") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path} cannot be read as YAML: {error}") from error
    if not isinstance(content, dict):
        raise DataError(f"{path} declares no data set: it holds {type(content).__name__}, not keys with values")
    return dataset_of(_validated(content, path), path)


def _validated(content: Mapping[str, Any], path: Path) -> Declaration:
    known = [*Declaration.model_fields]
    for key in content:
        if key not in known:
            raise DataError(f"{path}: unknown key {key!r}: {did_you_mean(str(key), known)}")
    try:
        return Declaration.model_validate(content)
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise DataError("\n".join([f"{path} is not a valid declaration:", *lines])) from error


def dataset_of(declaration: Declaration, path: Path) -> Dataset:
    """The data set of a validated declaration that lies at `path`."""
    name = declaration.name or re.sub(r"[^a-z0-9]+", "_", path.stem.lower()).strip("_")[:40]
    if not NAME_PATTERN.fullmatch(name):
        raise DataError(f"{path}: name {name!r}: use at most 40 lower-case letters, digits and underscores")
    file = Path(declaration.file)
    inside = (GUNZIP,) if file.suffix == ".gz" else ()
    content = Content(f"{name}/{file.stem if inside else file.name}", declaration.sha256, 0)
    sources: list[Source] = [LocalFile((content.at(str(file), *inside),), folder=str(path.parent))]
    if declaration.url:
        sources.append(Url((content.at("", *inside),), url=declaration.url, archive=False))
    target = declaration.target if isinstance(declaration.target, str) else tuple(declaration.target)
    try:
        return Dataset(
            name=name,
            task=declaration.task,
            title=declaration.title or name,
            sources=tuple(sources),
            read=reader_of(declaration, path),
            target=target[0] if isinstance(target, tuple) and len(target) == 1 else target,
            classes=tuple(declaration.classes),
            categorical=tuple(key for key, kind in declaration.kinds.items() if kind == "categorical"),
            numeric=tuple(key for key, kind in declaration.kinds.items() if kind == "numeric"),
            drop=tuple(declaration.drop),
            group=declaration.group,
            time=declaration.time,
            facts=Facts(**declaration.facts.model_dump()) if declaration.facts else None,
            licence=declaration.licence,
            citation=declaration.citation,
            note=declaration.note,
        )
    except ValueError as error:
        raise DataError(f"{path}: {error}") from error


def reader_of(declaration: Declaration, path: Path) -> Reader:
    """The reader for the declared file, by its suffix.

    Raises:
        DataError: neither CSV nor Parquet.
    """
    suffixes = [suffix.lower() for suffix in Path(declaration.file).suffixes if suffix.lower() != ".gz"]
    kind = FORMATS.get(suffixes[-1] if suffixes else "")
    if kind == "parquet":
        return readers.read_parquet
    if kind != "csv":
        raise DataError(f"{path}: {declaration.file}: use a file of type {', '.join(sorted(FORMATS))}")
    return readers.csv(
        sep=declaration.separator,
        decimal=declaration.decimal,
        encoding=declaration.encoding,
        missing=declaration.missing,
    )
