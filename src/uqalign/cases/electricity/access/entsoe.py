"""Day-ahead prices and the generation of one plant from ENTSO-E's transparency platform, through `entsoe-py`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from uqalign.cases.electricity.access.secrets import api_key, without_key
from uqalign.data.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

AREA = "BE"
OFFSHORE_WIND = "B18"
PLANT = "Belwind Phase 1"
TIMEOUT_SECONDS = 60


def open_client(key: str) -> Any:
    """A client of `entsoe-py`.

    Raises:
        DataError: the library is not installed.
    """
    try:
        library = importlib.import_module("entsoe")
    except ImportError:
        raise DataError("access to ENTSO-E needs the library entsoe-py: pip install 'uqalign[entsoe]'") from None
    return library.EntsoePandasClient(api_key=key, timeout=TIMEOUT_SECONDS)


def day_ahead_prices(start: pd.Timestamp, end: pd.Timestamp) -> pd.Series[float]:
    """Belgian day-ahead prices in EUR/MWh from `start` to `end` (with zones), indexed by instant.

    Raises:
        MissingKeyError, DataError, SourceError: no key, no library, or no answer; none of the messages holds the key.
    """
    key = api_key()
    client = open_client(key)
    prices: pd.Series[float] = without_key(
        lambda: client.query_day_ahead_prices(AREA, start=start, end=end), key, "Belgian day-ahead prices of ENTSO-E"
    )
    return prices.rename("price_eur_mwh")


def plant_generation(start: pd.Timestamp, end: pd.Timestamp, plant: str = PLANT) -> pd.Series[float]:
    """Generation of one offshore wind farm in MW from `start` to `end` (with zones), indexed by instant.

    Raises:
        MissingKeyError, SourceError: no key or no answer; none of the messages holds the key.
        DataError: no library, or no plant of this name; lists those that there are.
    """
    key = api_key()
    client = open_client(key)
    frame = without_key(
        lambda: client.query_generation_per_plant(AREA, start=start, end=end, psr_type=OFFSHORE_WIND),
        key,
        "generation per plant of ENTSO-E",
    )
    names = [column if isinstance(column, tuple) else (column,) for column in frame.columns]
    chosen = [position for position, name in enumerate(names) if name[0] == plant and "Actual Consumption" not in name]
    if len(chosen) != 1:
        known = ", ".join(sorted({str(name[0]) for name in names}))
        raise DataError(f"ENTSO-E lists no plant {plant!r} in {AREA}: there are {known}")
    generation: pd.Series[float] = frame.iloc[:, chosen[0]].astype(float)
    return generation.rename("generation_mw")
