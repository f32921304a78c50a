"""ENTSO-E and Elia, against a local stand-in; the key stays secret."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from typer.testing import CliRunner

from toy_data import Server, reply
from uqalign.cases.electricity.access import elia, entsoe, fetch
from uqalign.cases.electricity.access.manifest import fetched_contents
from uqalign.cases.electricity.access.secrets import MissingKeyError, without_key
from uqalign.cases.electricity.hourly import read_series
from uqalign.cli import app
from uqalign.data.errors import DataError, SourceError
from uqalign.provenance import sha256_of

KEY = "0f1e2d3c-not-a-real-key"
START, END = pd.Timestamp("2024-07-01", tz="UTC"), pd.Timestamp("2024-07-03", tz="UTC")
NOTHING = """<Acknowledgement_MarketDocument><Reason><code>999</code><text>No matching data found</text></Reason>
</Acknowledgement_MarketDocument>"""


def series_xml(day: pd.Timestamp, label: str, first: int, inside: str) -> str:
    following = day + pd.Timedelta(days=1)
    points = "".join(
        f"<Point><position>{hour + 1}</position><{label}>{first + hour - 5}</{label}></Point>" for hour in range(24)
    )
    return (
        f"<TimeSeries>{inside}<curveType>A01</curveType><Period><timeInterval><start>{day:%Y-%m-%dT%H:%MZ}</start>"
        f"<end>{following:%Y-%m-%dT%H:%MZ}</end></timeInterval><resolution>PT60M</resolution>{points}</Period>"
        "</TimeSeries>"
    )


def plant(name: str) -> str:
    return (
        "<inBiddingZone_Domain.mRID>10YBE----------2</inBiddingZone_Domain.mRID><MktPSRType><psrType>B18</psrType>"
        f'<PowerSystemResources><mRID codingScheme="A01">22W</mRID><name>{name}</name></PowerSystemResources>'
        "</MktPSRType>"
    )


def answer(handler: BaseHTTPRequestHandler, _: int) -> None:
    """What ENTSO-E and Elia would send for these days."""
    address = urlsplit(handler.path)
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    if address.path.endswith("/exports/csv"):
        quarters = pd.date_range(START, END, freq="15min", inclusive="left")
        rows = "".join(f"{moment:%Y-%m-%dT%H:%M:%S+00:00};{i - 20}\n" for i, moment in enumerate(quarters))
        return reply(handler, f"\ufeffdatetime;imbalanceprice\n{rows}".encode())
    if address.path != "/api":
        return reply(handler, b"no such page", status=404)
    if query["securityToken"] != KEY:
        return reply(handler, b"<html>Unauthorized</html>", status=401, kind="text/html")
    first = pd.Timestamp(query["periodStart"]).normalize()
    last = pd.Timestamp(query["periodEnd"])
    days = [day for day in pd.date_range(first, last, freq="D", inclusive="left") if first <= day < last]
    if query["documentType"] == "A44" and query["offset"] == "0":
        body = "".join(series_xml(day, "price.amount", 24 * i, "") for i, day in enumerate(days))
    elif query["documentType"] == "A73" and query["psrType"] == "B18":
        body = "".join(
            series_xml(day, "quantity", value, plant(name))
            for day in days
            for name, value in (("Belwind Phase 1", 10), ("Norther", 100))
        )
    else:
        return reply(handler, NOTHING.encode(), kind="text/xml")
    return reply(handler, f"<GL_MarketDocument>{body}</GL_MarketDocument>".encode(), kind="text/xml")


@pytest.fixture
def platform(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    pytest.importorskip("entsoe")
    server.respond = answer
    monkeypatch.setattr(sys.modules["entsoe.entsoe"], "URL", server.url("/api"))
    monkeypatch.setenv("ENTSOE_API_KEY", KEY)
    monkeypatch.setattr(fetch, "period", lambda: (START, END))
    return server


def test_day_ahead_prices_arrive_by_instant(platform: Server) -> None:
    prices = entsoe.day_ahead_prices(START, END)
    assert prices.index.tz_convert("UTC")[0] == START
    assert prices.loc[pd.Timestamp("2024-07-01 03:00", tz="UTC")] == 24 + 3 - 5  # a day is asked for before the first
    assert prices.min() < 24
    assert "periodStart=20240629" in platform.requests[0]["path"] or "20240630" in platform.requests[0]["path"]


def test_generation_is_that_of_one_plant(platform: Server) -> None:
    generation = entsoe.plant_generation(START, END)
    assert set(generation) == {float(10 + hour - 5) for hour in range(24)}
    assert entsoe.plant_generation(START, END, "Norther").max() == 100 + 23 - 5


def test_a_plant_that_is_not_there_is_named_with_those_that_are(platform: Server) -> None:
    with pytest.raises(DataError, match="no plant 'Belwind 9' in BE: there are Belwind Phase 1, Norther"):
        entsoe.plant_generation(START, END, "Belwind 9")


def test_the_export_is_asked_for_whole_days_in_utc(server: Server) -> None:
    server.respond = answer
    prices = elia.imbalance_prices(START, END, address=server.url("/ods134/exports/csv"))
    query = parse_qs(urlsplit(server.requests[0]["path"]).query)
    assert query["where"] == ["datetime >= date'2024-07-01' AND datetime < date'2024-07-03'"]
    assert query["timezone"] == ["UTC"]
    assert len(prices) == 192
    assert prices.iloc[0] == -20
    assert elia.export_url(START, END).startswith("https://opendata.elia.be/")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"datetime;price\n2024-07-01T00:00:00+00:00;1\n", "lacks 'imbalanceprice'"),
        (b"datetime;imbalanceprice\n", "no rows from 2024-07-01"),
    ],
)
def test_an_export_of_something_else_is_refused(server: Server, body: bytes, message: str) -> None:
    server.respond = lambda handler, _: reply(handler, body)
    with pytest.raises(DataError, match=message):
        elia.imbalance_prices(START, END, address=server.url("/exports/csv"))


def test_fetched_files_read_like_the_raw_ones(platform: Server, tmp_path: Path) -> None:
    paths = fetch.fetch(tmp_path, elia_address=platform.url("/exports/csv"))
    with paths["balancing"].open("rb") as file:
        balancing = read_series(file, "price_eur_mwh", "x", zone="UTC", per_hour=4)
    assert balancing.iloc[0] == pytest.approx((-20 - 19 - 18 - 17) / 4)
    with paths["generation"].open("rb") as file:
        assert read_series(file, "generation_mw", "x", zone="UTC", per_hour=1).iloc[0] == 5
    for content in fetched_contents(tmp_path):
        path = tmp_path / content.name
        assert (content.sha256, content.size) == (sha256_of(path), path.stat().st_size)
    told = json.loads(paths["manifest"].read_text())
    assert (told["from"], told["to"], told["plant"]) == ("2024-07-01", "2024-07-03", "Belwind Phase 1")


def test_the_key_is_in_no_file_log_or_output(
    platform: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    fetch.fetch(tmp_path, elia_address=platform.url("/exports/csv"))
    assert any(KEY in request["path"] for request in platform.requests)  # it was used
    assert "securityToken" in caplog.text  # the libraries do log what they ask for
    assert KEY not in caplog.text
    assert all(KEY not in path.read_text() for path in tmp_path.iterdir())
    assert KEY not in "".join(capsys.readouterr())


@pytest.mark.parametrize("status", [400, 401, 503])
def test_the_key_is_in_no_error(
    platform: Server, status: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    platform.respond = lambda handler, _: reply(handler, b"no", status=status, kind="text/html")
    with pytest.raises(SourceError) as caught:
        entsoe.day_ahead_prices(START, END)
    told = "".join(traceback.format_exception(caught.value, chain=True)) + caplog.text
    assert KEY not in told
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    if status == 401:
        assert "does not accept the key in ENTSOE_API_KEY" in str(caught.value)
    else:
        assert str(status) in str(caught.value)


def test_filters_are_gone_afterwards() -> None:
    logger = logging.getLogger("urllib3.connectionpool")
    before = list(logger.filters)
    assert without_key(lambda: 3, KEY, "x") == 3
    with pytest.raises(SourceError, match="x: ZeroDivisionError"):
        without_key(lambda: 1 // 0, KEY, "x")
    assert logger.filters == before


def test_without_a_key_the_message_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ENTSOE_API_KEY", raising=False)
    with pytest.raises(MissingKeyError, match=r"ENTSOE_API_KEY is not set.*https://transparency\.entsoe\.eu.*export"):
        fetch.fetch(tmp_path)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("ENTSOE_API_KEY", "  ")
    with pytest.raises(MissingKeyError):
        entsoe.day_ahead_prices(START, END)


def test_without_the_library_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTSOE_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "entsoe", None)
    with pytest.raises(DataError, match=r"pip install 'uqalign\[entsoe\]'"):
        entsoe.day_ahead_prices(START, END)


def test_the_command_fetches(platform: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch.elia, "imbalance_prices", lambda start, end, **_: entsoe.day_ahead_prices(start, end))
    done = CliRunner().invoke(app, ["electricity", "fetch", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"manifest: {tmp_path / 'manifest.json'}" in done.output
    assert KEY not in done.output


def test_a_failed_fetch_leaves_what_was_there(platform: Server, tmp_path: Path) -> None:
    (tmp_path / "generation.csv").write_text("before")
    with pytest.raises(SourceError):
        fetch.fetch(tmp_path, elia_address=platform.url("/nowhere"))
    assert [path.name for path in tmp_path.iterdir()] == ["generation.csv"]
    assert (tmp_path / "generation.csv").read_text() == "before"
