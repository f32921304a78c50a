"""Multivariate Gaussian negative log likelihood, squared error, energy score."""

import math
import warnings

import numpy as np
import pytest
import scoringrules
from scipy import stats
from scipy.special import gamma, hyp1f1

from uqalign.checks import UndefinedMetricWarning
from uqalign.metrics import (
    JitteredCovarianceWarning,
    crps_gaussian,
    energy_score_gaussian,
    gaussian_nll,
    mean_squared_error,
    multivariate_gaussian_nll,
    multivariate_mean_squared_error,
)
from uqalign.metrics.quadrature import expected_norm


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, d, d))
    cov = root @ root.transpose(0, 2, 1) + 0.1 * np.eye(d)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d)), (cov + cov.transpose(0, 2, 1)) / 2


def test_nll_is_minus_the_log_density():
    y, mean, cov = problem()
    direct = [-stats.multivariate_normal.logpdf(a, m, c) for a, m, c in zip(y, mean, cov, strict=True)]
    np.testing.assert_allclose(multivariate_gaussian_nll(y, mean, cov, reduction="none"), direct, rtol=1e-10)


def test_one_coordinate_is_the_univariate_score():
    y, mean, cov = problem(d=1)
    flat = (y[:, 0], mean[:, 0], cov[:, 0, 0])
    assert multivariate_gaussian_nll(y, mean, cov) == pytest.approx(gaussian_nll(*flat), rel=1e-13)
    assert energy_score_gaussian(y, mean, cov) == pytest.approx(crps_gaussian(*flat), rel=1e-13)
    assert multivariate_mean_squared_error(y, mean, cov) == pytest.approx(mean_squared_error(*flat), rel=1e-13)


def test_jitter_touches_only_covariances_without_a_cholesky_factor():
    y, mean, cov = problem(n=3, d=2)
    untouched = multivariate_gaussian_nll(y, mean, cov, reduction="none")
    cov[1] = [[1, 1], [1, 1]]
    with pytest.warns(JitteredCovarianceWarning, match="1 of 3") as caught:
        mended = multivariate_gaussian_nll(y, mean, cov, reduction="none")
    assert caught[0].message.count == 1
    assert list(mended[[0, 2]]) == list(untouched[[0, 2]])
    raised = cov[1] + 1e-6 * np.eye(2)
    assert mended[1] == pytest.approx(-stats.multivariate_normal.logpdf(y[1], mean[1], raised), rel=1e-8)


def test_positive_definite_covariances_raise_no_warning_at_any_scale():
    y, mean, cov = problem()
    for scale in (1e-140, 1e-12, 1e12, 1e140):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = multivariate_gaussian_nll(y * scale, mean * scale, cov * scale * scale)
        assert value == pytest.approx(multivariate_gaussian_nll(y, mean, cov) + 3 * math.log(scale), rel=1e-11)


def test_indefinite_covariances_are_refused_by_row():
    y, mean, cov = problem(n=3, d=2)
    cov[2] = [[1, 2], [2, 1]]
    with pytest.raises(ValueError, match=r"cov\[2\] is not positive semidefinite"):
        multivariate_gaussian_nll(y, mean, cov)
    with pytest.raises(ValueError, match=r"cov\[2\] is not positive semidefinite"):
        energy_score_gaussian(y, mean, cov)
    cov[2] = 1
    with pytest.raises(ValueError, match=r"cov\[2\] .*jitter=0"):
        multivariate_gaussian_nll(y, mean, cov, jitter=0)
    with pytest.raises(ValueError, match="jitter = -1"):
        multivariate_gaussian_nll(y, mean, cov, jitter=-1)


def test_zero_covariance_is_a_point_mass():
    zero = np.zeros((1, 2, 2))
    assert multivariate_gaussian_nll([[1, 2]], [[1, 2]], zero) == -math.inf
    assert multivariate_gaussian_nll([[1, 2]], [[1, 3]], zero) == math.inf
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(multivariate_gaussian_nll([[1, 2], [1, 2]], [[1, 2], [0, 0]], np.zeros((2, 2, 2))))
    assert energy_score_gaussian([[3, 4]], [[0, 0]], zero) == pytest.approx(5, rel=1e-13)
    assert energy_score_gaussian([[3, 4]], [[3, 4]], zero) == 0


@pytest.mark.parametrize("d", [1, 2, 5, 30])
@pytest.mark.parametrize("distance", [0, 0.1, 1, 10, 1e4, 1e9])
def test_expected_norm_of_an_isotropic_gaussian(d, distance):
    exact = math.sqrt(2) * gamma((d + 1) / 2) / gamma(d / 2) * hyp1f1(-0.5, d / 2, -(distance**2) / 2)
    value = expected_norm(np.ones((1, d)), np.full((1, d), distance**2 / d))[0]
    assert value == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("ratio", [1e-30, 1e-16, 1e-8, 1e-4, 1, 1e4, 1e8, 1e16, 1e30])
def test_energy_score_of_any_ratio_of_variance_to_error(ratio):
    error = np.array([0.0, 0.5, 1.0, 3.0])
    var = np.full(4, ratio)
    energy = energy_score_gaussian(np.zeros((4, 1)), error[:, None], var[:, None, None], reduction="none")
    np.testing.assert_allclose(energy, crps_gaussian(np.zeros(4), error, var, reduction="none"), rtol=1e-12)


def test_energy_score_of_a_line_in_space_is_the_crps_along_it():
    direction = np.array([1.0, 2.0, 2.0]) / 3
    cov = 4 * np.outer(direction, direction)
    energy = energy_score_gaussian([1.5 * direction], [0 * direction], [cov])
    assert energy == pytest.approx(crps_gaussian([1.5], [0], [4]), rel=1e-12)


def test_energy_score_of_widely_different_variances():
    variances = np.array([1.0, 1e-8, 1e-16])
    energy = energy_score_gaussian([[0.3, 0, 0]], [[0, 0, 0]], [np.diag(variances)])
    assert energy == pytest.approx(crps_gaussian([0.3], [0], [1]), rel=1e-7)


def test_energy_score_agrees_with_a_large_ensemble():
    rng = np.random.default_rng(3)
    y, mean, cov = problem(n=1)
    draws, other = (rng.multivariate_normal(mean[0], cov[0], 400_000) for _ in range(2))
    terms = np.linalg.norm(draws - y[0], axis=1) - 0.5 * np.linalg.norm(draws - other, axis=1)
    error = terms.std() / math.sqrt(len(terms))
    assert abs(energy_score_gaussian(y, mean, cov) - terms.mean()) < 4 * error
    ensemble = scoringrules.es_ensemble(y[0], draws[:1500], backend="numpy")
    assert energy_score_gaussian(y, mean, cov) == pytest.approx(float(ensemble), rel=0.05)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_energy_score_is_equivariant_to_scale_and_rotation(scale):
    y, mean, cov = problem()
    value = energy_score_gaussian(y, mean, cov)
    scaled = energy_score_gaussian(y * scale, mean * scale, cov * scale * scale)
    assert scaled == pytest.approx(scale * value, rel=1e-12)
    turn = stats.special_ortho_group.rvs(3, random_state=0)
    turned = turn @ cov @ turn.T
    turned = (turned + turned.transpose(0, 2, 1)) / 2
    assert energy_score_gaussian(y @ turn.T, mean @ turn.T, turned) == pytest.approx(value, rel=1e-12)


def test_rows_do_not_depend_on_their_neighbours():
    y, mean, cov = problem(n=5000)
    together = energy_score_gaussian(y, mean, cov, reduction="none")
    alone = [energy_score_gaussian(y[i : i + 1], mean[i : i + 1], cov[i : i + 1]) for i in (0, 2047, 2048, 4999)]
    assert alone == [together[i] for i in (0, 2047, 2048, 4999)]


def test_mean_squared_error_averages_coordinates():
    y, mean, cov = problem()
    assert multivariate_mean_squared_error(y, mean) == pytest.approx(np.mean((y - mean) ** 2))
    assert multivariate_mean_squared_error(y, mean, cov) == multivariate_mean_squared_error(y, mean)


@pytest.mark.parametrize("function", [multivariate_gaussian_nll, energy_score_gaussian])
def test_shapes_and_symmetry_are_checked(function):
    y, mean, cov = problem()
    with pytest.raises(ValueError, match="must be"):
        function(y, mean, cov[:, :2, :2])
    lopsided = cov.copy()
    lopsided[4, 0, 1] += 1
    with pytest.raises(ValueError, match=r"cov\[4, 0, 1\].*symmetric"):
        function(y, mean, lopsided)
    y[3, 1] = math.nan
    with pytest.raises(ValueError, match=r"y_true\[3, 1\] = .*nan"):
        function(y, mean, cov)
