"""Downloads against a server that drops, lies, stalls, redirects and sends web pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from toy_data import Server, reply
from uqalign.data.download import download
from uqalign.data.errors import SourceError

BODY = bytes(range(256)) * 2000


def fetch(server: Server, path: Path, **options: Any) -> list[float]:
    """Download with no real waiting; returns the waits asked for."""
    waits: list[float] = []
    download(server.url(), path, **({"sleep": waits.append, "timeout": 5.0} | options))
    return waits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_plain_file_arrives_whole(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, BODY)
    assert fetch(server, path) == []
    assert path.read_bytes() == BODY
    assert server.requests[0]["Accept-Encoding"] == "identity"


def test_a_file_of_unknown_length_arrives_whole(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, BODY, length=-1)
    fetch(server, path)
    assert path.read_bytes() == BODY


def test_a_dropped_connection_starts_again_from_scratch(server: Server, path: Path) -> None:
    server.respond = lambda handler, n: reply(handler, BODY[: 1000 if n < 2 else None], length=len(BODY))
    waits = fetch(server, path)
    assert path.read_bytes() == BODY
    assert len(waits) == 2
    assert 1 <= waits[0] < waits[1] < 2.5
    assert all("Range" not in request for request in server.requests)


def test_a_dropped_connection_is_resumed_where_the_server_can(server: Server, path: Path) -> None:
    headers = {"Accept-Ranges": "bytes", "ETag": '"v1"'}

    def respond(handler: Any, n: int) -> None:
        if n == 0:
            return reply(handler, BODY[:100_000], length=len(BODY), headers=headers)
        start = int(re.fullmatch(r"bytes=(\d+)-", handler.headers["Range"])[1])  # type: ignore[index]
        assert handler.headers["If-Range"] == '"v1"'
        span = {"Content-Range": f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"}
        return reply(handler, BODY[start:], status=206, headers=headers | span)

    server.respond = respond
    fetch(server, path)
    assert path.read_bytes() == BODY
    assert server.requests[1]["Range"] == "bytes=100000-"


def test_a_file_that_changed_meanwhile_is_not_pieced_together(server: Server, path: Path) -> None:
    def respond(handler: Any, n: int) -> None:
        if n == 0:
            headers = {"Accept-Ranges": "bytes", "ETag": '"v1"'}
            return reply(handler, b"old " * 1000, length=len(BODY), headers=headers)
        return reply(handler, BODY, headers={"Accept-Ranges": "bytes", "ETag": '"v2"'})

    server.respond = respond
    fetch(server, path)
    assert path.read_bytes() == BODY


def test_a_range_beyond_the_end_starts_again(server: Server, path: Path) -> None:
    headers = {"Accept-Ranges": "bytes", "ETag": '"v1"'}

    def respond(handler: Any, n: int) -> None:
        if n == 0:
            return reply(handler, BODY, length=len(BODY) + 1, headers=headers)
        return reply(handler, b"", status=416) if n == 1 else reply(handler, BODY)

    server.respond = respond
    fetch(server, path)
    assert path.read_bytes() == BODY
    assert "Range" not in server.requests[2]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(server: Server, path: Path, status: int) -> None:
    server.respond = lambda handler, n: reply(handler, BODY if n else b"", status=200 if n else status)
    assert len(fetch(server, path)) == 1
    assert path.read_bytes() == BODY


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_lasting_failure_is_not_tried_again(server: Server, path: Path, status: int) -> None:
    server.respond = lambda handler, _: reply(handler, b"no", status=status)
    with pytest.raises(SourceError, match=f"the server answered {status}"):
        fetch(server, path)
    assert len(server.requests) == 1
    assert not path.exists()


def test_attempts_end(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, BODY[:10], length=len(BODY))
    with pytest.raises(SourceError, match=r"ended after 10 of 512,000 bytes \(3 attempts\).*by hand"):
        fetch(server, path, attempts=3)
    assert len(server.requests) == 3
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=utf-8", b"whatever"),
        ("application/octet-stream", b"\n\n <!DOCTYPE html><html>Please log in</html>"),
        ("text/csv", b"\xef\xbb\xbf<HTML><body>moved</body>"),
    ],
)
def test_a_web_page_in_place_of_data_is_refused(server: Server, path: Path, kind: str, body: bytes) -> None:
    server.respond = lambda handler, _: reply(handler, body, kind=kind)
    with pytest.raises(SourceError, match="HTML page, not data"):
        fetch(server, path)
    assert len(server.requests) == 1
    assert not path.exists()


@pytest.mark.parametrize("length", [None, -1])
def test_more_than_expected_is_refused(server: Server, path: Path, length: int | None) -> None:
    server.respond = lambda handler, _: reply(handler, BODY, length=length)
    with pytest.raises(SourceError, match="1,000"):
        fetch(server, path, limit=1000)
    assert not path.exists()


def test_a_silent_server_is_given_up(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, BODY, pause=1.0)
    with pytest.raises(SourceError, match=r"no answer \(TimeoutError"):
        fetch(server, path, timeout=0.1, attempts=2)
    assert len(server.requests) == 2
    assert not path.exists()


def test_a_slow_server_is_waited_for(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, BODY, pause=0.3)
    assert fetch(server, path, timeout=2.0) == []
    assert path.read_bytes() == BODY


def test_redirects_are_followed(server: Server, path: Path) -> None:
    def respond(handler: Any, n: int) -> None:
        if n == 0:
            return reply(handler, b"", status=302, headers={"Location": "/elsewhere"})
        return reply(handler, BODY)

    server.respond = respond
    fetch(server, path)
    assert path.read_bytes() == BODY
    assert server.requests[1]["path"] == "/elsewhere"


def test_endless_redirects_end(server: Server, path: Path) -> None:
    server.respond = lambda handler, _: reply(handler, b"", status=302, headers={"Location": "/toy.csv"})
    with pytest.raises(SourceError, match="302"):
        fetch(server, path, attempts=1)


def test_no_server_at_all(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no answer"):
        download("http://127.0.0.1:9/x", tmp_path / "x", attempts=2, sleep=lambda _: None)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.org/x", "toy.csv"])
def test_only_the_web_is_downloaded(url: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="only http"):
        download(url, tmp_path / "x")


def test_progress_is_told_every_byte(server: Server, path: Path) -> None:
    from contextlib import contextmanager

    seen: list[int] = []

    class Recorder:
        def say(self, message: str) -> None: ...

        def warn(self, message: str) -> None: ...

        @contextmanager
        def download(self, label: str, total: int | None) -> Any:
            assert (label, total) == ("toy.csv", len(BODY))
            yield seen.append

    server.respond = lambda handler, _: reply(handler, BODY)
    fetch(server, path, progress=Recorder())
    assert sum(seen) == len(BODY)
