"""Moments of mixtures, and members that are the networks of `mlp`."""

from dataclasses import replace

import numpy as np
import pytest

from uqalign.models import deep_ensemble, mlp
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.training.fit import fit_networks


def test_regression_moments_are_those_of_the_mixture_density():
    """Mean and variance of the mixture's density by quadrature."""
    rng = np.random.default_rng(0)
    members = [(rng.normal(size=3), rng.uniform(0.2, 2, size=3)) for _ in range(5)]
    mean, var = deep_ensemble.mixture("regression", members)
    y = np.linspace(-20, 20, 200_001)
    for row in range(3):
        density = np.mean(
            [np.exp(-((y - m[row]) ** 2) / (2 * v[row])) / np.sqrt(2 * np.pi * v[row]) for m, v in members], axis=0
        )
        first = np.trapezoid(y * density, y)
        np.testing.assert_allclose(mean[row], first, atol=1e-9)
        np.testing.assert_allclose(var[row], np.trapezoid((y - first) ** 2 * density, y), rtol=1e-9)


def test_multivariate_moments_are_those_of_a_sample():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(5, 2, 3, 3))
    members = [(rng.normal(size=(2, 3)), f @ f.transpose(0, 2, 1)) for f in factors]
    mean, cov = deep_ensemble.mixture("multivariate", members)
    draws = 40_000
    for row in range(2):
        sample = np.concatenate([rng.multivariate_normal(m[row], s[row], size=draws) for m, s in members])
        standard_error = np.sqrt(np.diag(cov[row]) / len(sample))
        assert (np.abs(sample.mean(axis=0) - mean[row]) < 4 * standard_error).all()
        np.testing.assert_allclose(np.cov(sample.T), cov[row], atol=0.03 * np.abs(cov[row]).max())
        np.testing.assert_allclose(cov[row], cov[row].T)


def test_one_dimension_is_the_univariate_case():
    rng = np.random.default_rng(0)
    members = [(rng.normal(size=4), rng.uniform(1, 2, size=4)) for _ in range(5)]
    mean, var = deep_ensemble.mixture("regression", members)
    wide, cov = deep_ensemble.mixture("multivariate", [(m[:, None], v[:, None, None]) for m, v in members])
    np.testing.assert_allclose(wide[:, 0], mean)
    np.testing.assert_allclose(cov[:, 0, 0], var)


@pytest.mark.parametrize("task", ["binary", "regression", "multivariate"])
def test_members_are_networks_of_mlp_with_their_own_seeds(task, problem_of):
    given = problem_of(task, seed=3)
    assert deep_ensemble.member_seeds(given) == [300, 301, 302, 303, 304]
    (outcome,) = fit_all(REGISTRY.get("deep_ensemble"), [given], Compute(1))
    members = []
    for seed in (300, 301, 302, 303, 304):
        ((prediction,),) = fit_networks([replace(given, seed=seed)], Compute(1), mlp.recipe(task))
        members.append(prediction)
    assert np.abs(members[0][0] - members[1][0]).max() > 1e-3
    expected = deep_ensemble.mixture(task, members)
    for found, value in zip(outcome.prediction, expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-5)
