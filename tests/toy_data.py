"""Data sets, tables and a misbehaving web server for the data tests."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from uqalign.data.declare import Content, Dataset, Source
from uqalign.data.readers import csv

CSV = b"x,y\n1,no\n2,yes\n3,no\n4,yes\n5,no\n6,yes\n"


def content_of(data: bytes, name: str = "toy/toy.csv") -> Content:
    return Content(name, hashlib.sha256(data).hexdigest(), len(data))


def toy(*sources: Source, **changes: Any) -> Dataset:
    """A two-class data set of one numeric feature, read from CSV."""
    defaults: dict[str, Any] = {"name": "toy", "task": "binary", "title": "Toy", "target": "y", "read": csv()}
    return Dataset(sources=sources, **(defaults | changes))


@dataclass
class Server:
    """A local web server; `respond` decides what the n-th request (from 0) gets."""

    address: str = ""
    requests: list[dict[str, str]] = field(default_factory=list)
    respond: Callable[[BaseHTTPRequestHandler, int], None] | None = None

    def url(self, path: str = "/toy.csv") -> str:
        return self.address + path


def reply(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    *,
    status: int = 200,
    kind: str = "text/csv",
    length: int | None = None,
    headers: dict[str, str] | None = None,
    pause: float = 0.0,
) -> None:
    """Answer with `body`; `length` may lie about it, `pause` waits before it."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    if length != -1:
        handler.send_header("Content-Length", str(len(body) if length is None else length))
    for key, value in (headers or {}).items():
        handler.send_header(key, value)
    handler.end_headers()
    handler.wfile.flush()
    time.sleep(pause)
    handler.wfile.write(body)
    handler.close_connection = True
