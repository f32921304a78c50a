import ngboost.distns
import numpy as np
import pytest

from model_problems import coverage, make_problem, regression, regression_problem
from uqalign.models import ngboost as module
from uqalign.models.base import REGISTRY, Compute, FitFailed, fit_all
from uqalign.models.engines import normal

MODEL = REGISTRY.get("ngboost")


@pytest.fixture
def few_trees(monkeypatch):
    monkeypatch.setattr(module, "TREES_SMALL", 60)


def correlated(n=200, seed=0):
    """Two outputs whose noise has correlation 0.9."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    noise = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=n)
    return x, np.column_stack([2 * x[:, 0], -x[:, 1]]) + noise


def multivariate_problem(y_map=lambda y: y, n=200):
    x, y = correlated(n)
    return make_problem(x, y_map(y), task="multivariate", test=np.arange(n - 20, n), width=2)


def test_the_distribution_is_that_of_the_library():
    rng = np.random.default_rng(0)
    params, y = rng.normal(size=(2, 50)), rng.normal(size=50)
    ours = normal.Normal(params)
    ours.__class__ = type("Scored", (normal.NormalLogScore, normal.Normal), {})
    theirs = type("Scored", (ngboost.distns.normal.NormalLogScore, ngboost.distns.Normal), {})(params)
    np.testing.assert_allclose(ours.score(y), theirs.score(y), rtol=1e-12)
    np.testing.assert_allclose(ours.d_score(y), theirs.d_score(y), rtol=1e-12)
    np.testing.assert_allclose(ours.metric(), theirs.metric(), rtol=1e-12)
    np.testing.assert_allclose(normal.Normal.fit(y), ngboost.distns.Normal.fit(y), rtol=1e-12)


def test_a_fit_is_that_of_the_library(few_trees):
    given = regression_problem()
    x_train, x_test = given.arrays(scale=False)
    y = (given.y_train - given.y_train.mean()) / given.y_train.std()
    theirs = ngboost.NGBRegressor(
        n_estimators=60, learning_rate=0.03, col_sample=0.8, random_state=given.seed, verbose=False
    ).fit(x_train, y)
    predicted = theirs.pred_dist(x_test)
    mean, cov = module.boosted_normal(x_train, y[:, None], x_test, given.seed)
    # Rounding may decide between two splits of equal gain, which moves a row or two.
    assert np.isclose(mean[:, 0], predicted.loc, rtol=1e-7).mean() >= 0.9
    assert np.isclose(cov[:, 0, 0], predicted.var, rtol=1e-7).mean() >= 0.9
    np.testing.assert_allclose(mean[:, 0], predicted.loc, atol=0.05)


@pytest.mark.parametrize(("a", "b"), [(1024.0, 0.0), (2.0**-20, 0.0), (1e5, -3e6)])
def test_a_rescaled_target_gives_the_rescaled_prediction(few_trees, a, b):
    mean, var = MODEL.fit_predict(regression_problem())
    mean_there, var_there = MODEL.fit_predict(regression_problem(lambda y: a * y + b))
    np.testing.assert_allclose(mean_there, a * mean + b, rtol=1e-6)
    np.testing.assert_allclose(var_there, a**2 * var, rtol=1e-5)


def test_rescaled_outputs_give_the_rescaled_covariance(few_trees):
    scale = np.array([2.0**10, 2.0**-10])
    mean, cov = MODEL.fit_predict(multivariate_problem())
    mean_there, cov_there = MODEL.fit_predict(multivariate_problem(lambda y: y * scale))
    np.testing.assert_allclose(mean_there, mean * scale, rtol=1e-6)
    np.testing.assert_allclose(cov_there, cov * np.outer(scale, scale), rtol=1e-5)


def test_covariances_are_positive_definite_and_see_the_correlation():
    _, cov = MODEL.fit_predict(multivariate_problem())
    assert (np.linalg.eigvalsh(cov) > 0).all()
    np.testing.assert_array_equal(cov, cov.transpose(0, 2, 1))
    correlation = cov[:, 0, 1] / np.sqrt(cov[:, 0, 0] * cov[:, 1, 1])
    assert np.median(correlation) > 0.6


def test_early_intervals_cover_what_they_promise(monkeypatch):
    # Few stages: all 500 overfit the training rows, as the published setup does.
    monkeypatch.setattr(module, "TREES_SMALL", 100)
    x, y = regression(1900, noise=1.0, seed=5)
    mean, var = MODEL.fit_predict(make_problem(x, y, task="regression", test=np.arange(950, 1900)))
    assert coverage(mean, var, y[950:]) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(("n", "trees"), [(999, 500), (1000, 1000)])
def test_larger_tables_get_more_trees(monkeypatch, n, trees):
    asked = []

    class Recorder(ngboost.NGBRegressor):
        def fit(self, *args, **kwargs):
            asked.append(self.n_estimators)
            raise np.linalg.LinAlgError("enough")

    monkeypatch.setattr(ngboost, "NGBRegressor", Recorder)
    with pytest.raises(FitFailed, match="enough"):
        MODEL.fit_predict(regression_problem(n=n + 5, test=5))
    assert asked == [trees]


def test_threads_and_global_state_do_not_matter(few_trees):
    problems = [regression_problem(seed=seed) for seed in (1, 2, 3)]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    alone = [outcome.prediction for outcome in fit_all(MODEL, problems, Compute(threads=1))]
    together = [outcome.prediction for outcome in fit_all(MODEL, problems, Compute(threads=3))]
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_array_equal(a, b)
    assert np.abs(alone[0][0] - alone[1][0]).max() > 0
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_a_feature_equal_to_the_target_is_fitted():
    """ngboost #67, #306: `LinAlgError: Singular matrix` once the classes are separable."""
    y = np.tile([0.0, 1.0], 20)
    given = make_problem(y[:, None], y, task="regression", test=np.arange(30, 40))
    (outcome,) = fit_all(MODEL, [given])
    assert outcome.error == ""
    np.testing.assert_allclose(outcome.prediction[0], y[30:], atol=1e-6)
    assert ((outcome.prediction[1] > 0) & (outcome.prediction[1] < 1e-12)).all()


@pytest.mark.parametrize("width", [1, 2])
def test_natural_gradients_are_solved_row_by_row(width):
    """ngboost #366, #384: since numpy 2, `solve` takes (n, m) right-hand sides for one matrix, not for n vectors."""
    rng = np.random.default_rng(0)
    # As many rows as parameters, the one case in which the wrong reading raises nothing.
    n = width + width * (width + 1) // 2
    y = rng.normal(size=(n, width))
    if width == 1:
        scored = type("Scored", (normal.NormalLogScore, normal.Normal), {})(rng.normal(size=(n, n)))
        y = y[:, 0]
    else:
        kind = ngboost.distns.MultivariateNormal(width)
        score = kind.implementation(ngboost.scores.LogScore)
        scored = type("Scored", (score, kind), {})(rng.normal(size=(n, n)))
    slope, metric = scored.d_score(y), scored.metric()
    expected = [np.linalg.inv(metric[row]) @ slope[row] for row in range(n)]
    np.testing.assert_allclose(scored.grad(y, natural=True), expected, rtol=1e-8)


def test_a_singular_matrix_is_a_failed_fit_beside_others_that_are_not(few_trees, monkeypatch):
    fit = ngboost.NGBRegressor.fit

    def sometimes(self, x, y):
        return fit(self, x, y) if len(x) != 40 else np.linalg.solve(np.zeros((2, 2)), np.ones(2))

    monkeypatch.setattr(ngboost.NGBRegressor, "fit", sometimes)
    outcomes = list(fit_all(MODEL, [regression_problem(n=n) for n in (61, 60, 62)], Compute(threads=2)))
    assert [o.error for o in outcomes] == ["", "FitFailed: natural gradient boosting: Singular matrix", ""]
    assert [o.prediction is None for o in outcomes] == [False, True, False]


def test_outputs_that_are_multiples_of_each_other_are_a_failed_fit():
    (outcome,) = fit_all(MODEL, [multivariate_problem(lambda y: y[:, :1] * [1.0, -2.0])])
    assert outcome.prediction is None
    assert outcome.error.startswith("FitFailed: natural gradient boosting")


def test_a_constant_target_is_a_failed_fit():
    (outcome,) = fit_all(MODEL, [regression_problem(lambda y: 0 * y + 3)])
    assert outcome.error == (
        "FitFailed: natural gradient boosting needs a spread to start from: the training target is constant"
    )


def test_trees_that_refuse_their_gradients_are_a_failed_fit(monkeypatch):
    monkeypatch.setattr(normal.NormalLogScore, "d_score", lambda self, y: np.full((len(y), 2), np.inf))
    (outcome,) = fit_all(MODEL, [regression_problem()])
    assert outcome.error.startswith("FitFailed: natural gradient boosting diverged")


def test_a_prediction_out_of_range_is_a_failed_fit(monkeypatch):
    def explode(x_train, y_train, x_test, seed):
        return np.zeros((len(x_test), 1)), np.full((len(x_test), 1, 1), np.inf)

    monkeypatch.setattr(module, "boosted_normal", explode)
    with pytest.raises(FitFailed, match="NaN or infinite"):
        MODEL.fit_predict(regression_problem())
