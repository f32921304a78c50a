"""Which price will be higher? A forecast that anyone could have made at noon."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqalign.checks import FloatArray

NOON = 12
"""Hour of the decision (UTC) on the day before delivery."""


def last_known_spread(days: npt.NDArray[np.datetime64], hour: int, spread: FloatArray) -> FloatArray:
    """Persistence: the spread between day-ahead and balancing price that this hour had last, as known at noon.

    For an hour before noon that is the day of the decision; for later hours, which are not over yet, the day before it.
    Days without a known spread are passed over.

    Args:
        days: (n,) days of delivery, ascending, none twice.
        hour: of delivery, 0..23 UTC.
        spread: (n,) day-ahead minus balancing price in that hour; NaN where one is unknown.

    Returns:
        (n,) forecasts; NaN where no spread was known yet.
    """
    delay = np.timedelta64(1 if hour < NOON else 2, "D")
    known = ~np.isnan(spread)
    past, values = days[known], spread[known]
    position = np.searchsorted(past, days - delay, side="right") - 1
    forecast = np.full(len(days), np.nan)
    forecast[position >= 0] = values[position[position >= 0]]
    return forecast
