"""Curves against the library's own curves and against plain sums."""

import numpy as np
import pandas as pd
import pytest

from report_contents import WIDTH, forecast, splits_of, truth_and_forecast
from uqalign.contracts.predictions import SplitResult
from uqalign.metrics.curves import decision_curve, reliability_curve
from uqalign.report.curves import ALWAYS, GRID, KEPT, LEVELS, MOST_REPEATS, NEVER, model_curves
from uqalign.report.frames import CURVE_COLUMNS

NAMES = {"dataset": "d", "model": "m"}


def curves(task, splits):
    return model_curves(task, WIDTH[task], splits, {"task": task, **NAMES})


def one(frame, **wanted):
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame.reset_index(drop=True)


def rows(task, seed=0):
    y, best = truth_and_forecast(task, np.random.default_rng(seed))
    return y, forecast(task, "sharp", best, np.random.default_rng(seed + 1))


def test_a_decision_curve_is_the_murphy_diagram_turned():
    y, (p,) = rows("binary")
    found = curves("binary", [SplitResult(0, 1, np.arange(len(y)), y, (p,))])
    expected = decision_curve(y, p, thresholds=GRID)
    mine = one(found, curve="decision", family="binary_decision")
    np.testing.assert_allclose(one(mine, model="m")["y"], -expected["cost"], atol=1e-15)
    np.testing.assert_allclose(one(mine, model=NEVER)["y"], -expected["never"], atol=1e-15)
    np.testing.assert_allclose(one(mine, model=ALWAYS)["y"], -expected["always"], atol=1e-15)
    assert one(mine, model="m")["low"].isna().all()  # one repeat has no spread


def test_one_vs_rest_is_the_mean_over_the_classes():
    y, (p,) = rows("multiclass")
    found = one(curves("multiclass", [SplitResult(0, 1, np.arange(len(y)), y, (p,))]), family="one_vs_rest")
    each = [decision_curve((y == j).astype(int), p[:, j], thresholds=GRID) for j in range(3)]
    for model, column in (("m", "cost"), (NEVER, "never"), (ALWAYS, "always")):
        np.testing.assert_allclose(
            one(found, model=model)["y"], -np.mean([c[column] for c in each], axis=0), atol=1e-15
        )


def test_selective_prediction_pays_the_error_or_the_cost():
    y, (mean, var) = rows("regression")
    found = one(curves("regression", [SplitResult(0, 1, np.arange(len(y)), y, (mean, var))]), family="selective")
    cost = GRID[:, None] * np.var(y)
    expected = -np.where(var <= cost, (y - mean) ** 2, cost).mean(axis=1)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-12)


def test_reliability_pools_the_rows_of_all_splits():
    splits = splits_of("binary", "vague", seeds=3)
    found = one(curves("binary", splits), curve="reliability")
    y = np.concatenate([s.y for s in splits])
    p = np.concatenate([s.prediction[0] for s in splits])
    expected = reliability_curve(y, p).dropna()
    np.testing.assert_allclose(found["x"], expected["forecast"])
    np.testing.assert_allclose(found["y"], expected["observed"])
    np.testing.assert_allclose(3 * found["rows"], expected["count"])


@pytest.mark.parametrize("task", ["regression", "multivariate"])
def test_coverage_counts_the_targets_inside(task):
    y, (mean, spread) = rows(task)
    found = one(curves(task, [SplitResult(0, 1, np.arange(len(y)), y, (mean, spread))]), curve="coverage")
    std = np.sqrt(spread if task == "regression" else np.diagonal(spread, axis1=1, axis2=2))
    z = np.abs(y - mean) / std
    # Quantiles of |N(0, 1)| by simulation: another route, so with a tolerance.
    normal = np.abs(np.random.default_rng(0).normal(size=400_000))
    expected = [(z <= np.quantile(normal, level)).mean() for level in LEVELS]
    np.testing.assert_allclose(found["y"], expected, atol=2.5 / len(y))


@pytest.mark.parametrize("task", list(WIDTH))
def test_retention_ends_at_the_error_of_all_rows(task):
    y, prediction = rows(task)
    found = one(curves(task, [SplitResult(0, 1, np.arange(len(y)), y, prediction)]), curve="retention")
    wrong = {
        "binary": lambda: (prediction[0] > 0.5) != (y == 1),
        "multiclass": lambda: prediction[0].argmax(axis=1) != y,
    }.get(task, lambda: (y - prediction[0]) ** 2)()
    assert list(found["x"]) == list(KEPT)
    assert found["y"].iloc[-1] == pytest.approx(np.mean(wrong))


def test_means_are_over_folds_then_repeats_and_the_band_over_repeats():
    splits = splits_of("binary", "fair", seeds=4)
    single = [one(curves("binary", [s]), family="top_k", model="m")["y"].to_numpy() for s in splits]
    repeats = np.array(single).reshape(4, 2, -1).mean(axis=1)
    found = one(curves("binary", splits), family="top_k", model="m")
    np.testing.assert_allclose(found["y"], repeats.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found["low"], np.quantile(repeats, 0.05, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found["high"], np.quantile(repeats, 0.95, axis=0), rtol=1e-12)


def test_repeats_beyond_the_first_and_failed_fits_are_left_out():
    splits = splits_of("binary", "fair", seeds=1)
    many = [SplitResult(seed, s.fold, s.rows, s.y, s.prediction) for seed in range(MOST_REPEATS) for s in splits]
    late = SplitResult(MOST_REPEATS, 1, splits[0].rows, 1 - splits[0].y, splits[0].prediction)
    failed = SplitResult(0, 3, np.empty(0, int), np.empty(0), None, "FitFailed: no")
    pd.testing.assert_frame_equal(curves("binary", [*many, late, failed]), curves("binary", many))


def test_without_any_fit_there_is_no_curve():
    failed = SplitResult(0, 1, np.empty(0, int), np.empty(0), None, "FitFailed: no")
    found = curves("regression", [failed])
    assert list(found.columns) == CURVE_COLUMNS
    assert found.empty


def test_an_undefined_utility_is_a_gap_and_no_error():
    y = np.ones(20)
    found = curves("regression", [SplitResult(0, 1, np.arange(20), y, (np.zeros(20), np.ones(20)))])
    assert one(found, family="risk_averse_top_k")["y"].isna().all()  # a constant target has no scale of risk
    assert one(found, curve="coverage")["y"].notna().all()
