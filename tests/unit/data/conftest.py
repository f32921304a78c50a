"""Fixtures of the data tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest

from toy_data import Server
from uqalign.data.table import Table


@pytest.fixture
def table() -> Table:
    """Thirty rows, two classes, features of both kinds with missing values, groups and times."""
    rng = np.random.default_rng(0)
    color = np.array(["red", "Red", "blue", None, "ä ö", "1"], dtype=object)[rng.integers(0, 6, 30)]
    width = rng.normal(size=30)
    width[[3, 7]] = np.nan
    features = pd.DataFrame({"width": width, "color": pd.Series(color, dtype=object)})
    return Table(
        name="toy",
        task="binary",
        features=features,
        target=(np.arange(30) % 3 == 0).astype(np.float64),
        classes=("no", "yes"),
        target_names=("y",),
        kinds={"width": "numeric", "color": "categorical"},
        group=np.array([f"g{row // 3}" for row in range(30)], dtype=object),
        time=np.datetime64("2020-01-01T00", "us") + np.arange(30)[::-1] * np.timedelta64(1, "h"),
        source={"kind": "local", "place": "toy.csv", "sha256": {"toy.csv": "0" * 64}},
    )


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append({"path": self.path, **dict(self.headers)})
            try:
                assert state.respond is not None
                state.respond(self, len(state.requests) - 1)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *arguments: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    state.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    http.shutdown()
    http.server_close()
    thread.join()
