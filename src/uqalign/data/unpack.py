"""Checksums, and getting one file out of the archives around it."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from uqalign.data.declare import GUNZIP, Content, Member
from uqalign.data.errors import SourceError

CHUNK = 1 << 20
MEMBER_LIMIT = 1 << 30
"""Bytes beyond which nothing of undeclared size is unpacked."""


def sha256_of(stream: BinaryIO) -> str:
    """sha256 of what is left of `stream`, in hexadecimal."""
    sha = hashlib.sha256()
    while chunk := stream.read(CHUNK):
        sha.update(chunk)
    return sha.hexdigest()


def looks_like_html(head: bytes) -> bool:
    """Whether a file that begins with `head` is a web page, as servers send in place of missing data."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html", b"<head"))


def check_content(content: Content, stream: BinaryIO, where: str) -> None:
    """Verify size and sha256 of a seekable stream, then rewind it.

    Raises:
        SourceError: an HTML page, another size (truncated?) or another checksum.
    """
    head = stream.read(512)
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    if looks_like_html(head):
        raise SourceError(f"{where} is an HTML page, not {content.name}")
    if content.size and size != content.size:
        cut = " (truncated?)" if size < content.size else ""
        raise SourceError(f"{where} has {size:,} bytes, expected {content.size:,}{cut}")
    found = sha256_of(stream)
    if not content.sha256:
        raise SourceError(f"{where} has no declared checksum: add `sha256: {found}` to its declaration")
    if found != content.sha256:
        raise SourceError(f"{where} has sha256 {found}, expected {content.sha256}")
    stream.seek(0)


def open_member(path: Path, member: Member) -> BinaryIO:
    """The content of `member` in the file at `path`, verified, as a seekable stream.

    Raises:
        SourceError: unreadable archive, absent member, wrong size or checksum.
    """
    where = "!".join((str(path), *member.inside))
    stream: BinaryIO = path.open("rb")
    try:
        for depth, step in enumerate(member.inside, start=1):
            with stream as outer:
                # Only the innermost step yields the content, whose size is known.
                limit = member.content.size if depth == len(member.inside) else 0
                stream = io.BytesIO(_inside(outer, step, limit or MEMBER_LIMIT, where))
        check_content(member.content, stream, where)
    except BaseException:
        stream.close()
        raise
    return stream


def _inside(outer: BinaryIO, step: str, limit: int, where: str) -> bytes:
    """One step into an archive: at most one byte more than `limit`, whatever the archive claims."""
    try:
        if step == GUNZIP:
            with gzip.open(outer) as inner:
                return inner.read(limit + 1)
        with zipfile.ZipFile(outer) as archive, archive.open(_zip_name(archive, step)) as packed:
            return packed.read(limit + 1)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SourceError(f"{where}: cannot be unpacked at {step!r} ({error})") from error
    except KeyError as error:
        raise SourceError(f"{where}: {error.args[0]}") from error


def _zip_name(archive: zipfile.ZipFile, wanted: str) -> str:
    """The member called `wanted`, in whatever folder (the checksum decides whether it is the right one)."""
    names = archive.namelist()
    if wanted in names:
        return wanted
    same = [name for name in names if name.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]]
    if len(same) != 1:
        raise KeyError(f"no member {wanted!r} among {', '.join(names[:10])}")
    return same[0]
