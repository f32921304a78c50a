"""The forecast of the spread uses only what was known at noon."""

from __future__ import annotations

import numpy as np
import pytest

from uqalign.cases.electricity.direction import last_known_spread

DAYS = np.arange(np.datetime64("2024-06-01"), np.datetime64("2024-06-09"))


def test_hours_before_noon_repeat_the_day_of_the_decision() -> None:
    spread = np.arange(8.0)
    np.testing.assert_array_equal(last_known_spread(DAYS, 11, spread), [np.nan, 0, 1, 2, 3, 4, 5, 6])


def test_hours_from_noon_on_repeat_the_day_before_it() -> None:
    spread = np.arange(8.0)
    np.testing.assert_array_equal(last_known_spread(DAYS, 12, spread), [np.nan, np.nan, 0, 1, 2, 3, 4, 5])


def test_unknown_days_are_passed_over() -> None:
    spread = np.array([np.nan, 1, np.nan, np.nan, 4, 5, 6, 7])
    np.testing.assert_array_equal(last_known_spread(DAYS, 3, spread), [np.nan, np.nan, 1, 1, 1, 4, 5, 6])


def test_days_that_have_no_row_are_passed_over() -> None:
    kept = np.array([0, 1, 4, 5])
    spread = np.array([10.0, 11, 14, 15])
    np.testing.assert_array_equal(last_known_spread(DAYS[kept], 20, spread), [np.nan, np.nan, 11, 11])


def test_nothing_known_is_nothing_forecast() -> None:
    assert np.isnan(last_known_spread(DAYS, 3, np.full(8, np.nan))).all()


@pytest.mark.parametrize("hour", range(24))
def test_what_happens_after_noon_changes_nothing(hour: int) -> None:
    rng = np.random.default_rng(hour)
    spread = rng.normal(size=8)
    for row, day in enumerate(DAYS):
        decision = (day - np.timedelta64(1, "D")).astype("datetime64[h]") + np.timedelta64(12, "h")
        ends = DAYS.astype("datetime64[h]") + np.timedelta64(hour + 1, "h")
        later = np.where(ends > decision, rng.normal(size=8), spread)
        before, after = (last_known_spread(DAYS, hour, values)[row] for values in (spread, later))
        assert np.array_equal(before, after, equal_nan=True)
