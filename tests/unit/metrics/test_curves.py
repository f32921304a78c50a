"""Reliability, retention, coverage and decision curves."""

import numpy as np
import pytest
from scipy import integrate

from uqalign.metrics import calibration_error, coverage_error, regression_retention_auc, retention_auc
from uqalign.metrics.calibration import LEVELS
from uqalign.metrics.curves import (
    coverage_curve,
    decision_curve,
    regression_retention_curve,
    reliability_curve,
    retention_curve,
)
from uqalign.priors import PRIOR_C
from uqalign.pwu import binary_decision_pwu


def binary_problem(n=60, seed=0):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), 2)
    return (rng.random(n) < p).astype(int), p, rng.integers(0, 3, n)


def test_reliability_curve_returns_every_bin():
    # scikit-learn #12926
    curve = reliability_curve([1, 1, 0], [0.9, 0.8, 0.2], n_bins=3)
    assert curve["count"].tolist() == [1, 0, 2]
    assert curve["forecast"].tolist()[0] == 0.2
    assert curve.loc[1, ["forecast", "observed"]].isna().all()
    assert curve.loc[2, "forecast"] == pytest.approx(0.85)
    assert curve["upper"].tolist() == [1 / 3, 2 / 3, 1.0]


@pytest.mark.parametrize("binning", ["equal_width", "equal_mass"])
def test_reliability_curve_holds_the_calibration_error(binning):
    y, p, w = binary_problem()
    curve = reliability_curve(y, p, binning=binning, sample_weight=w).dropna()
    gap = (curve["forecast"] - curve["observed"]).abs()
    expected = calibration_error(y, p, binning=binning, sample_weight=w)
    assert np.average(gap, weights=curve["weight"]) == pytest.approx(expected)
    assert gap.max() == pytest.approx(calibration_error(y, p, binning=binning, sample_weight=w, aggregate="max"))
    assert ((curve["lower"] <= curve["forecast"]) & (curve["forecast"] <= curve["upper"])).all()
    assert curve["weight"].sum() == w.sum()
    assert curve["count"].sum() == np.count_nonzero(w)


def test_reliability_curve_of_every_class():
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(3), 50), np.array(["a", "b", "c"])[rng.integers(0, 3, 50)]
    curve = reliability_curve(y, p, n_bins=4, labels=["a", "b", "c"])
    assert curve["class"].tolist() == ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    alone = reliability_curve(y == "b", p[:, 1], n_bins=4)
    assert curve[curve["class"] == "b"].drop(columns="class").reset_index(drop=True).equals(alone)
    assert len(reliability_curve(y, p, n_bins=4, labels=["a", "b", "c"], view="top_label")) == 4


def test_retention_curve_holds_the_area():
    y, p, w = binary_problem()
    curve = retention_curve(y, p, sample_weight=w)
    width = np.diff(curve["kept"], prepend=0)
    assert len(curve) == np.count_nonzero(w)
    assert (width * curve["retained"]).sum() == pytest.approx(retention_auc(y, p, sample_weight=w))
    residual = retention_auc(y, p, sample_weight=w, kind="residual")
    assert (width * curve["residual"]).sum() == pytest.approx(residual)
    assert curve["kept"].iloc[-1] == pytest.approx(1)
    assert curve["uncertainty"].is_monotonic_increasing


def test_regression_retention_curve_holds_the_area():
    rng = np.random.default_rng(0)
    y, mean, var = rng.normal(size=30), rng.normal(size=30), rng.gamma(1, 1, 30)
    curve = regression_retention_curve(y, mean, var)
    assert curve["retained"].mean() == pytest.approx(regression_retention_auc(y, mean, var))
    assert curve["retained"].iloc[-1] == pytest.approx(np.mean((y - mean) ** 2))


def test_coverage_curve_holds_the_coverage_error():
    rng = np.random.default_rng(0)
    y, mean, var = rng.normal(size=30), rng.normal(size=30), rng.gamma(1, 1, 30)
    curve = coverage_curve(y, mean, var, levels=LEVELS)
    gap = (curve["empirical"] - curve["nominal"]).abs()
    assert gap.mean() == pytest.approx(coverage_error(y, mean, var))
    full = coverage_curve(y, mean, var)
    assert len(full) == 99
    assert full["empirical"].is_monotonic_increasing


def cost(y, p, c):
    act = p > c
    return np.mean(y * (1 - c) * ~act + (1 - y) * c * act)


def test_decision_curve_is_the_expected_cost():
    y, p, _ = binary_problem()
    at = decision_curve(y, p).query("side == 'at'")
    for row in at.itertuples():
        assert row.cost == pytest.approx(cost(y, p, row.threshold), abs=1e-15)
        assert row.never == pytest.approx(cost(y, np.zeros(len(y)), row.threshold), abs=1e-15)
        assert row.always == pytest.approx(cost(y, np.full(len(y), 2.0), row.threshold), abs=1e-15)
    grid = np.linspace(0, 1, 33)
    sampled = decision_curve(y, p, thresholds=grid)
    np.testing.assert_allclose(sampled["cost"], [cost(y, p, c) for c in grid], atol=1e-15)
    assert (sampled["utility"] == -sampled["cost"]).all()


def test_decision_curve_is_exact_between_its_breakpoints():
    y, p, w = binary_problem()
    curve = decision_curve(y, p, sample_weight=w)
    kept_y, kept_p = np.repeat(y, w), np.repeat(p, w)
    starts = curve[curve["side"] == "at"][:-1].reset_index()
    ends = curve[curve["side"] == "below"].reset_index()
    for start, end in zip(starts.itertuples(), ends.itertuples(), strict=True):
        middle = (start.threshold + end.threshold) / 2
        assert (start.cost + end.cost) / 2 == pytest.approx(cost(kept_y, kept_p, middle), abs=1e-14)


def test_area_under_the_decision_curve_is_the_prior_weighted_utility():
    y, p, _ = binary_problem(12)
    curve = decision_curve(y, p, prior=PRIOR_C)
    area = 0.0
    for i in range(0, len(curve) - 1, 2):
        low, high = curve.iloc[i], curve.iloc[i + 1]
        slope = (high.cost - low.cost) / (high.threshold - low.threshold)
        piece, _ = integrate.quad(
            lambda c, low=low, slope=slope: (low.cost + slope * (c - low.threshold)) * PRIOR_C.density(c),
            low.threshold,
            high.threshold,
        )
        area += piece
    assert area == pytest.approx(binary_decision_pwu(y, p, prior=PRIOR_C), rel=1e-9)
    assert decision_curve(y, p, prior="beta:2,10").equals(curve)
    np.testing.assert_array_equal(curve["density"], PRIOR_C.density(curve["threshold"].to_numpy()))


def test_costs_stay_finite_at_the_ends():
    # rtichoke #43
    for f in (0.0, 0.3, 1.0):
        for y in (0, 1):
            assert decision_curve([y], [f], thresholds=[1.0])["cost"].item() == 0
    assert decision_curve([1], [0.0], thresholds=[0.0])["cost"].item() == 1
    assert decision_curve([1], [0.1], thresholds=[0.0])["cost"].item() == 0


@pytest.mark.parametrize("thresholds", [[-0.1], [1.1], [np.nan], 0.5])
def test_thresholds_outside_the_unit_interval_are_refused(thresholds):
    with pytest.raises(ValueError, match="thresholds must be"):
        decision_curve([0, 1], [0.2, 0.4], thresholds=thresholds)


def test_curves_do_not_depend_on_row_order():
    y, p, w = binary_problem()
    order = np.random.default_rng(5).permutation(len(y))
    for curve in (reliability_curve, retention_curve, decision_curve):
        assert curve(y, p, sample_weight=w).equals(curve(y[order], p[order], sample_weight=w[order]))
