"""From the predictions of 24 horizons to scores, tables and figures, on a synthetic half-year."""

from __future__ import annotations

import dataclasses
import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from uqalign.cases.case import CaseInputs, CaseSplit, Part
from uqalign.cases.electricity import CASES, figures, month, tables
from uqalign.cases.electricity.bidding import decide, utility
from uqalign.cases.electricity.bootstrap import block_draws
from uqalign.cases.electricity.horizons import HORIZONS, deliveries
from uqalign.cases.electricity.panel import build_panel, settlement
from uqalign.cases.electricity.score import RISK_BOUNDS, score, swept_name
from uqalign.contracts.predictions import Cache, SplitResult
from uqalign.data.build import build_table
from uqalign.errors import UserError
from uqalign.metrics.select import selected

CASE = CASES[0]
METRICS = selected("regression", ["mse", "nll"])


@pytest.fixture(scope="module")
def horizons(market: pd.DataFrame) -> list[tuple[Any, pd.DataFrame]]:
    """Cleaned tables and side information; generation is 60 + 40 sin, so that forecasts can be right or wrong."""
    hours = np.arange(len(market))
    lively = market.assign(generation=82.5 + 70 * np.sin(hours / 17))
    found = []
    for hour, dataset in enumerate(HORIZONS):
        table = build_table(dataset, lively)
        found.append((table, settlement(table, deliveries(lively, hour=hour))))
    return found


def predicted(table: Any, error: float, std: float, seed: int) -> SplitResult:
    rows = np.flatnonzero(CASE.splits.test(table))  # type: ignore[union-attr]
    y = table.target[rows]
    noise = np.random.default_rng(seed).normal(size=len(rows))
    return SplitResult(0, 1, rows, y, (y + error * noise, np.full(len(rows), std**2)))


def inputs_of(horizons: Any, error: float, std: float, arm: int = 0, **options: Any) -> CaseInputs:
    parts = []
    for hour, (table, side) in enumerate(horizons):
        cache = Cache("regression", 1, [predicted(table, error, std, hour)])
        parts.append(Part(table.name, table, side, {}, cache))
    chosen = CASE.options_of(CASE.arms[arm], {"draws": 4, **options})
    return CaseInputs(CASE, CASE.arms[arm], chosen, frozenset(), METRICS, tuple(parts))


def scored(inputs: CaseInputs) -> pd.DataFrame:
    rows = list(score(inputs))
    return pd.DataFrame(rows, columns=["seed", "fold", "kind", "name", "theta", "value", "note"])


def test_side_information_is_that_of_the_hour(market: pd.DataFrame) -> None:
    frame = deliveries(market, hour=14)
    table = build_table(HORIZONS[14], market)
    side = settlement(table, frame)
    assert (side["hour"] == 14).all()
    spread = frame["day_ahead"] - frame["balancing"]
    assert side["expected_spread"].iloc[10] == spread.iloc[8]
    assert side["expected_spread"].isna().sum() == 2


def test_the_panel_is_the_test_month_by_day_and_hour(horizons: Any) -> None:
    panel = build_panel([(predicted(table, 0, 1, 0), side) for table, side in horizons])
    assert (panel.first, panel.n_days, len(panel.hours), panel.unsettled) == (np.datetime64("2024-12-01"), 31, 744, 0)
    np.testing.assert_array_equal(24 * panel.hours.day + panel.hours.hour, np.arange(744))
    np.testing.assert_array_equal(panel.hours.mean, panel.hours.generation)


def test_with_the_next_day_an_hour_is_met_with_the_forecast_for_a_day_later(horizons: Any) -> None:
    splits = [(predicted(table, 0, 1, 0), side) for table, side in horizons]
    panel = build_panel(splits, forecast_day="next")
    true = build_panel(splits)
    assert len(panel.hours) == 744  # New Year's forecast serves the last day
    np.testing.assert_array_equal(panel.hours.generation, true.hours.generation)
    np.testing.assert_array_equal(panel.hours.mean[:-24], true.hours.generation[24:])
    with pytest.raises(UserError, match="forecast_day must be 'delivery' or 'next', got 'tomorrow'"):
        build_panel(splits, forecast_day="tomorrow")


def test_hours_with_something_unknown_are_left_out_and_counted(horizons: Any) -> None:
    splits = []
    for hour, (table, side) in enumerate(horizons):
        priced = side["day_ahead"].where((side["day"] != "2024-12-05") | (hour != 3))
        splits.append((predicted(table, 0, 1, 0), side.assign(day_ahead=priced)))
    panel = build_panel(splits)
    assert (len(panel.hours), panel.unsettled, panel.n_days) == (743, 1, 31)
    assert not ((panel.hours.day == 4) & (panel.hours.hour == 3)).any()


def test_utilities_of_a_draw_are_the_revenue_of_its_days(horizons: Any) -> None:
    inputs = inputs_of(horizons, 10, 15)
    frame = scored(inputs)
    panel = build_panel([(part.cache.splits[0], part.side) for part in inputs.parts])
    hours, alpha = panel.hours, 0.09 * 165**2
    margin = np.sqrt(alpha - 225)
    up = hours.expected_spread > 0
    bid = np.where(up, np.minimum(hours.mean + margin, 165), np.maximum(hours.mean - margin, 0))
    money = (hours.day_ahead * bid + hours.balancing * (hours.generation - bid)).reshape(31, 24)
    own = frame[(frame["kind"] == "utility") & (frame["name"] == "electricity")].set_index("seed")["value"]
    for seed, days in enumerate(block_draws(31, draws=4, block_days=1)):
        assert own[seed] == pytest.approx(money[days].mean(), rel=1e-12)
        mse = frame[(frame["seed"] == seed) & (frame["name"] == "mse")]["value"].item()
        error = ((hours.mean - hours.generation) ** 2).reshape(31, 24)
        assert mse == pytest.approx(error[days].mean(), rel=1e-12)


def test_the_two_switches_do_what_they_say(horizons: Any) -> None:
    sure, unsure = scored(inputs_of(horizons, 10, 5)), scored(inputs_of(horizons, 10, 45))

    def values(frame: pd.DataFrame, name: str) -> Any:
        return frame[frame["name"] == name]["value"].to_numpy()

    for name in ("electricity:bid_risk", "electricity:published"):
        np.testing.assert_array_equal(values(sure, name), values(unsure, name))
    for name in ("electricity", "electricity:lookahead_bid"):
        assert (values(sure, name) != values(unsure, name)).all()
    for frame in (sure, unsure):
        assert (values(frame, "electricity:lookahead_bid") > values(frame, "electricity:definitions")).all()
        np.testing.assert_array_equal(values(frame, "electricity:definitions"), values(frame, "electricity"))


def test_forecasts_beyond_the_bound_abstain_and_earn_the_balancing_price(horizons: Any) -> None:
    inputs = inputs_of(horizons, 10, 60)
    frame = scored(inputs)
    assert (frame[frame["name"] == "hours_without_bid"]["value"] == 1).all()
    panel = build_panel([(part.cache.splits[0], part.side) for part in inputs.parts])
    money = (panel.hours.balancing * panel.hours.generation).reshape(31, 24)
    for seed, days in enumerate(block_draws(31, draws=4, block_days=1)):
        own = frame[(frame["seed"] == seed) & (frame["name"] == "electricity")]["value"].item()
        assert own == pytest.approx(money[days].mean(), rel=1e-12)


def test_every_swept_bound_is_a_utility(horizons: Any) -> None:
    frame = scored(inputs_of(horizons, 10, 15))
    names = set(frame.loc[frame["kind"] == "utility", "name"])
    assert {swept_name("electricity", bound) for bound in RISK_BOUNDS} <= names
    at_default = frame[frame["name"] == "electricity:risk_bound=0.09"]["value"].to_numpy()
    np.testing.assert_array_equal(at_default, frame[frame["name"] == "electricity"]["value"].to_numpy())


def test_metrics_by_hour_are_means_over_the_hours(horizons: Any) -> None:
    arm = [arm.name for arm in CASE.arms].index("by_hour")
    one, other = scored(inputs_of(horizons, 10, 15)), scored(inputs_of(horizons, 10, 15, arm))
    mse = [frame[frame["name"] == "mse"]["value"].to_numpy() for frame in (one, other)]
    np.testing.assert_allclose(*mse, rtol=1e-12)  # every hour has as many days
    assert len(one) == len(other)
    with pytest.raises(UserError, match="pooling of case study electricity must be 'pooled' or 'by_hour', got 'some'"):
        scored(inputs_of(horizons, 10, 15, pooling="some"))


def test_a_failed_fit_leaves_the_model_without_scores(horizons: Any) -> None:
    inputs = inputs_of(horizons, 10, 15)
    failed = Cache("regression", 1, [SplitResult(0, 1, np.empty(0, int), np.empty(0), None, "it broke")])
    broken = dataclasses.replace(inputs.parts[5], cache=failed)
    assert not list(score(dataclasses.replace(inputs, parts=(*inputs.parts[:5], broken, *inputs.parts[6:]))))


def test_decide_and_utility_are_the_rule_that_is_scored(horizons: Any) -> None:
    table, side = horizons[9]
    split = predicted(table, 10, 15, 9)
    assert split.prediction is not None
    case_split = CaseSplit(
        arm="days",
        seed=0,
        fold=1,
        y=split.y,
        prediction=split.prediction,
        side=side.iloc[split.rows].reset_index(drop=True),
        y_train=table.target[:1],
        side_train=side.iloc[:1],
        options=CASE.options,
        switches=frozenset({"lookahead_bid"}),
    )
    bids = decide(case_split)
    prices = side.iloc[split.rows]
    day_ahead, balancing = prices["day_ahead"].to_numpy(), prices["balancing"].to_numpy()
    assert bids.placed.all()
    assert ((bids.mw > split.prediction[0]) == (day_ahead > balancing))[(bids.mw > 0) & (bids.mw < 165)].all()
    assert utility(case_split, bids) == pytest.approx(
        np.mean(day_ahead * bids.mw + balancing * (split.y - bids.mw)), rel=1e-12
    )


@pytest.fixture(scope="module")
def results(horizons: Any) -> Any:
    """What tables and figures see of three models, one of which knows too little to bid."""
    from uqalign.alignment import align, per_seed

    models = {"good": (8, 10), "fair": (25, 30), "shy": (20, 60)}
    frames = []
    for model, (error, std) in models.items():
        for arm in (0, 4):
            frame = scored(inputs_of(horizons, error, std, arm))
            frames.append(frame.assign(model=model, dataset=CASE.arms[arm].name, task="regression"))
    scores = pd.concat(frames, ignore_index=True)
    higher = {name: metric.higher_is_better for name, metric in METRICS.items()}
    aligned = []
    for arm in ("days", "next_day"):
        rows = scores[(scores["dataset"] == arm) & (scores["kind"] != "detail")]
        aligned.append(align(per_seed(rows, list(models), 1), higher).assign(dataset=arm, task="regression"))
    case = dataclasses.replace(CASE, arms=(CASE.arms[0], CASE.arms[4]))
    return SimpleNamespace(
        case=case,
        models=list(models),
        metrics=METRICS,
        switches=frozenset(),
        scores=scores,
        alignment=pd.concat(aligned, ignore_index=True),
        options=lambda arm: case.options_of(case.arm(arm), {"draws": 4}),
        inputs=lambda arm, model: iter([inputs_of(horizons, *models[model], {"days": 0, "next_day": 4}[arm])]),
    )


def test_the_month_adds_up_and_the_yardsticks_bound_it(results: Any) -> None:
    caption, rows = tables.month_table(results)
    by_name = rows.set_index("bids_of")
    assert (by_name["hours_with_bid"] + by_name["hours_without_bid"] == 744).all()
    assert by_name.loc["shy", "hours_with_bid"] == 0
    assert by_name.loc["shy", "revenue_eur"] == pytest.approx(by_name.loc[month.NO_TRADE, "revenue_eur"], rel=1e-12)
    assert by_name["revenue_eur"].idxmax() == month.PERFECT_PRICES
    assert by_name.loc["good", "rms_imbalance_mw"] <= by_name.loc["good", "expected_rms_mw"] * 1.1
    assert "49.5 MW" in caption


def test_table_2_puts_the_paper_beside_the_run(results: Any) -> None:
    caption, rows = tables.table_2(results)
    assert list(dict.fromkeys(rows["dataset"])) == [
        "this run",
        "this run, published switches",
        "this run, published switches, forecasts of the next day",
        "paper, Table 2",
    ]
    paper = rows[rows["dataset"] == "paper, Table 2"].set_index("metric")
    assert paper.loc["mse", ["median", "q05", "q95"]].tolist() == [0.09, -0.47, 0.64]
    text = tables.render_table_2(results, caption, rows)
    assert "| paper, Table 2 | " in text
    assert "[-0.47, 0.64]" in text
    assert "3 (good, fair, shy)" in caption


def test_the_risk_bound_table_moves_from_no_bids_to_all(results: Any) -> None:
    _, rows = tables.risk_bound_table(results)
    shy = rows[rows["model"] == "shy"].sort_values("risk_bound")
    assert shy["hours_without_bid"].is_monotonic_decreasing
    assert shy["hours_without_bid"].iloc[0] == 744
    assert shy["hours_without_bid"].iloc[-1] == 0


def test_cumulative_profit_ends_at_the_revenue_of_the_month(results: Any) -> None:
    frame = figures.cumulative_frame(results)
    last = frame[frame["time"] == frame["time"].max()].set_index("bids_of")["profit"]
    rows = tables.month_table(results)[1].set_index("bids_of")["revenue_eur"]
    for name in ("good", "fair", "shy", month.NO_TRADE):
        assert last[name] * 1000 == pytest.approx(rows[name], rel=1e-9)
        gain = frame[(frame["time"] == frame["time"].max()) & (frame["bids_of"] == name)]["gain"].item()
        assert gain * 1000 == pytest.approx(rows[name] - rows[month.NO_TRADE], abs=1e-6)
    assert frame["time"].iloc[0] == pd.Timestamp("2024-12-01")
    assert (frame.loc[frame["bids_of"] == "shy", "mark"] == "abstention").all()


@pytest.mark.parametrize("figure", CASE.figures, ids=lambda figure: figure.name)
def test_figures_draw(figure: Any, results: Any) -> None:
    chart = figure.draw(results)
    assert json.loads(chart.to_json(validate=True))["datasets"]
