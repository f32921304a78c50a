"""Market files as hourly series in UTC: clock changes, quarter-hours, gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def utc_instants(column: pd.Series[str], zone: str, what: str) -> pd.DatetimeIndex:
    """Timestamps as instants in UTC, without zone; NaT where the text does not say which instant is meant.

    Text with an offset (`2024-10-27T02:00:00+02:00`, `...Z`) is taken by its offset, other text as the time shown by a
    clock in `zone`. When clocks are set back, the hour that the clock shows twice is told apart by the order of its
    two occurrences; where it occurs once, nothing says which one is missing and the instant is NaT.

    Args:
        zone: of timestamps without an offset.
        what: the series, for messages.

    Raises:
        DataError: text that is no time, or a time that no clock in `zone` shows (clocks were set forward past it).
    """
    import pandas as pd

    text = column.astype(str).str.strip()
    offset = text.str.contains(r"(?:Z|[+-]\d\d:?\d\d)$", regex=True).to_numpy()
    try:
        if offset.all():
            return pd.DatetimeIndex(pd.to_datetime(text, format="ISO8601", utc=True)).tz_localize(None)
        if offset.any():
            raise ValueError(f"row {int(offset.argmin())} has no offset from UTC, others have")
        clock = pd.DatetimeIndex(pd.to_datetime(text, format="ISO8601"))
    except (TypeError, ValueError) as error:
        raise DataError(f"{what}: the column {column.name!r} holds something that is no time ({error})") from error
    return _of_clock(clock, zone, what).tz_convert("UTC").tz_localize(None)


def _of_clock(clock: pd.DatetimeIndex, zone: str, what: str) -> pd.DatetimeIndex:
    import numpy as np
    import pandas as pd

    shown = pd.Series(clock)
    occurrences = shown.groupby(shown)
    first, once = (occurrences.cumcount() == 0).to_numpy(), (occurrences.transform("size") == 1).to_numpy()
    located = clock.tz_localize(zone, ambiguous=first, nonexistent="NaT")
    skipped = np.flatnonzero(located.isna())
    if len(skipped):
        raise DataError(
            f"{what}: {clock[skipped[0]]} is a time that clocks in {zone} never show: is the file in another zone?"
        )
    ambiguous = clock.tz_localize(zone, ambiguous="NaT").isna()
    return pd.DatetimeIndex(located.where(~(ambiguous & once)))


def hourly(times: pd.DatetimeIndex, values: pd.Series[float], what: str, *, per_hour: int) -> pd.Series[float]:
    """Mean of every full hour, from the first hour to the last; NaN for an hour that lacks any of its parts.

    Args:
        times: instants in UTC (starts of the parts); NaT are left out.
        values: one per instant; negative ones are values like any other.
        what: the series, for messages.
        per_hour: parts of an hour: 4 for quarter-hours, 1 for hours.

    Raises:
        DataError: an instant with two different values, or instants off the grid.
    """
    import numpy as np
    import pandas as pd

    series = pd.Series(values.to_numpy(dtype=np.float64), index=times, name=what)
    series = series[series.notna().to_numpy() & times.notna()].sort_index()
    if series.empty:
        raise DataError(f"{what}: no values")
    instants = pd.DatetimeIndex(series.index)
    spread = series.groupby(instants).agg(["min", "max"])
    differing = spread[spread["min"] != spread["max"]]
    if len(differing):
        low, high = differing.iloc[0]
        raise DataError(f"{what}: {differing.index[0]} UTC has two values, {low:g} and {high:g}: remove one")
    series = series[~instants.duplicated()]
    instants = pd.DatetimeIndex(series.index)
    astray = instants[instants != instants.floor(f"{60 // per_hour}min")]
    if len(astray):
        raise DataError(f"{what}: {astray[0]} UTC is not the start of one of {per_hour} parts of an hour")
    hours = series.groupby(instants.floor("h")).agg(["mean", "size"])
    means: pd.Series[float] = hours["mean"].where(hours["size"] == per_hour)
    return means.reindex(pd.date_range(means.index[0], means.index[-1], freq="h")).rename(what)


def check_months(series: pd.Series[float], first: str, last: str, what: str) -> None:
    """Refuse a series without any value in a calendar month of the period.

    Args:
        first, last: first and last hour that are needed.

    Raises:
        DataError: names the months and what the series does hold.
    """
    import pandas as pd

    held = set(pd.DatetimeIndex(series.dropna().index).to_period("M"))
    wanted = pd.period_range(pd.Period(first, "M"), pd.Period(last, "M"), freq="M")
    missing = [str(month) for month in wanted if month not in held]
    if missing:
        shown = f"{min(held)} to {max(held)}" if held else "nothing"
        raise DataError(
            f"{what}: no values in {', '.join(missing)} (the file holds {shown}); {first[:10]} to {last[:10]} is "
            "needed: fetch the file again for the whole period"
        )


def read_series(file: BinaryIO, column: str, what: str, *, zone: str, per_hour: int) -> pd.Series[float]:
    """One column of a CSV file by the hour, its timestamps in `datetime_utc`, or in `datetime` by the clocks of `zone`.

    Raises:
        DataError: columns that are not there, or as `utc_instants` and `hourly`.
    """
    import pandas as pd

    frame = pd.read_csv(file)
    time = "datetime_utc" if "datetime_utc" in frame.columns else "datetime"
    for needed in (time, column):
        if needed not in frame.columns:
            raise DataError(f"{what}: no column {needed!r}; there are {', '.join(map(str, frame.columns))}")
    instants = utc_instants(frame[time], "UTC" if time == "datetime_utc" else zone, what)
    return hourly(instants, frame[column], what, per_hour=per_hour)
