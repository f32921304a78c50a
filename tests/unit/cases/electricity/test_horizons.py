"""What each data set holds, and that nothing in a row was unknown at noon."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from electricity_market import HOURS, csv_file, market_files
from uqalign.cases.electricity import CASES, belwind
from uqalign.cases.electricity.direction import last_known_spread
from uqalign.cases.electricity.horizons import CAPACITY, FEATURES, HORIZONS, NATIONAL_CAPACITY, deliveries, read_market
from uqalign.data.build import build_table
from uqalign.data.errors import DataError
from uqalign.data.registry import resolve

RAW = Path(os.environ.get("UQALIGN_DATA_DIR", "data/raw"))


def test_market_reads_scaled_generation_and_means_of_quarters(market: pd.DataFrame) -> None:
    assert market["time"].iloc[0] == pd.Timestamp("2024-05-31")
    assert market["time"].iloc[-1] == pd.Timestamp("2025-01-01 23:00")
    assert market["generation"].iloc[0] == 0.5 * 24  # a day after the file begins, at half the value
    quarters = pd.read_csv(market_files()[2])["price_eur_mwh"].to_numpy()
    assert market["balancing"].iloc[3] == pytest.approx(quarters[4 * 27 : 4 * 28].mean(), abs=1e-12)


@pytest.mark.parametrize("hour", [0, 11, 12, 23])
def test_features_end_at_eleven_on_the_day_before_delivery(market: pd.DataFrame, hour: int) -> None:
    frame = deliveries(market, hour=hour)
    number = {moment: position / 2 for position, moment in enumerate(HOURS)}
    for row in (0, 100, len(frame) - 1):
        day = pd.Timestamp(frame["day"].iloc[row])
        values = frame.loc[row, list(FEATURES)].to_numpy(dtype=float)
        expected = pd.date_range(day - pd.Timedelta(days=2), day - pd.Timedelta(hours=13), freq="h")
        assert len(expected) == 36
        np.testing.assert_array_equal(values, [number[moment] for moment in expected])
        assert frame["generation"].iloc[row] == number[day + pd.Timedelta(hours=hour)]
        at = market["time"] == day + pd.Timedelta(hours=hour)
        assert frame["day_ahead"].iloc[row] == market.loc[at, "day_ahead"].item()


def test_days_of_delivery_run_from_june_to_new_year(market: pd.DataFrame) -> None:
    days = deliveries(market, hour=5)["day"]
    assert (days == pd.date_range("2024-06-02", "2025-01-01")).all()


def test_an_unknown_target_drops_its_day_and_an_unknown_feature_does_not(market: pd.DataFrame) -> None:
    gap = market.assign(generation=market["generation"].where(market["time"] != "2024-10-27 01:00"))
    frame = deliveries(gap, hour=1)
    assert pd.Timestamp("2024-10-27") not in set(frame["day"])
    other = deliveries(gap, hour=2)
    assert len(other) == len(frame) + 1
    assert other[list(FEATURES)].isna().to_numpy().sum() == 2  # on the 28th as today, on the 29th as the day before


def test_prices_and_days_are_no_features(market: pd.DataFrame) -> None:
    table = build_table(HORIZONS[7], market)
    assert list(table.features.columns) == list(FEATURES)
    assert table.time is not None
    assert CASES[0].splits.test(table).sum() == 32  # type: ignore[union-attr]
    assert (~CASES[0].splits.test(table)).sum() == 182  # type: ignore[union-attr]


def test_a_missing_month_is_named() -> None:
    wind, _, balancing = market_files()
    kept = HOURS[HOURS.month != 9]
    with pytest.raises(DataError, match="day-ahead prices: no values in 2024-09"):
        read_market(
            (wind, csv_file(kept, "price_eur_mwh", 1.0), balancing), generation="mw", share=1.0, day_ahead_per_hour=1
        )


def test_a_file_that_is_another_one_is_refused() -> None:
    with pytest.raises(DataError, match="offshore wind generation: no column 'mw'"):
        read_market(
            (BytesIO(b"datetime,b\n2024-07-01,2\n"), *market_files()[1:]),
            generation="mw",
            share=1.0,
            day_ahead_per_hour=1,
        )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_arm_names_24_data_sets_that_resolve_without_a_key(case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENTSOE_API_KEY", raising=False)
    for arm in case.arms:
        names = [resolve(reference).name for reference in arm.datasets]
        assert [int(name[-2:]) for name in names] == list(range(24))
        assert len({name[:-2] for name in names}) == 1


def test_without_fetched_files_the_message_says_how_to_get_a_key() -> None:
    from uqalign.data.load import load

    with pytest.raises(DataError, match=r"export ENTSOE_API_KEY=.*uqalign electricity fetch"):
        load(belwind.H00, data_dir="nowhere", download_dir="nowhere")


@pytest.mark.skipif(not (RAW / "belgium").is_dir(), reason="the Belgian files are not here")
def test_the_real_tables_are_complete_and_within_the_capacity() -> None:
    from uqalign.data.load import load

    tables = [load(HORIZONS[hour], data_dir=RAW) for hour in (0, 13)]
    for table in tables:
        assert len(table) == 214
        assert not table.features.isna().to_numpy().any()
        assert table.target.min() >= 0
        assert table.target.max() <= CAPACITY
    assert tables[0].target.mean() == pytest.approx(52.0, abs=15)
    raw = pd.read_csv(RAW / "belgium/elia_offshore_wind_hourly_reconstructed.csv", index_col=0)["offshore_wind_mw"]
    assert tables[1].target[0] == raw["2024-06-02T13:00:00Z"] * CAPACITY / NATIONAL_CAPACITY


@pytest.mark.skipif(not (RAW / "belgium").is_dir(), reason="the Belgian files are not here")
@pytest.mark.parametrize(
    ("name", "rows", "used", "negative", "lowest", "highest"),
    [
        ("dam_prices.csv", 63_338, 20_632, 1_068, -140.0, 565.46),
        ("imbalance_actual.csv", 49_559, 20_640, 4_171, -980.0, 2_000.0),
        ("elia_offshore_wind_hourly_reconstructed.csv", 17_344, 5_160, 0, 0.0, 2_149.1525),
    ],
)
def test_the_real_files_hold_what_the_page_says(
    name: str, rows: int, used: int, negative: int, lowest: float, highest: float
) -> None:
    raw = pd.read_csv(RAW / "belgium" / name)
    instants = pd.DatetimeIndex(pd.to_datetime(raw["datetime_utc"], utc=True)).tz_localize(None)
    values = raw.iloc[:, -1][(instants >= "2024-05-31") & (instants < "2025-01-01")]
    assert not instants.has_duplicates
    assert (len(raw), len(values), (values < 0).sum(), values.min(), values.max()) == (
        rows,
        used,
        negative,
        lowest,
        highest,
    )


@pytest.mark.skipif(not (RAW / "belgium").is_dir(), reason="the Belgian files are not here")
def test_the_direction_is_as_hard_to_forecast_as_the_page_says() -> None:
    from uqalign.data.fetch import Fetcher

    with Fetcher(data_dir=RAW, download_dir="nowhere") as fetcher, fetcher.open(HORIZONS[0]) as opened:
        market = HORIZONS[0].read(opened.streams)
    training = market["generation"][(market["time"] >= "2024-06-02") & (market["time"] < "2024-12-01")]
    assert training.var(ddof=0) / CAPACITY**2 == pytest.approx(0.088, abs=5e-4)
    right: dict[str, list[bool]] = {"before": [], "december": []}
    for hour in range(24):
        frame = deliveries(market, hour=hour)
        spread = (frame["day_ahead"] - frame["balancing"]).to_numpy()
        forecast = last_known_spread(frame["day"].to_numpy().astype("datetime64[D]"), hour, spread)
        for name, first, last in (("before", "2024-07-01", "2024-12-01"), ("december", "2024-12-01", "2025-01-01")):
            rows = ((frame["day"] >= first) & (frame["day"] < last)).to_numpy() & ~np.isnan(spread)
            right[name] += (np.sign(forecast[rows]) == np.sign(spread[rows])).tolist()
    assert round(100 * np.mean(right["before"])) == 54
    assert round(100 * np.mean(right["december"])) == 53


@pytest.mark.skipif(not (RAW / "belgium").is_dir(), reason="the Belgian files are not here")
def test_the_real_day_ahead_file_lacks_the_two_hours_of_the_clock_change() -> None:
    from uqalign.data.fetch import Fetcher

    with Fetcher(data_dir=RAW, download_dir="nowhere") as fetcher, fetcher.open(HORIZONS[0]) as opened:
        market = HORIZONS[0].read(opened.streams)
    gone = market.loc[market["day_ahead"].isna(), "time"]
    assert gone.tolist() == [pd.Timestamp("2024-10-27 00:00"), pd.Timestamp("2024-10-27 01:00")]
    assert not market[["generation", "balancing"]].isna().to_numpy().any()
    assert (market["balancing"] < 0).sum() > 500
