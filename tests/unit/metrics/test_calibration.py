"""Calibration error of probabilities, coverage error of Gaussian predictions, bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from uqalign.metrics import calibration_error, coverage_error, multivariate_coverage_error
from uqalign.metrics.binning import assign_bins
from uqalign.metrics.calibration import LEVELS


def loop_error(y, p, n_bins, weights=None):
    """Expected and maximum calibration error by the textbook loop over right-closed bins."""
    weights = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=float)
    gaps, shares = [], []
    for i in range(n_bins):
        inside = (p > i / n_bins) & (p <= (i + 1) / n_bins) | ((p == 0) & (i == 0))
        if weights[inside].sum() > 0:
            gap = np.average(p[inside], weights=weights[inside]) - np.average(y[inside], weights=weights[inside])
            gaps.append(abs(gap))
            shares.append(weights[inside].sum())
    return np.average(gaps, weights=shares), max(gaps)


@pytest.mark.parametrize("n_bins", [1, 2, 10, 37])
def test_binary_error_is_the_textbook_loop(n_bins):
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.random(300), np.arange(21) / 20])
    y = (rng.random(len(p)) < p**2).astype(int)
    w = rng.integers(0, 3, len(p))
    for weights in (None, w):
        mean, largest = loop_error(y, p, n_bins, weights)
        options = {"n_bins": n_bins, "sample_weight": weights}
        assert calibration_error(y, p, **options) == pytest.approx(mean, rel=1e-12)
        assert calibration_error(y, p, aggregate="max", **options) == pytest.approx(largest, rel=1e-12)


def test_probability_zero_falls_into_the_first_bin():
    # torchmetrics #1646, #1744
    y, p = [0, 0, 1, 1, 1], [1, 1, 1, 1, 0]
    assert calibration_error(y, p, n_bins=2) == pytest.approx(0.6, abs=1e-15)
    assert calibration_error(y, p, n_bins=2, aggregate="max") == 1.0
    bins = assign_bins(np.array(p, dtype=float), None, 2, "equal_width")
    assert np.bincount(bins, minlength=2).tolist() == [1, 4]


def test_a_single_wrong_certainty_is_all_error():
    # NandhaKishorM/laya #39
    assert calibration_error([1], [0.0], n_bins=10) == 1.0
    assert calibration_error([0], [1.0], n_bins=10) == 1.0


def test_no_bin_is_skipped():
    # AISBench/benchmark #301
    p = np.linspace(0.1, 0.7, 25)
    bins = assign_bins(p, None, 10, "equal_mass")
    counts = np.bincount(bins, minlength=10)
    assert counts.sum() == 25
    assert counts.min() >= 2
    assert counts.max() <= 3
    # Off by 0.2 in every bin, all forecasts distinct: a skipped bin would show.
    y = (np.arange(25) >= 12).astype(int)
    shifted = np.where(y == 1, 0.8, 0.2) + np.arange(25) * 1e-12
    for binning in ("equal_mass", "equal_width"):
        for aggregate in ("mean", "max"):
            error = calibration_error(y, shifted, binning=binning, aggregate=aggregate)
            assert error == pytest.approx(0.2, abs=1e-10)
    flat = np.full(25, 0.2)
    assert calibration_error(np.zeros(25), flat, binning="equal_mass") == pytest.approx(0.2, rel=1e-14)
    assert calibration_error(np.zeros(25), flat) == pytest.approx(0.2, rel=1e-14)


def test_two_columns_are_read_by_the_second():
    # netcal #37
    y, p = [0, 0, 1, 1, 1], np.array([0.25, 0.25, 0.55, 0.75, 0.75])
    assert calibration_error(y, np.column_stack([1 - p, p]), n_bins=2) == calibration_error(y, p, n_bins=2)
    with pytest.raises(ValueError, match=r"p must have shape \(n,\)"):
        calibration_error(y, np.ones((5, 1, 2)))
    with pytest.raises(ValueError, match=r"\(n,\) or \(n, 2\).*\(5, 1\)"):
        calibration_error(y, p[:, None])


def test_n_bins_counts_bins():
    # torchmetrics #1907
    y, p = [0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75]
    assert calibration_error(y, p, n_bins=2) == pytest.approx(0.29, abs=1e-15)
    assert calibration_error(y, p, n_bins=2, aggregate="max") == pytest.approx(0.3166666667, abs=1e-10)


@pytest.mark.parametrize("n_bins", [5, 10, 20, 100])
def test_decimal_edges_close_on_the_right(n_bins):
    edges = np.arange(1, n_bins + 1) / n_bins
    assert assign_bins(edges, None, n_bins, "equal_width").tolist() == list(range(n_bins))
    above = np.nextafter(edges[:-1], 1)
    assert assign_bins(above, None, n_bins, "equal_width").tolist() == list(range(1, n_bins))


def test_equal_values_share_an_equal_mass_bin():
    # p-lambda/verified_calibration #19
    bins = assign_bins(np.array([0.1, 0.5, 0.5, 0.5, 0.9]), None, 4, "equal_mass")
    assert len(set(bins[1:4])) == 1
    assert len(set(bins)) <= 3


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]), min_size=1, max_size=40), st.integers(1, 8))
def test_equal_mass_bins_are_ordered_and_never_split_a_value(values, n_bins):
    p = np.array(values)
    bins = assign_bins(p, None, n_bins, "equal_mass")
    assert ((bins >= 0) & (bins < n_bins)).all()
    for value in set(values):
        assert len(set(bins[p == value])) == 1
    order = np.argsort(p, kind="stable")
    assert (np.diff(bins[order]) >= 0).all()


def test_equal_mass_bins_of_distinct_values_hold_equally_many():
    p = np.random.default_rng(0).random(120)
    assert np.bincount(assign_bins(p, None, 8, "equal_mass")).tolist() == [15] * 8


def test_weight_moves_equal_mass_bins():
    p = np.array([0.1, 0.2, 0.3, 0.4])
    weights = np.array([3.0, 1.0, 1.0, 1.0])
    assert assign_bins(p, weights, 2, "equal_mass").tolist() == [0, 1, 1, 1]


def test_multiclass_views():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 200)
    y = rng.integers(0, 3, 200)
    each = [calibration_error(y == k, p[:, k]) for k in range(3)]
    assert calibration_error(y, p) == pytest.approx(np.mean(each))
    top = calibration_error(p.argmax(axis=1) == y, p.max(axis=1))
    assert calibration_error(y, p, view="top_label") == pytest.approx(top)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bins": 0}, "n_bins = 0"),
        ({"n_bins": 2.5}, "n_bins = 2.5"),
        ({"n_bins": True}, "n_bins = True"),
        ({"binning": "quantile"}, "equal_width, equal_mass"),
        ({"aggregate": "median"}, "mean, max"),
        ({"view": "both"}, "classwise, top_label"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        calibration_error([0, 1], [0.2, 0.7], **options)


def test_coverage_error_counts_central_intervals():
    rng = np.random.default_rng(0)
    mean, var = rng.normal(size=400), rng.gamma(1, 1, 400)
    y = mean + 1.5 * np.sqrt(var) * rng.normal(size=400)
    gaps = []
    for level in LEVELS:
        low, high = stats.norm.interval(level, mean, np.sqrt(var))
        gaps.append(abs(np.mean((low <= y) & (y <= high)) - level))
    assert coverage_error(y, mean, var) == pytest.approx(np.mean(gaps))
    assert coverage_error(y, mean, var, aggregate="max") == pytest.approx(max(gaps))
    assert coverage_error(y * 1e-9, mean * 1e-9, var * 1e-18) == coverage_error(y, mean, var)


def test_coverage_of_point_masses_is_their_hit_rate():
    assert coverage_error([1, 2], [1, 1], [0, 0], levels=[0.9]) == pytest.approx(0.4)


def test_coverage_error_of_exact_quantiles_vanishes():
    y = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    assert coverage_error(y, np.zeros(2000), np.ones(2000)) < 1e-12


@pytest.mark.parametrize("levels", [[], [0.0], [0.5, 1.0], [np.nan], 0.5])
def test_impossible_levels_are_refused(levels):
    with pytest.raises(ValueError, match="levels must be"):
        coverage_error([0], [0], [1], levels=levels)


def test_multivariate_coverage_error_averages_coordinates():
    rng = np.random.default_rng(1)
    y, mean = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    cov = np.array([[1.0, 0.2], [0.2, 2.0]]) * np.ones((50, 1, 1))
    for aggregate in ("mean", "max"):
        each = [coverage_error(y[:, d], mean[:, d], cov[:, d, d], aggregate=aggregate) for d in range(2)]
        assert multivariate_coverage_error(y, mean, cov, aggregate=aggregate) == pytest.approx(np.mean(each))
