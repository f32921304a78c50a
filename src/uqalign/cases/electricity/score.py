"""Scores of one model: every metric and every utility, on each bootstrap draw of test days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from uqalign.cases.electricity.bidding import earn, mean_of, place_bids
from uqalign.cases.electricity.bootstrap import block_draws
from uqalign.cases.electricity.panel import HOURS, Hours, Panel, panel_of
from uqalign.cases.scoring import variants
from uqalign.checks import FloatArray, noted
from uqalign.errors import UserError

if TYPE_CHECKING:
    from uqalign.cases.case import CaseInputs, Options, ScoreRow
    from uqalign.metrics.metric import Metric

RISK_BOUNDS = (0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10, 0.12, 0.15, 0.20, 0.30, 0.50)
"""Absolute bounds that are swept, as fractions of capacity^2."""


def swept_name(case: str, bound: float) -> str:
    """Name of the utility under another risk bound: `electricity:risk_bound=0.05`."""
    return f"{case}:risk_bound={bound:.2f}"


def hourly_revenues(
    hours: Hours, case: str, options: Options, named: Mapping[str, frozenset[str]]
) -> dict[str, tuple[FloatArray, npt.NDArray[np.bool_]]]:
    """Revenue of every hour and whether a bid was placed, by name of the utility: all variants, all swept bounds."""
    settings = {name: (options, switches) for name, switches in named.items()}
    for bound in RISK_BOUNDS:
        settings[swept_name(case, bound)] = ({**options, "risk_bound": bound}, named[case] - {"bid_risk"})
    found = {}
    for name, (chosen, switches) in settings.items():
        bids = place_bids(hours, chosen, switches)
        found[name] = earn(hours, bids), bids.placed
    return found


def _by_hour(
    evaluate: Callable[..., float], y: FloatArray, forecast: tuple[FloatArray, ...], hour: npt.NDArray[np.intp]
) -> float:
    """Mean over the hours of the day of a metric of each."""
    parts = (hour == h for h in range(HOURS))
    values = [evaluate(y[rows], tuple(array[rows] for array in forecast)) for rows in parts if rows.any()]
    return mean_of(np.array(values))


def _metric_rows(metrics: Mapping[str, Metric], seed: int, drawn: Hours, *, pooled: bool) -> Iterator[ScoreRow]:
    forecast = (drawn.mean, drawn.var)
    for name, metric in metrics.items():
        if pooled:
            value, note = noted(metric.evaluate, drawn.generation, forecast)
        else:
            value, note = noted(_by_hour, metric.evaluate, drawn.generation, forecast, drawn.hour)
        yield seed, 1, "metric", name, "", value, note


def draw_rows(panel: Panel, options: Options) -> Iterator[npt.NDArray[np.intp]]:
    """Positions of the hours of every bootstrap draw."""
    by_day = [np.flatnonzero(panel.hours.day == day) for day in range(panel.n_days)]
    draws = block_draws(panel.n_days, draws=int(options["draws"]), block_days=int(options["block_days"]))
    for days in draws:
        yield np.concatenate([by_day[day] for day in days])


def score(inputs: CaseInputs) -> Iterator[ScoreRow]:
    """Metrics, utilities (EUR per hour) and the share of hours without a bid, on every draw; nothing if a fit failed.

    Raises:
        UserError: an unknown value of an option.
    """
    options, case = inputs.options, inputs.case
    pooling = options["pooling"]
    if pooling not in ("pooled", "by_hour"):
        raise UserError(f"option pooling of case study {case.name} must be 'pooled' or 'by_hour', got {pooling!r}")
    panel = panel_of(inputs)
    if panel is None:
        return
    earned = hourly_revenues(panel.hours, case.name, options, variants(case, inputs.switches))
    for seed, rows in enumerate(draw_rows(panel, options)):
        yield from _metric_rows(inputs.metrics, seed, panel.hours.take(rows), pooled=pooling == "pooled")
        for name, (revenues, placed) in earned.items():
            yield seed, 1, "utility", name, "", mean_of(revenues[rows]), ""
            if name == case.name:
                yield seed, 1, "detail", "hours_without_bid", "", float(np.mean(~placed[rows])), ""
