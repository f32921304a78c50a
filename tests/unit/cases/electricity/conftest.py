"""A synthetic market and a local web server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest

from electricity_market import market_files
from toy_data import Server
from uqalign.cases.electricity.horizons import read_market


@pytest.fixture(scope="session")
def market() -> pd.DataFrame:
    return read_market(market_files(), generation="mw", share=0.5, day_ahead_per_hour=1)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append({"path": self.path, **dict(self.headers)})
            assert state.respond is not None
            state.respond(self, len(state.requests) - 1)

        def log_message(self, *arguments: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    http.shutdown()
    http.server_close()
    thread.join()
