"""A synthetic market as files in the format of the raw ones."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd

HOURS = pd.date_range("2024-05-30", "2025-01-02 23:00", freq="h")


def csv_file(times: pd.DatetimeIndex, column: str, values: object) -> BytesIO:
    text = times.strftime("%Y-%m-%d %H:%M:%S")
    return BytesIO(pd.DataFrame({"datetime_utc": text, column: values}).to_csv(index=False).encode())


def market_files() -> tuple[BytesIO, BytesIO, BytesIO]:
    """Generation 0, 1, 2 .. MW by the hour; day-ahead prices by the hour; balancing prices by the quarter-hour."""
    rng = np.random.default_rng(0)
    quarters = pd.date_range(HOURS[0], HOURS[-1] + pd.Timedelta(minutes=45), freq="15min")
    return (
        csv_file(HOURS, "mw", np.arange(len(HOURS)) * 1.0),
        csv_file(HOURS, "price_eur_mwh", rng.normal(80, 40, len(HOURS)).round(2)),
        csv_file(quarters, "price_eur_mwh", rng.normal(80, 150, len(quarters)).round(2)),
    )
