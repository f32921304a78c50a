import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from model_problems import coverage, make_problem, regression
from uqalign.models.base import REGISTRY, FitFailed
from uqalign.models.linreg import least_squares

FIT = REGISTRY.get("linreg").fit_predict
RNG = np.random.default_rng(3)


def textbook(x, y, x_test):
    """Mean and variance of new observations by the normal equations."""
    a, b = (np.column_stack([np.ones(len(part)), part]) for part in (x, x_test))
    inverse = np.linalg.inv(a.T @ a)
    beta = inverse @ a.T @ y
    s2 = np.sum((y - a @ beta) ** 2) / (len(a) - a.shape[1])
    return b @ beta, s2 * (1 + np.einsum("ij,jk,ik->i", b, inverse, b))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_mean_and_variance_are_the_textbook_ones(scale):
    x, y = regression(60)
    mean, var = FIT(make_problem(x * scale, y, task="regression", test=np.arange(50, 60)))
    expected_mean, expected_var = textbook(x[:50], y[:50], x[50:])
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-9)
    np.testing.assert_allclose(var, expected_var, rtol=1e-9)
    np.testing.assert_allclose(mean, LinearRegression().fit(x[:50], y[:50]).predict(x[50:]), rtol=1e-9)


def test_the_variance_grows_away_from_the_data():
    x = np.append(np.linspace(-1, 1, 30), [0.0, 1.0, 10.0])[:, None]
    _, var = FIT(make_problem(x, 2 * x[:, 0] + RNG.normal(size=33), task="regression", test=[30, 31, 32]))
    assert var[0] < var[1] < var[2]


def test_collinear_columns_cost_no_degrees_of_freedom():
    x, y = regression(40)
    plain = least_squares(x[:30], y[:30, None], x[30:])
    doubled = np.column_stack([x, x[:, 0] + x[:, 1], np.full(40, 3.0)])
    for a, b in zip(plain, least_squares(doubled[:30], y[:30, None], doubled[30:]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_collinear_columns_may_outnumber_the_rows():
    x = np.tile(RNG.normal(size=(12, 1)), (1, 20))
    mean, variance, _ = least_squares(x, 3 * x[:, :1] + 1, x)
    np.testing.assert_allclose(mean[:, 0], 3 * x[:, 0] + 1, rtol=1e-9)
    assert variance[0] < 1e-20


@pytest.mark.parametrize("n", [3, 4])
def test_no_residual_degrees_of_freedom_is_a_failed_fit(n):
    x, y = regression(n + 2)
    with pytest.raises(FitFailed, match=rf"no residual degrees of freedom: {n} training rows, design of rank {n}"):
        FIT(make_problem(x, y, task="regression", test=[n, n + 1]))


def test_several_outputs_have_the_constant_variance_of_each():
    x, y = regression(60)
    y = np.column_stack([y, 5 * x[:, 2] + RNG.normal(size=60)])
    mean, cov = FIT(make_problem(x, y, task="multivariate", test=np.arange(50, 60), width=2))
    assert cov.shape == (10, 2, 2)
    for d in range(2):
        one, var = FIT(make_problem(x, y[:, d], task="regression", test=np.arange(50, 60)))
        np.testing.assert_allclose(mean[:, d], one, rtol=1e-12)
        assert (cov[:, d, d] < var).all()
        assert np.ptp(cov[:, d, d]) == 0
        fitted = LinearRegression().fit(x[:50], y[:50, d])
        rss = np.sum((y[:50, d] - fitted.predict(x[:50])) ** 2)
        assert cov[0, d, d] == pytest.approx(rss / (50 - 4), rel=1e-9)
    assert (cov[:, 0, 1] == 0).all()


def test_intervals_cover_what_they_promise():
    """With 15 rows and 4 coefficients, intervals without the leverage would cover 3 points less."""
    rates = []
    for repeat in range(400):
        rng = np.random.default_rng(repeat)
        x = rng.normal(size=(65, 3))
        y = x @ [1.0, -2.0, 0.5] + rng.normal(size=65)
        mean, var = FIT(make_problem(x, y, task="regression", test=np.arange(15, 65)))
        # Student's t with 15 - 4 degrees of freedom.
        rates.append(coverage(mean, var, y[15:], z=1.7958848187036691))
    assert np.mean(rates) == pytest.approx(0.9, abs=0.01)
