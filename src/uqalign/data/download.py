"""One file over HTTP: retried, resumed where the server can, checked, and never left half-written."""

from __future__ import annotations

import http.client
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from uqalign import __version__
from uqalign.data.errors import SourceError
from uqalign.data.progress import SILENT, Progress
from uqalign.data.unpack import looks_like_html

ATTEMPTS = 4
TIMEOUT_SECONDS = 30.0
"""Longest silence of the server before an attempt is given up."""
CHUNK = 1 << 16
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be different a moment later."""


class _Interrupted(Exception):
    """An attempt failed in a way that may pass; what arrived so far is kept."""


def download(
    url: str,
    path: Path,
    *,
    progress: Progress = SILENT,
    attempts: int = ATTEMPTS,
    timeout: float = TIMEOUT_SECONDS,
    limit: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write what is at `url` to `path`; on failure, `path` does not exist.

    Args:
        url: http or https address; redirects are followed.
        path: file to write; whatever is there is replaced.
        progress: told of bytes as they arrive.
        attempts: how often to try; the wait doubles each time, from one second.
        timeout: seconds of silence after which an attempt is given up.
        limit: bytes beyond which the download is refused.
        sleep: how to wait.

    Raises:
        SourceError: not found, a web page in place of data, or no complete file after all attempts.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise SourceError(f"{url}: only http and https addresses can be downloaded")
    path.unlink(missing_ok=True)
    transfer, seen = _Transfer(url, path, progress, timeout, limit), ""
    try:
        for attempt in range(attempts):
            if attempt:
                sleep(2.0 ** (attempt - 1) * (1 + random.random() / 4))
                progress.say(f"trying {url} again ({attempt + 1} of {attempts}) after: {seen}")
            try:
                return transfer.attempt()
            except _Interrupted as error:
                seen = str(error)
        raise SourceError(f"{url}: {seen} ({attempts} attempts): check the network, or fetch it by hand")
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@dataclass
class _Transfer:
    """The state of one download across its attempts."""

    url: str
    path: Path
    progress: Progress
    timeout: float
    limit: int | None
    validator: str = ""
    """Identifies the version of the file of which `path` holds the beginning; empty: it cannot be resumed."""

    def attempt(self) -> None:
        """One request, going on after the bytes already there if the server confirms the same version."""
        have = self.path.stat().st_size if self.path.exists() and self.validator else 0
        headers = {"User-Agent": f"uqalign/{__version__}", "Accept-Encoding": "identity"}
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": self.validator}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.url, headers=headers), timeout=self.timeout
            ) as answer:
                self._take(answer, have)
        except urllib.error.HTTPError as error:
            if error.code == 416:
                self.validator = ""
                raise _Interrupted("the server cannot resume the download") from error
            if error.code in _PASSING:
                raise _Interrupted(f"the server answered {error.code} {error.reason}") from error
            raise SourceError(f"{self.url}: the server answered {error.code} {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _Interrupted(f"no answer ({type(error).__name__}: {reason})") from error

    def _take(self, answer: http.client.HTTPResponse, have: int) -> None:
        resumed = answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        have = have if answer.status == 206 and resumed else 0
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        if self.limit is not None and (total or 0) > self.limit:
            raise SourceError(f"{self.url} announces {total:,} bytes, expected at most {self.limit:,}")
        self._refuse_html(answer.headers, b"")
        self.validator = _validator(answer.headers)
        with self.path.open("ab" if have else "wb") as file:
            received = have + self._receive(answer, file, have, total)
        if total is not None and received != total:
            raise _Interrupted(f"the connection ended after {received:,} of {total:,} bytes")

    def _receive(self, answer: http.client.HTTPResponse, file: BinaryIO, have: int, total: int | None) -> int:
        count = 0
        label = urlsplit(self.url).path.rsplit("/", 1)[-1] or self.url
        with self.progress.download(label, total) as advance:
            advance(have)
            while chunk := answer.read1(CHUNK):
                if have + count == 0:
                    self._refuse_html(answer.headers, chunk[:512])
                file.write(chunk)
                count += len(chunk)
                advance(len(chunk))
                if self.limit is not None and have + count > self.limit:
                    raise SourceError(f"{self.url} sends more than the {self.limit:,} bytes expected")
        return count

    def _refuse_html(self, headers: Message, head: bytes) -> None:
        if headers.get_content_type() in ("text/html", "application/xhtml+xml") or looks_like_html(head):
            raise SourceError(
                f"{self.url} is an HTML page, not data: the file has moved, or a login or proxy is in the way"
            )


def _validator(headers: Message) -> str:
    """What the server calls this version of the file, if it can resume at all."""
    if headers.get("Accept-Ranges", "").lower() != "bytes" and "Content-Range" not in headers:
        return ""
    etag: str = headers.get("ETag", "")
    return etag if etag and not etag.startswith("W/") else str(headers.get("Last-Modified", ""))
