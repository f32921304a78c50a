"""The test period of one model as days by hours: what was forecast, what happened, what was paid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.cases.electricity.direction import last_known_spread
from uqalign.cases.electricity.horizons import LAST_TEST_DAY
from uqalign.checks import FloatArray
from uqalign.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from uqalign.cases.case import CaseInputs
    from uqalign.contracts.predictions import SplitResult
    from uqalign.data.table import Table

HOURS = 24


def settlement(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """Side information of one horizon: day and hour of delivery, both prices, and the spread expected at noon.

    Returns:
        columns day, hour, day_ahead, balancing, expected_spread (day-ahead minus balancing); NaN where unknown.
    """
    import pandas as pd

    days = frame["day"].to_numpy().astype("datetime64[D]")
    spread = (frame["day_ahead"] - frame["balancing"]).to_numpy()
    columns = {
        "day": frame["day"],
        "hour": frame["hour"],
        "day_ahead": frame["day_ahead"],
        "balancing": frame["balancing"],
        "expected_spread": last_known_spread(days, int(frame["hour"].iloc[0]), spread),
    }
    return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class Hours:
    """Hours of delivery, all arrays (n,).

    Attributes:
        day: position of the test day, 0 for the first.
        hour: 0..23.
        generation: MW.
        mean, var: forecast of the generation, MW and MW^2.
        day_ahead, balancing: EUR/MWh.
        expected_spread: day-ahead minus balancing price as expected when bidding.
    """

    day: npt.NDArray[np.intp]
    hour: npt.NDArray[np.intp]
    generation: FloatArray
    mean: FloatArray
    var: FloatArray
    day_ahead: FloatArray
    balancing: FloatArray
    expected_spread: FloatArray

    def __len__(self) -> int:
        return len(self.day)

    def take(self, rows: npt.NDArray[np.intp]) -> Hours:
        """These hours, in this order."""
        return Hours(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


@dataclass(frozen=True, eq=False)
class Panel:
    """The hours of the test period that can be settled, ordered by day and hour.

    Attributes:
        first: first test day.
        n_days: test days.
        hours: their hours.
        unsettled: hours of these days left out, because a forecast, a price or the generation is unknown.
    """

    first: np.datetime64
    n_days: int
    hours: Hours
    unsettled: int


def build_panel(horizons: Iterable[tuple[SplitResult, pd.DataFrame]], *, forecast_day: str = "delivery") -> Panel:
    """The test period of one model.

    Args:
        horizons: per hour of the day, the model's predictions and the side information of all rows of the data set.
        forecast_day: "delivery": each hour is met with its own forecast; "next": with the forecast of the same hour of
            the next day, as the published evaluation did.

    Raises:
        UserError: another `forecast_day`.
        ValueError: a horizon whose fit failed.
    """
    if forecast_day not in ("delivery", "next"):
        raise UserError(f"option forecast_day must be 'delivery' or 'next', got {forecast_day!r}")
    grids, days = _grids(horizons)
    if forecast_day == "next":
        for name in ("mean", "var"):
            grids[name] = np.vstack([grids[name][1:], np.full((1, HOURS), np.nan)])
    within = days <= np.datetime64(LAST_TEST_DAY)
    grids = {name: grid[within] for name, grid in grids.items()}
    settled = ~np.isnan(np.stack([*grids.values()])).any(axis=0)
    day, hour = np.nonzero(settled)
    hours = Hours(day, hour, **{name: grid[settled] for name, grid in grids.items()})
    return Panel(days[0], int(within.sum()), hours, int((~settled).sum()))


def panel_of(inputs: CaseInputs) -> Panel | None:
    """The test period of one model, or None if one of its fits failed.

    Raises:
        UserError: as `build_panel`.
    """
    horizons = [(part.cache.splits[0], part.side) for part in inputs.parts]
    if any(split.prediction is None for split, _ in horizons):
        return None
    return build_panel(horizons, forecast_day=str(inputs.options["forecast_day"]))


def _grids(
    horizons: Iterable[tuple[SplitResult, pd.DataFrame]],
) -> tuple[dict[str, FloatArray], npt.NDArray[np.datetime64]]:
    """Every quantity as (days, 24), NaN where unknown, and all days from the first to the last that is there."""
    names = [field.name for field in fields(Hours) if field.name not in ("day", "hour")]
    columns: dict[int, tuple[npt.NDArray[np.datetime64], dict[str, FloatArray]]] = {}
    for split, side in horizons:
        if split.prediction is None:
            raise ValueError(f"a fit failed: {split.error}")
        rows = side.iloc[split.rows]
        mean, var = split.prediction
        told = {"generation": split.y, "mean": mean, "var": var}
        told |= {name: rows[name].to_numpy(dtype=np.float64) for name in names if name not in told}
        columns[int(rows["hour"].iloc[0])] = rows["day"].to_numpy().astype("datetime64[D]"), told
    first = min(days[0] for days, _ in columns.values())
    last = max(days[-1] for days, _ in columns.values())
    every = np.arange(first, last + np.timedelta64(1, "D"))
    grids = {name: np.full((len(every), HOURS), np.nan) for name in names}
    for hour, (days, told) in columns.items():
        for name, values in told.items():
            grids[name][(days - first).astype(int), hour] = values
    return grids, every
