"""Partial integrals of many Beta priors at once: against one at a time, and against quadrature."""

import numpy as np
import pytest
from scipy import integrate, special

from uqalign.priors import Beta
from uqalign.sensitivity.betas import EXACT_VALUES, BetaGrid, hermite
from uqalign.sensitivity.grid import beta_parameters, grid_points
from uqalign.sensitivity.places import PlaceTable

GRID = BetaGrid(*beta_parameters(*grid_points()))
EDGES = np.array([0.0, 1e-300, 1e-12, 0.01, 0.3, 0.5, 0.99, 1 - 1e-12, 1.0])


def partial_means(grid, x):
    return grid.mean * (grid.cdf(x) - grid.kernel(x) / grid.a)


def upper_partials(grid, x):
    return (1 - grid.mean) * (1 - grid.cdf(x) - grid.kernel(x) / grid.b)


def test_every_prior_agrees_with_its_own_methods():
    tails, partial, upper = 1 - GRID.cdf(EDGES), partial_means(GRID, EDGES), upper_partials(GRID, EDGES)
    for i, (a, b) in enumerate(zip(GRID.a, GRID.b, strict=True)):
        prior = Beta(a, b)
        np.testing.assert_allclose(tails[:, i], prior.tail(EDGES), rtol=0, atol=1e-14)
        np.testing.assert_allclose(partial[:, i], prior.partial_mean(EDGES), rtol=0, atol=1e-14)
        np.testing.assert_allclose(upper[:, i], prior.upper_partial(EDGES), rtol=0, atol=1e-14)


@pytest.mark.parametrize("point", [0, 40, 77, 134])
def test_the_integrals_are_the_integrals(point):
    a, b = GRID.a[point], GRID.b[point]
    x = 0.23

    def density(c):
        return c ** (a - 1) * (1 - c) ** (b - 1) / special.beta(a, b)

    mode = (a - 1) / (a + b - 2) if a + b > 2 else 0.5
    below = integrate.quad(lambda c: c * density(c), 0, x, points=[mode] if mode < x else None, epsabs=1e-13)[0]
    above = integrate.quad(lambda c: (1 - c) * density(c), x, 1, points=[mode] if mode > x else None, epsabs=1e-13)[0]
    assert partial_means(GRID, np.array([x]))[0, point] == pytest.approx(below, abs=1e-10)
    assert upper_partials(GRID, np.array([x]))[0, point] == pytest.approx(above, abs=1e-10)


def brute_sums(x, weight, group, n_groups):
    rows = [(weight[group == g, None] * f[group == g]).sum(axis=0) for f in (GRID.cdf(x), GRID.kernel(x))
            for g in range(n_groups)]  # fmt: skip
    return np.array(rows).reshape(2, n_groups, -1)


def sample(n, rng):
    x = np.concatenate([rng.uniform(size=n), rng.beta(0.1, 0.1, size=n), EDGES])
    return x, rng.normal(size=len(x)), rng.integers(0, 3, size=len(x))


def test_sums_by_group_ties_and_edges_included():
    x, weight, group = sample(40, np.random.default_rng(0))
    x = np.concatenate([x, x[:20]])
    weight, group = np.concatenate([weight, -2 * weight[:20]]), np.concatenate([group, group[20:40]])
    sums = GRID.sums(x, weight, group, 4)
    cdf, kernel = brute_sums(x, weight, group, 4)
    assert sums.error == 0
    np.testing.assert_allclose(sums.cdf, cdf, rtol=0, atol=1e-13)
    np.testing.assert_allclose(sums.kernel, kernel, rtol=0, atol=1e-13)
    np.testing.assert_allclose(sums.weight, [weight[group == g].sum() for g in range(4)], rtol=0, atol=1e-13)
    assert not sums.cdf[3].any()


def test_nothing_to_sum_is_zero():
    sums = GRID.sums(np.empty(0), np.empty(0), np.empty(0, dtype=np.intp), 2)
    assert sums.cdf.shape == (2, len(GRID.a))
    assert not sums.cdf.any()
    assert not sums.weight.any()


def test_values_in_many_blocks_are_all_counted():
    rng = np.random.default_rng(1)
    few = BetaGrid(GRID.a[[3, 70]], GRID.b[[3, 70]])
    x = rng.uniform(size=6000)
    group = rng.integers(0, 5, size=6000)
    sums = few.sums(x, np.ones(6000), group, 5)
    expected = np.stack([few.cdf(x[group == g]).sum(axis=0) for g in range(5)])
    np.testing.assert_allclose(sums.cdf, expected, rtol=1e-12)


def test_interpolation_keeps_its_bound_row_by_row():
    x = np.sort(np.concatenate([np.random.default_rng(2).uniform(size=300), np.geomspace(1e-9, 0.01, 300), EDGES]))
    each = GRID.sums(x, np.ones(len(x)), np.arange(len(x)), len(x), interpolate=True)
    assert 0 < each.error < 1e-7
    errors = [
        each.cdf - GRID.cdf(x),
        GRID.mean * (each.cdf - each.kernel / GRID.a) - partial_means(GRID, x),
        (1 - GRID.mean) * (1 - each.cdf - each.kernel / GRID.b) - upper_partials(GRID, x),
    ]
    assert max(np.abs(error).max() for error in errors) <= each.error


def test_interpolation_is_exact_at_both_ends():
    ends = GRID.sums(np.array([0.0, 1.0]), np.ones(2), np.arange(2), 2, interpolate=True)
    np.testing.assert_array_equal(ends.cdf, [np.zeros(len(GRID.a)), np.ones(len(GRID.a))])
    np.testing.assert_array_equal(ends.kernel, np.zeros((2, len(GRID.a))))


def test_many_values_are_interpolated_and_few_are_not():
    one = BetaGrid(np.array([2.0]), np.array([10.0]))
    x = np.linspace(0, 1, EXACT_VALUES + 1)
    group = np.zeros(len(x), dtype=np.intp)
    many, forced = one.sums(x, np.ones(len(x)), group, 1), one.sums(x, np.ones(len(x)), group, 1, interpolate=False)
    assert many.error > 0
    assert forced.error == 0
    assert abs(many.cdf - forced.cdf)[0, 0] <= many.error * len(x)
    # Distinct values count, not rows.
    assert one.sums(np.repeat(x[:10], 2000), np.ones(20_000), np.zeros(20_000, dtype=np.intp), 1).error == 0


def test_cubics_are_interpolated_exactly():
    t = np.linspace(0, 1, 11)
    (h0, h1), (g0, g1) = hermite(t)

    def cubic(x):
        return 2 - x + 3 * x**2 - 5 * x**3

    np.testing.assert_allclose(h0 * cubic(0) + h1 * cubic(1) + g0 * -1 + g1 * (-1 + 6 - 15), cubic(t), atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_places_are_worth_what_the_metric_says(n):
    from uqalign.pwu.rank_weights import RankWeights

    table = PlaceTable(GRID)
    for point in (0, 60, 134):
        expected = RankWeights.from_prior(Beta(GRID.a[point], GRID.b[point]), float(n)).running
        np.testing.assert_allclose(table.running(n)[:, point], expected, rtol=0, atol=1e-13)
    assert table.running(n) is table.running(n)
