"""Expected utilities of whole maps: each value is minus the public metric with that prior."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from uqalign.families import FAMILIES, families_of
from uqalign.priors import Beta
from uqalign.pwu import (
    binary_decision_pwu,
    multivariate_selective_pwu,
    one_vs_rest_pwu,
    risk_averse_top_k_pwu,
    selective_pwu,
    top_k_pwu,
)
from uqalign.sensitivity import expected as expected_module
from uqalign.sensitivity import risk_averse
from uqalign.sensitivity.expected import expected_utilities
from uqalign.sensitivity.grid import ALL_LEVELS, beta_parameters, grid_points, level_priors
from uqalign.tasks import TASKS

MODES, CONCENTRATIONS = grid_points()
A, B = beta_parameters(MODES, CONCENTRATIONS)
POINTS = [0, 7, 14, 33, 60, 67, 74, 91, 120, 134]


def metric(name, y, prediction, **priors):
    """The public metric with `priors` by parameter, the others at their default."""
    if name == "risk_averse_top_k":
        names = {"q": "prior_k", "gamma_factor": "prior_aversion"}
        return risk_averse_top_k_pwu(y, *prediction, **{names[key]: prior for key, prior in priors.items()})
    functions = {
        "binary_decision": binary_decision_pwu, "top_k": top_k_pwu, "one_vs_rest": one_vs_rest_pwu,
        "selective": selective_pwu, "multivariate_selective": multivariate_selective_pwu,
    }  # fmt: skip
    (prior,) = priors.values()
    return functions[name](y, *prediction, prior=prior)


def binary(rng):
    p = rng.beta(0.6, 0.6, size=30)
    rare = (rng.uniform(size=30) < p).astype(float)
    return {
        "plain": (rare, (p,)),
        "ties and ends": (rare, (np.round(p, 1),)),
        "constant": (rare, (np.full(30, 0.3),)),
        "only ones": (np.ones(30), (p,)),
        "only zeros": (np.zeros(30), (p,)),
        "one row": (np.ones(1), (np.array([0.7]),)),
        "another size": (rare[:13], (p[:13],)),
    }


def multiclass(rng):
    p = rng.dirichlet([0.5] * 4, size=25)
    y = np.array([rng.choice(4, p=row) for row in p], dtype=float)
    one_hot = np.eye(4)[y.astype(int)]
    return {
        "plain": (y, (p,)),
        "certain": (y, (one_hot[::-1].copy(),)),
        "constant": (y, (np.full((25, 4), 0.25),)),
        "an absent class": (np.minimum(y, 2), (p,)),
    }


def regression(rng):
    mean, var = rng.normal(size=40), rng.gamma(1.0, 0.5, size=40)
    y = mean + np.sqrt(var) * rng.normal(size=40)
    return {
        "plain": (y, (mean, var)),
        "large units": (1e6 * y, (1e6 * mean, 1e12 * var)),
        "tiny units": (1e-6 * y, (1e-6 * mean, 1e-12 * var)),
        "one variance": (y, (mean, np.full(40, 0.4))),
        "no variance": (y, (mean, np.zeros(40))),
        "constant": (y, (np.zeros(40), np.ones(40))),
        "equal rows": (y, (np.round(mean), np.round(var) / 2)),
        "crossings in one point": (y, (np.linspace(0, 1, 40), np.linspace(0, 2, 40))),
        "two rows": (y[:2], (mean[:2], var[:2])),
    }


def multivariate(rng):
    mean, root = rng.normal(size=(20, 3)), rng.normal(size=(20, 3, 3))
    cov = root @ root.transpose(0, 2, 1) / 3
    y = mean + rng.normal(size=(20, 3)) * [1, 10, 0.1]
    return {"plain": (y, (mean, cov)), "no variance": (y, (mean, 0 * cov)), "two rows": (y[:2], (mean[:2], cov[:2]))}


PROBLEMS = {"binary": binary, "multiclass": multiclass, "regression": regression, "multivariate": multivariate}


def problems(task):
    return PROBLEMS[task](np.random.default_rng(5))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_value_is_the_public_metric(name, monkeypatch):
    monkeypatch.setattr(risk_averse, "EXACT_VALUES", 10**6)
    family = FAMILIES[name]
    splits = problems(family.task)
    found = expected_utilities(family, list(splits.values()))
    assert set(found.maps) == set(family.priors)
    assert not any(found.notes)
    assert found.error == 0
    for row, (what, (y, prediction)) in enumerate(splits.items()):
        size = max(1.0, abs(metric(name, y, prediction, **level_priors(family, "base"))))
        for parameter, values in found.maps.items():
            assert values.shape == (len(splits), len(MODES))
            expected = [-metric(name, y, prediction, **{parameter: Beta(A[i], B[i])}) for i in POINTS]
            np.testing.assert_allclose(values[row, POINTS], expected, rtol=0, atol=2e-13 * size, err_msg=what)
        levels = [-metric(name, y, prediction, **level_priors(family, level)) for level in ALL_LEVELS]
        np.testing.assert_allclose(found.levels[row], levels, rtol=0, atol=2e-13 * size, err_msg=what)


@pytest.mark.parametrize("name", ["binary_decision", "top_k", "selective", "one_vs_rest"])
@pytest.mark.parametrize("point", [7, 52, 100])
def test_values_are_the_integrals_of_the_utility(name, point):
    family = FAMILIES[name]
    y, prediction = problems(family.task)["plain"]
    (parameter,) = family.priors
    found = expected_utilities(family, [(y, prediction)])
    density = stats.beta(A[point], B[point]).pdf
    classes = range(prediction[0].shape[1]) if name == "one_vs_rest" else [None]

    def utility(theta):
        extra = [{} if j is None else {"j": j} for j in classes]
        return np.mean([family.evaluate(y, prediction, {**more, parameter: theta}) for more in extra])

    if name == "top_k":
        jumps = np.arange(1, len(y)) / len(y)
    elif name == "selective":
        jumps = prediction[1] / np.var(y)
    else:
        jumps = prediction[0].ravel()
    ends = np.unique(np.concatenate([[0.0, 1.0], jumps[(jumps > 0) & (jumps < 1)]]))
    # Between the jumps the utility is linear in theta: five nodes of Gauss-Legendre integrate all but the density.
    total = sum(
        integrate.fixed_quad(lambda t: [utility(x) * density(x) for x in t], low, high, n=12)[0]
        for low, high in pairwise(ends)
    )
    assert found.maps[parameter][0, point] == pytest.approx(total, abs=2e-6)


def test_brier_is_the_lowest_row_of_the_map():
    from uqalign.metrics import brier_score

    y, (p,) = problems("binary")["plain"]
    values = expected_utilities(FAMILIES["binary_decision"], [(y, (p,))]).maps["c"][0]
    np.testing.assert_allclose(values[:15], -brier_score(y, p) / 2, rtol=1e-13)


@pytest.mark.parametrize("name", FAMILIES)
def test_no_splits_give_no_values(name):
    found = expected_utilities(FAMILIES[name], [])
    assert found.levels.shape == (0, len(ALL_LEVELS))
    assert all(values.shape == (0, len(MODES)) for values in found.maps.values())


@pytest.mark.parametrize("task", TASKS)
def test_splits_do_not_mix(task, monkeypatch):
    monkeypatch.setattr(risk_averse, "EXACT_VALUES", 10**6)
    splits = list(problems(task).values())
    for family in families_of(task):
        together = expected_utilities(family, splits)
        for row in (0, len(splits) - 1):
            alone = expected_utilities(family, [splits[row]])
            for parameter, values in alone.maps.items():
                np.testing.assert_allclose(together.maps[parameter][row], values[0], rtol=1e-13, atol=1e-15)


def test_constant_targets():
    y, prediction = np.full(10, 3.0), (np.linspace(2, 4, 10), np.array([0.0, 1.0] * 5))
    splits = [(y, prediction), problems("regression")["plain"]]
    selective = expected_utilities(FAMILIES["selective"], splits)
    # Abstaining is free, so only rows without variance pay.
    assert selective.notes == ["", ""]
    np.testing.assert_allclose(selective.maps["lambda_factor"][0], -selective_pwu(y, *prediction), rtol=1e-13)
    averse = expected_utilities(FAMILIES["risk_averse_top_k"], splits)
    assert averse.notes[0].startswith("y_true is constant")
    assert averse.notes[1] == ""
    for values in (*averse.maps.values(), averse.levels):
        assert np.isnan(values[0]).all()
        assert np.isfinite(values[1]).all()


def test_a_constant_coordinate_is_undefined():
    y, (mean, cov) = problems("multivariate")["plain"]
    found = expected_utilities(FAMILIES["multivariate_selective"], [(y * [1, 0, 1], (mean, cov)), (y, (mean, cov))])
    assert "coordinate 1" in found.notes[0]
    assert np.isnan(found.levels[0]).all()
    np.testing.assert_allclose(found.levels[1, 0], -multivariate_selective_pwu(y, mean, cov), rtol=1e-12)


def test_squares_beyond_all_floats_are_undefined():
    y, (mean, var) = problems("regression")["plain"]
    huge = [(y, (np.where(np.arange(40) == 3, 1e200, mean), var)), (y, (mean, var))]
    selective = expected_utilities(FAMILIES["selective"], huge)
    assert "exceeds the largest float" in selective.notes[0]
    assert np.isnan(selective.levels[0]).all()
    assert np.isfinite(selective.levels[1]).all()
    averse = expected_utilities(FAMILIES["risk_averse_top_k"], [(1e-3 * y, (mean, np.full(40, 1e307)))])
    assert averse.notes == ["aversion times variance exceeds the largest float"]
    assert np.isnan(averse.levels).all()


def test_many_crossings_are_interpolated_within_the_bound(monkeypatch):
    rng = np.random.default_rng(8)
    mean, var = 0.3 * rng.normal(size=90), rng.gamma(2.0, 1.0, size=90)
    y = mean + rng.normal(size=90)
    family = FAMILIES["risk_averse_top_k"]
    exact = expected_utilities(family, [(y, (mean, var))])
    monkeypatch.setattr(risk_averse, "EXACT_VALUES", 10)
    close = expected_utilities(family, [(y, (mean, var))])
    assert exact.error == 0
    assert 0 < close.error < 1e-4
    np.testing.assert_array_equal(close.maps["q"], exact.maps["q"])
    off = np.abs(close.maps["gamma_factor"] - exact.maps["gamma_factor"])
    assert 0 < off.max() <= close.error


def test_many_rows_are_interpolated_within_the_bound():
    rng = np.random.default_rng(9)
    n = 9000
    mean, var = rng.normal(size=n), rng.gamma(1.0, 0.5, size=n)
    y = mean + np.sqrt(var) * rng.normal(size=n)
    found = expected_utilities(FAMILIES["selective"], [(y, (mean, var))])
    assert 0 < found.error < 1e-5
    exact = [-selective_pwu(y, mean, var, prior=Beta(A[i], B[i])) for i in POINTS]
    np.testing.assert_allclose(found.maps["lambda_factor"][0, POINTS], exact, rtol=0, atol=found.error)
    p = rng.uniform(size=n)
    found = expected_utilities(FAMILIES["binary_decision"], [((rng.uniform(size=n) < p) * 1.0, (p,))])
    assert 0 < found.error < 1e-6


def test_the_sweep_in_blocks_is_the_sweep(monkeypatch):
    monkeypatch.setattr(risk_averse, "EXACT_VALUES", 10**6)
    splits = [problems("regression")["plain"], problems("regression")["equal rows"]]
    whole = expected_utilities(FAMILIES["risk_averse_top_k"], splits)
    monkeypatch.setattr(risk_averse, "PAIRS_AT_ONCE", 130)
    parts = expected_utilities(FAMILIES["risk_averse_top_k"], splits)
    for parameter, values in whole.maps.items():
        np.testing.assert_allclose(parts.maps[parameter], values, rtol=0, atol=1e-13)


def test_every_family_has_a_map():
    assert set(expected_module._FAMILIES) == set(FAMILIES)
