"""Imbalance prices per quarter-hour from Elia's open data (data set ods134), which needs no key."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from uqalign.data.download import download
from uqalign.data.errors import DataError
from uqalign.data.progress import SILENT, Progress

if TYPE_CHECKING:
    import pandas as pd

ADDRESS = "https://opendata.elia.be/api/explore/v2.1/catalog/datasets/ods134/exports/csv"
TIME, PRICE = "datetime", "imbalanceprice"


def export_url(start: pd.Timestamp, end: pd.Timestamp, address: str = ADDRESS) -> str:
    """Address of the export of all quarter-hours from midnight (UTC) of `start` to midnight of `end`, excluded."""
    first, last = (moment.tz_convert("UTC").strftime("%Y-%m-%d") for moment in (start, end))
    query = {
        "select": f"{TIME},{PRICE}",
        "where": f"{TIME} >= date'{first}' AND {TIME} < date'{last}'",
        "order_by": TIME,
        "timezone": "UTC",
        "use_labels": "false",
        "delimiter": ";",
        "limit": -1,
    }
    return f"{address}?{urlencode(query)}"


def imbalance_prices(
    start: pd.Timestamp, end: pd.Timestamp, *, address: str = ADDRESS, progress: Progress = SILENT
) -> pd.Series[float]:
    """Belgian imbalance prices in EUR/MWh from `start` to `end` (with zones), indexed by instant.

    Raises:
        SourceError: no complete answer.
        DataError: an answer without the expected columns, or without rows.
    """
    import pandas as pd

    with tempfile.TemporaryDirectory(prefix="uqalign-") as folder:
        path = Path(folder) / "ods134.csv"
        download(export_url(start, end, address), path, progress=progress)
        frame = pd.read_csv(path, sep=";", encoding="utf-8-sig")
    missing = [column for column in (TIME, PRICE) if column not in frame.columns]
    if missing:
        raise DataError(f"the export of ods134 lacks {missing[0]!r}: it has {', '.join(map(str, frame.columns))}")
    if frame.empty:
        raise DataError(f"Elia's data set ods134 has no rows from {start} to {end}; it begins on 2024-05-22")
    instants = pd.DatetimeIndex(pd.to_datetime(frame[TIME], utc=True, format="ISO8601"))
    return pd.Series(frame[PRICE].to_numpy(dtype=float), index=instants, name="price_eur_mwh")
