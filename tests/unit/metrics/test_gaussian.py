"""Gaussian negative log likelihood, squared error, CRPS."""

import math

import numpy as np
import pytest
import scoringrules
from scipy import integrate, stats

from uqalign.checks import UndefinedMetricWarning
from uqalign.metrics import crps_gaussian, gaussian_nll, mean_squared_error


def problem(n=100, seed=0):
    rng = np.random.default_rng(seed)
    mean, var = rng.normal(size=n), rng.gamma(1, 1, n)
    return mean + np.sqrt(var) * rng.normal(size=n), mean, var


def test_nll_is_minus_the_log_density():
    y, mean, var = problem()
    np.testing.assert_allclose(
        gaussian_nll(y, mean, var, reduction="none"), -stats.norm.logpdf(y, mean, np.sqrt(var)), rtol=1e-12
    )


def test_std_is_a_keyword_and_means_a_standard_deviation():
    # PCNtoolkit #89
    assert gaussian_nll(y_true=[0], mean=[0], std=[2]) == pytest.approx(1.6120857, abs=1e-7)
    y, mean, var = problem()
    assert gaussian_nll(y, mean, std=np.sqrt(var)) == gaussian_nll(y, mean, var)
    assert crps_gaussian(y, mean, std=np.sqrt(var)) == crps_gaussian(y, mean, var)
    with pytest.raises(TypeError):
        gaussian_nll([0], [0], [1], [1])


@pytest.mark.parametrize("function", [gaussian_nll, crps_gaussian])
def test_spread_must_be_given_once_and_be_no_negative_number(function):
    with pytest.raises(ValueError, match="either var"):
        function([0], [0])
    with pytest.raises(ValueError, match="either var"):
        function([0], [0], [1], std=[1])
    with pytest.raises(ValueError, match=r"std\[1\] = .*-1"):
        function([0, 0], [0, 0], std=[1, -1])
    with pytest.raises(ValueError, match=r"var\[0\] = .*-1"):
        function([0, 0], [0, 0], [-1, 1])
    with pytest.raises(ValueError, match=r"std\[0\] = .*nan"):
        function([0], [0], std=[math.nan])


def test_negative_std_in_a_dropped_row_is_no_error():
    assert gaussian_nll([0, 0], [0, 0], std=[2, -1], sample_weight=[1, 0]) == gaussian_nll([0], [0], std=[2])


def test_zero_variance_is_a_point_mass():
    assert gaussian_nll([1], [1], [0]) == -math.inf
    assert gaussian_nll([2], [1], [0]) == math.inf
    assert gaussian_nll([2, 0], [1, 0], [0, 1]) == math.inf
    with pytest.warns(UndefinedMetricWarning, match="gaussian_nll"):
        assert math.isnan(gaussian_nll([1, 2], [1, 1], [0, 0]))
    assert list(gaussian_nll([1, 2], [1, 1], [0, 0], reduction="none")) == [-math.inf, math.inf]
    assert crps_gaussian([1, 3], [1, 1], [0, 0]) == 1.0


def test_crps_agrees_with_scoringrules_and_with_its_integral():
    y, mean, var = problem()
    np.testing.assert_allclose(
        crps_gaussian(y, mean, var, reduction="none"),
        scoringrules.crps_normal(y, mean, np.sqrt(var)),
        rtol=1e-10,
    )
    std = 0.7
    low, _ = integrate.quad(lambda x: stats.norm.cdf(x, 0.2, std) ** 2, -8, 1.1)
    high, _ = integrate.quad(lambda x: stats.norm.sf(x, 0.2, std) ** 2, 1.1, 9)
    assert crps_gaussian([1.1], [0.2], std=[std]) == pytest.approx(low + high, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_scale_equivariance(scale):
    y, mean, var = problem()
    scaled = (y * scale, mean * scale, var * scale * scale)
    assert crps_gaussian(*scaled) == pytest.approx(scale * crps_gaussian(y, mean, var), rel=1e-12)
    assert gaussian_nll(*scaled) == pytest.approx(gaussian_nll(y, mean, var) + math.log(scale), rel=1e-12)
    assert mean_squared_error(*scaled) == pytest.approx(scale**2 * mean_squared_error(y, mean, var), rel=1e-12)


def test_far_from_the_mean_nothing_overflows():
    assert crps_gaussian([1e300], [0.0], [1e-300]) == 1e300
    assert crps_gaussian([1e10], [0.0], [1.0]) == pytest.approx(1e10 - 1 / math.sqrt(math.pi))
    assert gaussian_nll([1e300], [0.0], [1e-300]) == math.inf


def test_mean_squared_error_needs_no_variance_and_ignores_it():
    y, mean, var = problem()
    expected = pytest.approx(np.mean((y - mean) ** 2))
    assert mean_squared_error(y, mean) == expected
    assert mean_squared_error(y, mean, var) == expected
    with pytest.raises(ValueError, match="var"):
        mean_squared_error(y, mean, -var)


@pytest.mark.parametrize("function", [gaussian_nll, mean_squared_error, crps_gaussian])
def test_weights_repeat_rows(function):
    y, mean, var = problem(20)
    w = np.arange(20) % 4
    repeated = [np.repeat(a, w) for a in (y, mean, var)]
    assert function(y, mean, var, sample_weight=w) == pytest.approx(function(*repeated), rel=1e-13)
    rows = function(y, mean, var, reduction="none")
    assert function(y, mean, var) == pytest.approx(rows.mean(), rel=1e-13)
