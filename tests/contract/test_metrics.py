"""What every registered metric promises, checked on all of them."""

import dataclasses
import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from uqalign.checks import UndefinedMetricWarning
from uqalign.metrics.metric import fixed
from uqalign.metrics.registry import METRICS, get

N = 120
ALL = pytest.mark.parametrize("metric", METRICS, ids=lambda m: f"{m.task}-{m.name}")
ROW_MEANS = pytest.mark.parametrize("metric", [m for m in METRICS if m.row_mean], ids=lambda m: f"{m.task}-{m.name}")
CLASSIFICATION = pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.task in ("binary", "multiclass")], ids=lambda m: f"{m.task}-{m.name}"
)


def problem(task, n=N, seed=0):
    """Targets and a prediction with ties, of moderate quality."""
    rng = np.random.default_rng(seed)
    if task == "binary":
        p = np.round(rng.random(n), 1) * 0.98 + 0.01
        return rng.integers(0, 2, n), (p,)
    if task == "multiclass":
        p = rng.dirichlet(np.ones(3), n)
        return rng.integers(0, 3, n), (p,)
    if task == "regression":
        mean = 5 + np.round(rng.normal(size=n), 1)
        return mean + 0.7 * rng.normal(size=n), (mean, np.round(rng.gamma(2, 0.2, n), 1) + 0.1)
    mean = 5 + rng.normal(size=(n, 2))
    cov = np.array([[1.0, 0.3], [0.3, 0.5]]) * (np.round(rng.gamma(2, 0.2, n), 1) + 0.1)[:, None, None]
    return mean + 0.7 * rng.normal(size=(n, 2)), (mean, cov)


def take(y, prediction, rows):
    return y[rows], tuple(array[rows] for array in prediction)


def weights(seed=1):
    return np.random.default_rng(seed).integers(0, 4, N).astype(float)


@ALL
def test_declaration(metric):
    assert metric.title
    assert metric.description.endswith(".")
    assert metric.bounds[0] < metric.bounds[1]
    assert metric.family in ("classical", "calibration", "ranking", "decision")
    assert metric.proper in ("strictly", "proper", "no")
    assert get(metric.task, metric.name) is metric


@ALL
def test_row_order_changes_no_bit(metric):
    y, prediction = problem(metric.task)
    order = np.random.default_rng(7).permutation(N)
    shuffled = take(y, prediction, order)
    w = np.random.default_rng(8).random(N)
    assert metric.evaluate(*shuffled) == metric.evaluate(y, prediction)
    assert metric.evaluate(*shuffled, sample_weight=w[order]) == metric.evaluate(y, prediction, sample_weight=w)


@ALL
def test_weight_zero_is_dropping_the_row(metric):
    y, prediction = problem(metric.task)
    w = weights()
    kept = metric.evaluate(*take(y, prediction, w > 0), sample_weight=w[w > 0])
    assert metric.evaluate(y, prediction, sample_weight=w) == kept
    broken = [np.array(array, dtype=float) for array in (y, *prediction)]
    for array in broken:
        array[w == 0] = np.nan
    assert metric.evaluate(broken[0], tuple(broken[1:]), sample_weight=w) == kept


# Top-k metrics read a weight as a number of rows, so that its unit matters.
RELATIVE_WEIGHTS = [m for m in METRICS if not m.name.startswith(("pwu_k", "pwu_phi"))]


@pytest.mark.parametrize("metric", RELATIVE_WEIGHTS, ids=lambda m: f"{m.task}-{m.name}")
def test_the_unit_of_weight_is_free(metric):
    y, prediction = problem(metric.task)
    w = weights()
    scaled = metric.evaluate(y, prediction, sample_weight=w / 8)
    assert scaled == pytest.approx(metric.evaluate(y, prediction, sample_weight=w), rel=1e-13)
    for unit in (2.0**-1000, 2.0**1022):
        assert metric.evaluate(y, prediction, sample_weight=w * unit) == metric.evaluate(y, prediction, sample_weight=w)
    ones = metric.evaluate(y, prediction, sample_weight=np.full(N, 0.3))
    assert ones == pytest.approx(metric.evaluate(y, prediction), rel=1e-12)


@ROW_MEANS
def test_integer_weights_repeat_rows(metric):
    y, prediction = problem(metric.task)
    w = weights()
    repeated = metric.evaluate(*take(y, prediction, np.repeat(np.arange(N), w.astype(int))))
    assert metric.evaluate(y, prediction, sample_weight=w) == pytest.approx(repeated, rel=1e-12)


@ROW_MEANS
def test_the_value_is_the_mean_of_the_rows(metric):
    y, prediction = problem(metric.task)
    rows = metric.rows(y, prediction)
    assert rows.shape == (N,)
    assert metric.evaluate(y, prediction) == pytest.approx(rows.mean(), rel=1e-12)


@ALL
def test_input_containers(metric):
    y, prediction = problem(metric.task)
    value = metric.evaluate(y, prediction)
    assert metric.evaluate(y.tolist(), tuple(array.tolist() for array in prediction)) == value
    if y.ndim == 1 and prediction[0].ndim == 1:
        index = range(N, 0, -1)
        series = tuple(pd.Series(array, index=index) for array in prediction)
        assert metric.evaluate(pd.Series(y), series) == value


@ALL
def test_float32_is_read_exactly(metric):
    y, prediction = problem(metric.task)
    single = tuple(array.astype(np.float32) for array in prediction)
    double = tuple(array.astype(np.float64) for array in single)
    target = y if metric.task in ("binary", "multiclass") else y.astype(np.float32)
    assert metric.evaluate(target, single) == metric.evaluate(target.astype(np.float64), double)


@ALL
@pytest.mark.parametrize("seed", range(4))
def test_bounds(metric, seed):
    low, high = metric.bounds
    y, prediction = problem(metric.task, seed=seed)
    for rows in (slice(None), slice(0, 25)):
        value = metric.evaluate(*take(y, prediction, rows))
        assert low <= value <= high
        assert math.isfinite(value)


@CLASSIFICATION
def test_extreme_probabilities_stay_within_bounds(metric):
    low, high = metric.bounds
    y, (p,) = problem(metric.task)
    certain = np.where(p > 0.5, 1.0, 0.0) if p.ndim == 1 else np.eye(3)[p.argmax(axis=1)]
    assert low <= metric.evaluate(y, (certain,)) <= high


@ALL
def test_one_row(metric):
    y, prediction = take(*problem(metric.task), slice(0, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = metric.evaluate(y, prediction)
    undefined = [w for w in caught if issubclass(w.category, UndefinedMetricWarning)]
    assert math.isnan(value) == bool(undefined)
    if undefined:
        assert "undefined" in str(undefined[0].message)
    else:
        assert metric.bounds[0] <= value <= metric.bounds[1]


@CLASSIFICATION
def test_one_class(metric):
    y, prediction = problem(metric.task)
    for label in range(2 if metric.task == "binary" else 3):
        value = metric.evaluate(np.full_like(y, label), prediction)
        assert metric.bounds[0] - 1e-15 <= value <= metric.bounds[1] + 1e-15


@ALL
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_their_place(metric, bad):
    y, prediction = problem(metric.task)
    for position in range(1 + len(prediction)):
        broken = [np.array(array, dtype=float) for array in (y, *prediction)]
        broken[position][17] = bad
        with pytest.raises(ValueError, match=r"\[17\b"):
            metric.evaluate(broken[0], tuple(broken[1:]))


@ALL
def test_lengths_must_agree(metric):
    y, prediction = problem(metric.task)
    with pytest.raises(ValueError, match=r"rows|shape|must be"):
        metric.evaluate(y[:-1], prediction)
    with pytest.raises(ValueError, match="sample_weight has 3 rows"):
        metric.evaluate(y, prediction, sample_weight=[1, 1, 1])


@ALL
@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_bad_weights_are_refused(metric, weight):
    y, prediction = problem(metric.task)
    w = np.ones(N)
    w[3] = weight
    with pytest.raises(ValueError, match=r"sample_weight\[3\]"):
        metric.evaluate(y, prediction, sample_weight=w)
    with pytest.raises(ValueError, match="zero everywhere"):
        metric.evaluate(y, prediction, sample_weight=np.zeros(N))


NO_TIES = [m for m in METRICS if m.task in ("binary", "multiclass") and m.row_mean and m.name != "accuracy"]


@pytest.mark.parametrize("metric", NO_TIES, ids=lambda m: f"{m.task}-{m.name}")
def test_rounding_noise_hardly_moves_what_no_tie_decides(metric):
    # scikit-learn #10065, #31206
    y, (p,) = problem(metric.task)
    noise = 1e-15 * np.random.default_rng(2).choice([-1, 1], size=p.shape)
    assert abs(metric.evaluate(y, (p + noise,)) - metric.evaluate(y, (p,))) < 1e-12


def forest(task):
    """Targets, shares of votes with many ties, and the same shares with the rounding of another order of summation."""
    rng = np.random.default_rng(4)
    k = 2 if task == "binary" else 3
    # Of five voters: no share is one half, where the last bit decides the label.
    votes = rng.multinomial(5, np.ones(k) / k, size=N) / 5
    rounding = 1 + np.array([0, 2**-52, -(2**-53)])[np.arange(N) % 3][:, None]
    again = np.where(votes < 1, votes * rounding, votes)
    return rng.integers(0, k, N), *(p[:, 1] if task == "binary" else p for p in (votes, again))


UNCERTAINTY = [m for m in METRICS if m.task in ("binary", "multiclass") and m.name in ("rauc", "edet")]


@pytest.mark.parametrize("metric", UNCERTAINTY, ids=lambda m: f"{m.task}-{m.name}")
def test_rounding_noise_parts_no_ties_in_uncertainty(metric):
    # scikit-learn #10065, #31206
    y, once, again = forest(metric.task)
    assert len(np.unique(again)) > len(np.unique(once))
    value = metric.evaluate(y, (once,))
    assert metric.evaluate(y, (again,)) == pytest.approx(value, abs=1e-13)
    assert metric.evaluate(y, (np.round(again, 12),)) == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("metric", [m for m in METRICS if m.task == "multiclass"], ids=lambda m: m.name)
def test_the_order_of_the_classes_is_free(metric):
    y, (p,) = problem("multiclass")
    order = np.array([2, 0, 1])
    relabelled = np.argsort(order)[y]
    assert metric.evaluate(relabelled, (p[:, order],)) == pytest.approx(metric.evaluate(y, (p,)), rel=1e-12)


@pytest.mark.parametrize("metric", [m for m in METRICS if m.task == "regression"], ids=lambda m: m.name)
@pytest.mark.parametrize("unit", [0.125, 1024.0])
def test_the_unit_of_the_target_only_scales_or_shifts(metric, unit):
    y, (mean, var) = problem("regression")
    value = metric.evaluate(y, (mean, var))
    power = {"mse": 2, "rauc": 2, "pwu_lambda": 2, "crps": 1, "pwu_phi": 1, "pwu_phi_residual": 1}
    expected = value + math.log(unit) if metric.name == "nll" else value * unit ** power.get(metric.name, 0)
    assert metric.evaluate(y * unit, (mean * unit, var * unit**2)) == pytest.approx(expected, rel=1e-9)


def better_and_worse(task):
    """Targets, a good and a bad prediction."""
    y, _ = problem(task)
    rng = np.random.default_rng(3)
    if task == "binary":
        sure = rng.uniform(0.6, 1, N)
        right = rng.random(N) < sure
        good = np.where(right == (y == 1), sure, 1 - sure)
        return y, (good,), (1 - good,)
    if task == "multiclass":
        sure = rng.uniform(0.5, 0.95, N)
        right = rng.random(N) < sure
        good, bad = (np.where(hit, y, (y + 1) % 3) for hit in (right, ~right))
        rest = ((1 - sure) / 2)[:, None]
        return y, (np.eye(3)[good] * (sure[:, None] - rest) + rest,), (np.eye(3)[bad] * (sure[:, None] - rest) + rest,)
    std = rng.uniform(0.05, 2, N)
    noise = std.reshape(N, *[1] * (y.ndim - 1)) * rng.normal(size=y.shape)
    if task == "regression":
        return y, (y + noise, std**2), (y + 1.8 * noise, 4.1 - std**2)
    var = std[:, None, None] ** 2
    return y, (y + noise, np.eye(2) * var), (y + 1.8 * noise, np.eye(2) * (4.1 - var))


@ALL
def test_orientation(metric):
    y, good, bad = better_and_worse(metric.task)
    assert metric.signed(metric.evaluate(y, good)) < metric.signed(metric.evaluate(y, bad))


GRID = [0.0, 0.02, 0.1, 0.3, 0.5, 0.6, 0.85, 1.0]


def proper(task, *, row_mean=True):
    return [m for m in METRICS if m.task == task and m.proper != "no" and m.row_mean == row_mean]


def losses_of(metric, y, prediction):
    return metric.signed(1.0) * metric.rows(y, prediction)


def check_honest(metric, truth, reports, expected):
    """Expected loss of the truth against that of other reports."""
    honest = expected(truth)
    for report in reports:
        other = expected(report)
        assert honest <= other + 1e-12
        if metric.proper == "strictly":
            assert honest < other


@pytest.mark.parametrize("metric", proper("binary"), ids=lambda m: m.name)
def test_honest_probabilities_are_optimal(metric):
    for truth in GRID:

        def expected(p, truth=truth):
            loss = losses_of(metric, [0, 1], ([p, p],))
            return sum(q * v for q, v in zip((1 - truth, truth), loss, strict=True) if q)

        check_honest(metric, truth, [p for p in GRID if p != truth], expected)


@pytest.mark.parametrize("metric", proper("multiclass"), ids=lambda m: m.name)
def test_honest_class_probabilities_are_optimal(metric):
    simplex = [(a / 6, b / 6, (6 - a - b) / 6) for a in range(7) for b in range(7 - a)]
    for truth in simplex:

        def expected(p, truth=truth):
            loss = losses_of(metric, [0, 1, 2], ([p] * 3,))
            return sum(q * v for q, v in zip(truth, loss, strict=True) if q)

        check_honest(metric, truth, [p for p in simplex if p != truth], expected)


NODES = norm.ppf((np.arange(4000) + 0.5) / 4000)
"""Equally likely outcomes of a standard normal."""


def with_fixed_scale(metric, **scale):
    """The metric with the scale of its decisions held fixed instead of estimated from the outcomes."""
    return dataclasses.replace(metric, options=fixed(**metric.options, **scale)) if scale else metric


@pytest.mark.parametrize("metric", proper("regression"), ids=lambda m: m.name)
def test_honest_gaussians_are_optimal(metric):
    metric = with_fixed_scale(metric, **({"target_variance": 4.0} if metric.family == "decision" else {}))
    for mean, var in ((0.0, 0.3), (0.5, 1.0)):
        y = mean + math.sqrt(var) * NODES

        def expected(report, y=y):
            return metric.evaluate(y, tuple(np.full(len(y), value) for value in report))

        honest_var = float(np.var(y))
        reports = [(mean + d, var * s) for d in (-0.4, 0, 0.2) for s in (0.5, 1, 1.7) if (d, s) != (0, 1)]
        if metric.name == "mse":
            reports = [(m, v) for m, v in reports if m != mean]
        check_honest(metric, (mean, honest_var), reports, expected)


@pytest.mark.parametrize("metric", proper("multivariate"), ids=lambda m: m.name)
def test_honest_multivariate_gaussians_are_optimal(metric):
    options = {"target_variance": np.array([4.0, 4.0])} if metric.family == "decision" else {}
    metric = with_fixed_scale(metric, **options)
    small = norm.ppf((np.arange(60) + 0.5) / 60)
    grid = np.array(list(itertools.product(small, small))) / small.std()
    cov = np.array([[1.0, 0.4], [0.4, 0.6]])
    y = grid @ np.linalg.cholesky(cov).T

    def expected(report):
        mean, matrix = report
        return metric.evaluate(y, (np.tile(mean, (len(y), 1)), np.tile(matrix, (len(y), 1, 1))))

    flat = cov * np.eye(2)
    reports = [((0.3, 0.0), cov), ((0.0, -0.2), 1.5 * cov), ((0, 0), 0.5 * cov), ((0, 0), 2 * flat)]
    if metric.name in ("nll", "energy_score"):
        reports += [((0, 0), flat), ((0, 0), cov * np.array([[1, -1], [-1, 1]]))]
    check_honest(metric, ((0.0, 0.0), cov), reports, expected)


@pytest.mark.parametrize("metric", proper("binary", row_mean=False), ids=lambda m: m.name)
def test_honest_rankings_are_optimal(metric):
    truth = (0.9, 0.6, 0.5, 0.2)
    outcomes = list(itertools.product((0, 1), repeat=4))
    chances = [math.prod(q if y else 1 - q for q, y in zip(truth, ys, strict=True)) for ys in outcomes]

    def expected(report):
        return sum(
            chance * metric.signed(metric.evaluate(ys, (report,))) for chance, ys in zip(chances, outcomes, strict=True)
        )

    reports = [*itertools.permutations(truth), (0.5, 0.5, 0.5, 0.5), (0.7, 0.7, 0.1, 0.1)]
    check_honest(metric, truth, reports, expected)


MEAN, VAR = np.array([1.0, 0.6, 0.0]), np.array([1.2, 0.3, 0.1])
SIGNS = np.array(list(itertools.product((-1, 1), repeat=3)))


def expected_risk_averse(metric, mean, var):
    """Mean over all outcomes of three targets that lie one standard deviation above or below their mean."""
    return np.mean([metric.evaluate(MEAN + s * np.sqrt(VAR), (mean, var)) for s in SIGNS])


@pytest.mark.parametrize("metric", proper("regression", row_mean=False), ids=lambda m: m.name)
def test_honest_risk_averse_rankings_are_optimal(metric):
    metric = with_fixed_scale(metric, target_variance=0.5)
    honest = expected_risk_averse(metric, MEAN, VAR)
    rng = np.random.default_rng(0)
    for _ in range(60):
        mean, var = MEAN + rng.normal(size=3), VAR * rng.gamma(1, 1, 3)
        # The residual is charged against the reported mean, so that lying about it costs as well.
        assert honest <= expected_risk_averse(metric, mean, var) + 1e-12
    assert honest <= expected_risk_averse(metric, MEAN, 0 * VAR) + 1e-12


def test_the_published_risk_averse_payoff_rewards_understating_variance():
    metric = with_fixed_scale(get("regression", "pwu_phi"), target_variance=0.5)
    assert metric.proper == "no"
    assert expected_risk_averse(metric, MEAN, 0 * VAR) < expected_risk_averse(metric, MEAN, VAR) - 0.01
