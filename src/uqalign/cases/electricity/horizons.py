"""The forecasting problems: at noon of one day, the generation in each of the 24 hours of the next, 24 data sets.

A row is a day of delivery. Its 36 features are the hourly generation from midnight of the day before the decision up to
noon of the day of the decision, at which the forecast is made. Prices of the hour of delivery travel along for the
settlement and are never features.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, LocalFile, Manual, Source

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from uqalign.data.declare import Reader
    from uqalign.data.table import Table

FIRST_DAY, FIRST_TEST_DAY, LAST_TEST_DAY = "2024-06-02", "2024-12-01", "2024-12-31"
"""Days of delivery: the first one trained on, and the test month."""

CAPACITY = 165.0
"""Capacity of Belwind phase 1 in MW: 55 turbines of 3 MW."""

NATIONAL_CAPACITY = 2262.0
"""Capacity of all Belgian offshore wind farms in MW, unchanged since the end of 2020."""

FEATURES = (*(f"before_{hour:02d}" for hour in range(24)), *(f"today_{hour:02d}" for hour in range(12)))
"""Generation by hour: of the day before the decision, and of the day of the decision until noon."""

PRICES = ("day_ahead", "balancing")
ZONE = "Europe/Brussels"

WIND = Content(
    "belgium/elia_offshore_wind_hourly_reconstructed.csv",
    "762dfc795a2c44f3caf1a75d5ccb5aeda07b7b7ef4c89043a5a0828f5fa95786",
    506_152,
)
DAY_AHEAD = Content(
    "belgium/dam_prices.csv", "375d56634ced9419acb038fe27b7cdad9a49c531494534368ba615ac51a483f6", 2_760_359
)
BALANCING = Content(
    "belgium/imbalance_actual.csv", "4a8fec806de5bd968439d27d8738873194a0b252163107628aa3e7a2de50478a", 2_179_987
)


def read_market(files: tuple[BinaryIO, ...], *, generation: str, share: float, day_ahead_per_hour: int) -> pd.DataFrame:
    """Generation and both prices hour by hour, from three CSV files in this order: generation, day-ahead, balancing.

    Args:
        generation: column of the generation file, in MW.
        share: factor applied to it.
        day_ahead_per_hour: rows of the day-ahead file per hour.

    Returns:
        columns time (UTC, start of the hour), generation (MW), day_ahead, balancing (EUR/MWh); NaN where unknown.

    Raises:
        DataError: a file that lacks columns, is inconsistent, or lacks a month.
    """
    import pandas as pd

    from uqalign.cases.electricity.hourly import check_months, read_series

    first = str(pd.Timestamp(FIRST_DAY) - pd.Timedelta(days=2))
    last = f"{LAST_TEST_DAY} 23:00:00"
    wind, day_ahead, balancing = files
    columns = {
        "generation": read_series(wind, generation, "offshore wind generation", zone=ZONE, per_hour=1) * share,
        "day_ahead": read_series(
            day_ahead, "price_eur_mwh", "day-ahead prices", zone=ZONE, per_hour=day_ahead_per_hour
        ),
        "balancing": read_series(balancing, "price_eur_mwh", "imbalance prices", zone=ZONE, per_hour=4),
    }
    for series in columns.values():
        check_months(series, first, last, str(series.name))
    # The day after the test month is kept: what was forecast for it is what the published evaluation scored.
    period = pd.date_range(first, pd.Timestamp(last) + pd.Timedelta(days=1), freq="h")
    frame = pd.DataFrame({name: series.reindex(period) for name, series in columns.items()})
    return frame.rename_axis("time").reset_index()


def deliveries(market: pd.DataFrame, *, hour: int) -> pd.DataFrame:
    """One row per day of delivery: features, generation in `hour`, its prices, day and hour.

    Days whose generation in `hour` is unknown have no row; unknown features and prices are NaN.

    Args:
        market: output of `read_market`.
        hour: 0..23, UTC.

    Returns:
        columns FEATURES, generation, day_ahead, balancing, day, hour.
    """
    import numpy as np
    import pandas as pd

    start = market["time"].iloc[0]
    days = pd.date_range(FIRST_DAY, market["time"].iloc[-1].normalize(), freq="D")
    # Position of the delivery hour in the gapless hourly series; the decision's last hour starts 13 + hour before it.
    delivery = ((days - start) // pd.Timedelta(hours=1)).to_numpy() + hour
    first = delivery - hour - 48
    generation = market["generation"].to_numpy()
    history = generation[first[:, None] + np.arange(len(FEATURES))]
    frame = pd.DataFrame(history, columns=list(FEATURES))
    frame["generation"] = generation[delivery]
    for price in PRICES:
        frame[price] = market[price].to_numpy()[delivery]
    frame["day"] = days.to_numpy()
    frame["hour"] = hour
    return frame.dropna(subset=["generation"]).reset_index(drop=True)


def tested(table: Table) -> npt.NDArray[np.bool_]:
    """The rows from the test month on."""
    import numpy as np

    assert table.time is not None
    return np.asarray(table.time >= np.datetime64(FIRST_TEST_DAY))


def horizon_datasets(
    prefix: str, title: str, sources: tuple[Source, ...], read: Reader, note: str
) -> tuple[Dataset, ...]:
    """The 24 data sets `<prefix>_h00` .. `<prefix>_h23`."""
    return tuple(
        Dataset(
            name=f"{prefix}_h{hour:02d}",
            task="regression",
            title=f"{title}, {hour:02d}:00 of the next day",
            sources=sources,
            read=read,
            clean=partial(deliveries, hour=hour),
            target="generation",
            drop=(*PRICES, "hour"),
            time="day",
            licence="prices: Elia open data and ENTSO-E Transparency Platform, no formal licence",
            citation="Elia Open Data, opendata.elia.be; ENTSO-E Transparency Platform, transparency.entsoe.eu",
            note=note,
        )
        for hour in range(24)
    )


HORIZONS = horizon_datasets(
    "electricity",
    "Belgian offshore wind scaled to 165 MW",
    (
        LocalFile((WIND.at(), DAY_AHEAD.at(), BALANCING.at())),
        Manual(
            (WIND.at(), DAY_AHEAD.at(), BALANCING.at()),
            url="https://opendata.elia.be and https://transparency.entsoe.eu",
            how="use the case study electricity_belwind, whose files `uqalign electricity fetch` obtains; the national "
            "series of this one cannot be downloaded: take",
        ),
    ),
    partial(read_market, generation="offshore_wind_mw", share=CAPACITY / NATIONAL_CAPACITY, day_ahead_per_hour=4),
    note=f"All Belgian offshore wind ({NATIONAL_CAPACITY:g} MW) scaled to the {CAPACITY:g} MW of Belwind phase 1: "
    "smoother than one farm, because gusts, wakes and outages of single farms average out.",
)
(
    H00, H01, H02, H03, H04, H05, H06, H07, H08, H09, H10, H11,
    H12, H13, H14, H15, H16, H17, H18, H19, H20, H21, H22, H23,
) = HORIZONS  # fmt: skip
