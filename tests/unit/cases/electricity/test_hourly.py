"""Clock changes, quarter-hours, duplicates and gaps."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from uqalign.cases.electricity.hourly import check_months, hourly, read_series, utc_instants
from uqalign.data.errors import DataError

BRUSSELS = "Europe/Brussels"


def clock(*texts: str) -> pd.Series:
    return pd.Series(texts, name="datetime")


def series(times: pd.DatetimeIndex, values: object, per_hour: int = 1) -> pd.Series:
    return hourly(times, pd.Series(values, dtype=float), "prices", per_hour=per_hour)


def test_the_hour_that_clocks_show_twice_in_autumn_is_two_hours() -> None:
    instants = utc_instants(
        clock("2024-10-27 01:00", "2024-10-27 02:00", "2024-10-27 02:00", "2024-10-27 03:00"), BRUSSELS, "x"
    )
    assert instants.strftime("%d %H:%M").tolist() == ["26 23:00", "27 00:00", "27 01:00", "27 02:00"]


def test_a_whole_local_autumn_day_of_quarter_hours_has_25_hours_in_order() -> None:
    truth = pd.date_range("2024-10-26 22:00", "2024-10-27 22:45", freq="15min")
    shown = truth.tz_localize("UTC").tz_convert(BRUSSELS).strftime("%Y-%m-%d %H:%M")
    instants = utc_instants(pd.Series(shown), BRUSSELS, "x")
    assert (instants == truth).all()
    means = hourly(instants, pd.Series(np.arange(100.0)), "x", per_hour=4)
    assert len(means) == 25
    np.testing.assert_array_equal(means.to_numpy(), 1.5 + 4 * np.arange(25))


def test_of_two_autumn_hours_a_single_one_could_be_either() -> None:
    instants = utc_instants(clock("2024-10-27 01:00", "2024-10-27 02:00", "2024-10-27 03:00"), BRUSSELS, "x")
    assert instants.isna().tolist() == [False, True, False]
    means = series(instants, [1, 2, 3])
    assert means.index.strftime("%d %H").tolist() == ["26 23", "27 00", "27 01", "27 02"]
    np.testing.assert_array_equal(means.to_numpy(), [1, np.nan, np.nan, 3])


def test_the_spring_day_has_23_hours() -> None:
    truth = pd.date_range("2024-03-30 23:00", "2024-03-31 21:00", freq="h")
    shown = truth.tz_localize("UTC").tz_convert(BRUSSELS).strftime("%Y-%m-%d %H:%M")
    assert "2024-03-31 02:00" not in shown
    means = series(utc_instants(pd.Series(shown), BRUSSELS, "x"), np.arange(23))
    assert len(means) == 23
    assert not means.isna().any()


def test_a_time_that_no_clock_shows_is_refused() -> None:
    with pytest.raises(DataError, match=r"prices: 2024-03-31 02:30.* never show: is the file in another zone"):
        utc_instants(clock("2024-03-31 01:30", "2024-03-31 02:30"), BRUSSELS, "prices")


def test_offsets_are_believed() -> None:
    texts = clock("2024-10-27T02:00:00+02:00", "2024-10-27T02:00:00+01:00", "2024-10-27T02:00:00Z")
    assert utc_instants(texts, BRUSSELS, "x").hour.tolist() == [0, 1, 2]


@pytest.mark.parametrize("texts", [("soon", "2024-10-27 02:00"), ("2024-10-27T02:00Z", "2024-10-27 03:00")])
def test_text_that_is_no_time_or_is_mixed_is_refused(texts: tuple[str, str]) -> None:
    with pytest.raises(DataError, match="prices: the column 'datetime' holds something that is no time"):
        utc_instants(clock(*texts), BRUSSELS, "prices")


def test_negative_prices_are_kept() -> None:
    quarters = pd.date_range("2024-07-01", periods=8, freq="15min")
    means = series(quarters, [-100, -50, -50, -100, 0, 10, -10, 4], per_hour=4)
    np.testing.assert_array_equal(means.to_numpy(), [-75, 1])


def test_an_hour_without_all_its_quarters_is_unknown() -> None:
    quarters = pd.date_range("2024-07-01", periods=12, freq="15min").delete([1, 4, 5, 6, 7])
    means = series(quarters, np.ones(7), per_hour=4)
    np.testing.assert_array_equal(means.to_numpy(), [np.nan, np.nan, 1])


def test_a_missing_value_is_a_missing_quarter() -> None:
    quarters = pd.date_range("2024-07-01", periods=8, freq="15min")
    means = series(quarters, [1, 1, np.nan, 1, 2, 2, 2, 2], per_hour=4)
    np.testing.assert_array_equal(means.to_numpy(), [np.nan, 2])


def test_a_row_twice_counts_once_whatever_the_order() -> None:
    times = pd.DatetimeIndex(["2024-07-01 01:00", "2024-07-01 00:00", "2024-07-01 01:00"])
    np.testing.assert_array_equal(series(times, [5, 4, 5]).to_numpy(), [4, 5])


def test_two_values_for_one_instant_are_refused() -> None:
    times = pd.DatetimeIndex(["2024-07-01 01:00", "2024-07-01 01:00"])
    with pytest.raises(DataError, match="prices: 2024-07-01 01:00:00 UTC has two values, 4 and 5"):
        series(times, [5, 4])


def test_instants_off_the_grid_are_refused() -> None:
    with pytest.raises(DataError, match="2024-07-01 01:15:00 UTC is not the start of one of 1 parts"):
        series(pd.DatetimeIndex(["2024-07-01 01:15"]), [5])


def test_nothing_at_all_is_refused() -> None:
    with pytest.raises(DataError, match="prices: no values"):
        series(pd.DatetimeIndex([pd.NaT, "2024-07-01"]), [1, np.nan])


def test_a_missing_month_is_named() -> None:
    hours = pd.date_range("2024-06-01", "2024-12-31 23:00", freq="h")
    known = pd.Series(1.0, index=hours)
    check_months(known, "2024-06-02", "2024-12-31", "prices")
    gone = known.where(~hours.month.isin([8, 10]))
    with pytest.raises(DataError, match=r"prices: no values in 2024-08, 2024-10 \(the file holds 2024-06 to 2024-12\)"):
        check_months(gone, "2024-06-02", "2024-12-31", "prices")
    with pytest.raises(DataError, match="no values in 2025-01"):
        check_months(known, "2024-06-02", "2025-01-01", "prices")


def test_one_hour_of_a_month_is_enough_to_have_it() -> None:
    hours = pd.date_range("2024-06-01", "2024-08-31 23:00", freq="h")
    july = hours.month == 7
    rare = pd.Series(1.0, index=hours).where(~july | (hours == pd.Timestamp("2024-07-15 12:00")))
    check_months(rare, "2024-06-01", "2024-08-31", "prices")


def test_a_file_of_local_times_reads_as_one_in_utc() -> None:
    truth = pd.date_range("2024-10-26 20:00", "2024-10-27 03:00", freq="h")
    local = truth.tz_localize("UTC").tz_convert(BRUSSELS).strftime("%Y-%m-%d %H:%M")
    values = np.arange(len(truth)) - 4.0
    files = [
        pd.DataFrame({"datetime": local, "price": values}),
        pd.DataFrame({"datetime_utc": truth.strftime("%Y-%m-%d %H:%M:%S"), "price": values}),
    ]
    read = [
        read_series(BytesIO(f.to_csv(index=False).encode()), "price", "prices", zone=BRUSSELS, per_hour=1)
        for f in files
    ]
    pd.testing.assert_series_equal(*read)
    assert read[0].index[0] == truth[0]


@pytest.mark.parametrize(("header", "named"), [("datetime_utc,other", "'price'"), ("when,price", "'datetime'")])
def test_absent_columns_are_named(header: str, named: str) -> None:
    with pytest.raises(DataError, match=f"prices: no column {named}; there are"):
        read_series(BytesIO(f"{header}\n2024-07-01,1\n".encode()), "price", "prices", zone=BRUSSELS, per_hour=1)
