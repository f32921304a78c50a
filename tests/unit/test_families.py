"""Decision families: published draws, resolution of theta on test rows, identity of thetas."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from uqalign.checks import UndefinedMetricWarning
from uqalign.families import (
    FAMILIES,
    LEVELS,
    Theta,
    families_of,
    perturbed_thetas,
    published_thetas,
    sample_thetas,
    theta_id,
    theta_label,
)
from uqalign.tasks import TASKS
from uqalign.utilities import risk_averse_top_k_utility, selective_utility, top_k_utility


def labels(task, **options):
    return {
        family.name: [theta_label(t) for t in thetas] for family, thetas in published_thetas(task, **options).items()
    }


def test_published_labels_of_binary_problems():
    assert labels("binary") == {
        "binary_decision": ["c=0.13", "c=0.07", "c=0.10", "c=0.02", "c=0.09"],
        "top_k": ["k/n=0.04", "k/n=0.10", "k/n=0.03", "k/n=0.03", "k/n=0.02"],
    }


def test_published_labels_of_regression_problems():
    assert labels("regression") == {
        "selective": ["lambda=0.13", "lambda=0.07", "lambda=0.10", "lambda=0.02", "lambda=0.09"],
        "risk_averse_top_k": [
            "k/n=0.04, gamma=0.05",
            "k/n=0.10, gamma=0.17",
            "k/n=0.03, gamma=0.44",
            "k/n=0.03, gamma=0.35",
            "k/n=0.02, gamma=0.41",
        ],
    }


def test_published_draws_come_from_scipy_in_the_published_order():
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 7, 5)
    costs = stats.beta.rvs(2, 10, size=5, random_state=rng)
    (thetas,) = published_thetas("multiclass", 7).values()
    assert [dict(theta) for theta in thetas] == [
        {"j": int(j), "c": float(c)} for j, c in zip(classes, costs, strict=True)
    ]
    rng = np.random.default_rng(0)
    drawn = [stats.beta.rvs(a, b, size=5, random_state=rng) for a, b in ((2, 10), (1.2, 20.8), (2, 6))]
    selective, risk_averse = published_thetas("regression").values()
    assert [theta["lambda_factor"] for theta in selective] == drawn[0].tolist()
    assert [theta["q"] for theta in risk_averse] == drawn[1].tolist()
    assert [theta["gamma_factor"] for theta in risk_averse] == drawn[2].tolist()
    (multivariate,) = published_thetas("multivariate").values()
    assert [theta["lambda_factor"] for theta in multivariate] == drawn[0].tolist()


def test_perturbed_draws_follow_the_stated_order():
    rng = np.random.default_rng(0)
    shapes = [(3, 9), (10, 10), (10, 2), (1.5, 25.5), (2, 10), (10, 10)]
    drawn = [stats.beta.rvs(a, b, size=5, random_state=rng).tolist() for a, b in shapes]
    for step, level in enumerate(LEVELS):
        costs, shares = perturbed_thetas("binary", level).values()
        assert [theta["c"] for theta in costs] == drawn[step]
        assert [theta["q"] for theta in shares] == drawn[3 + step]
    rng = np.random.default_rng(0)
    shapes = [[(3, 9), (1.5, 25.5), (2, 10)], [(10, 10), (2, 10), (5, 7)], [(10, 2), (10, 10), (9, 3)]]
    for level, rows in zip(LEVELS, shapes, strict=True):
        drawn = [stats.beta.rvs(a, b, size=5, random_state=rng).tolist() for a, b in rows]
        selective, risk_averse = perturbed_thetas("regression", level).values()
        assert [theta["lambda_factor"] for theta in selective] == drawn[0]
        assert [theta["q"] for theta in risk_averse] == drawn[1]
        assert [theta["gamma_factor"] for theta in risk_averse] == drawn[2]


def test_perturbed_thetas_refuse_unknown_levels():
    with pytest.raises(ValueError, match="did you mean 'strong'"):
        perturbed_thetas("binary", "stong")


def test_every_task_has_families_and_its_own_ones_only():
    assert [family.name for task in TASKS for family in families_of(task)] == [
        "binary_decision",
        "top_k",
        "one_vs_rest",
        "selective",
        "risk_averse_top_k",
        "multivariate_selective",
    ]
    with pytest.raises(ValueError, match="did you mean 'binary'"):
        families_of("binry")


def test_ids_tell_apart_what_labels_do_not():
    thetas = published_thetas("binary")[FAMILIES["top_k"]]
    assert len({theta_id(theta) for theta in thetas}) == 5
    assert len({theta_label(theta) for theta in thetas}) == 4
    assert theta_id(Theta(q=0.1 + 0.2, gamma_factor=0.5)) == "q=0.30000000000000004,gamma_factor=0.5"
    assert theta_label(Theta(j=3, c=0.126)) == "j=3, c=0.13"


def test_theta_is_a_hashable_mapping():
    theta = Theta(q=0.1, gamma_factor=0.5)
    assert dict(theta) == {"q": 0.1, "gamma_factor": 0.5}
    assert theta == Theta(gamma_factor=0.5, q=0.1)
    assert hash(theta) == hash(Theta(gamma_factor=0.5, q=0.1))
    assert pickle.loads(pickle.dumps(theta)) == copy.deepcopy(theta) == theta
    assert repr(theta) == "Theta(q=0.1, gamma_factor=0.5)"
    with pytest.raises(KeyError):
        theta["k"]
    with pytest.raises(TypeError):
        theta["q"] = 0.2


def regression_rows(n=37):
    rng = np.random.default_rng(0)
    mean, var = rng.normal(size=n), rng.random(n)
    return 3 * (mean + np.sqrt(var) * rng.normal(size=n)), (3 * mean, 9 * var)


def test_theta_is_resolved_on_the_test_rows():
    y, prediction = regression_rows()
    theta = Theta(q=0.11, gamma_factor=0.4)
    family = FAMILIES["risk_averse_top_k"]
    expected = risk_averse_top_k_utility(y, *prediction, k=5, aversion=0.4 / y.std())
    assert family.evaluate(y, prediction, theta) == pytest.approx(expected, rel=1e-14)
    published = risk_averse_top_k_utility(y, *prediction, k=5, aversion=0.4 * y.var())
    assert family.evaluate(y, prediction, theta, aversion_scale=y.var()) == published
    expected = selective_utility(y, *prediction, cost=0.2 * y.var())
    selective = FAMILIES["selective"]
    assert selective.evaluate(y, prediction, Theta(lambda_factor=0.2)) == pytest.approx(expected, rel=1e-14)
    assert selective.evaluate(y, prediction, Theta(lambda_factor=0.2), target_variance=2.0) == selective_utility(
        y, *prediction, cost=0.4
    )


def test_classification_families_evaluate():
    y, p = np.array([1, 0, 1, 0]), np.array([0.9, 0.3, 0.2, 0.05])
    assert FAMILIES["top_k"].evaluate(y, (p,), Theta(q=0.5)) == top_k_utility(y, p, k=2)
    assert FAMILIES["binary_decision"].evaluate(y, (p,), Theta(c=0.25)) == pytest.approx(-(0.25 + 0.75) / 4)
    probabilities = np.array([[0.9, 0.05, 0.05], [0.1, 0.1, 0.8]])
    assert FAMILIES["one_vs_rest"].evaluate([0, 1], (probabilities,), Theta(j=2, c=0.1)) == pytest.approx(-0.05)


def test_multivariate_family_evaluates():
    y, mean, cov = np.array([[0.0, 1.0], [2.0, 5.0]]), np.zeros((2, 2)), np.stack([np.eye(2)] * 2)
    assert FAMILIES["multivariate_selective"].evaluate(y, (mean, cov), Theta(lambda_factor=0.1)) < 0


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_regression_families_do_not_depend_on_the_unit(unit):
    y, (mean, var) = regression_rows()
    for family, degree in ((FAMILIES["selective"], 2), (FAMILIES["risk_averse_top_k"], 1)):
        for theta in published_thetas("regression")[family]:
            scaled = family.evaluate(unit * y, (unit * mean, unit**2 * var), theta)
            assert scaled == pytest.approx(unit**degree * family.evaluate(y, (mean, var), theta), rel=1e-11)


def test_constant_targets_leave_risk_aversion_undefined():
    with pytest.warns(UndefinedMetricWarning, match="risk_averse_top_k is undefined: y_true is constant"):
        value = FAMILIES["risk_averse_top_k"].evaluate(
            [0.1] * 3, ([1.0, 2.0, 3.0], [1.0] * 3), Theta(q=0.3, gamma_factor=0.2)
        )
    assert math.isnan(value)


def test_foreign_parameters_are_refused():
    with pytest.raises(ValueError, match=r"parameters lambda_factor, got 'c=0\.1'"):
        FAMILIES["selective"].evaluate([1.0], ([1.0], [1.0]), Theta(c=0.1))
    with pytest.raises(ValueError, match="n_classes"):
        published_thetas("multiclass")


def test_samples_have_the_prior_of_each_parameter():
    rng = np.random.default_rng(1)
    thetas = sample_thetas(FAMILIES["risk_averse_top_k"], 4000, rng)
    for name, prior in FAMILIES["risk_averse_top_k"].priors.items():
        assert stats.kstest([theta[name] for theta in thetas], prior.cdf).pvalue > 1e-3
    classes = [theta["j"] for theta in sample_thetas(FAMILIES["one_vs_rest"], 3000, rng, n_classes=3)]
    assert stats.chisquare(np.bincount(classes, minlength=3)).pvalue > 1e-3


def test_importing_the_families_loads_no_heavy_library():
    code = "import sys, uqalign.families; print([m for m in ('pandas', 'torch', 'sklearn') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_plan_names_the_same_families():
    from uqalign import jobs

    assert {task: tuple(family.name for family in families_of(task)) for task in TASKS} == dict(jobs.FAMILIES)


def test_shares_and_classes_that_mean_nothing_are_refused():
    y, p = [1, 0, 0], [0.1, 0.2, 0.3]
    for q in (1.5, 30, math.nan):
        with pytest.raises(ValueError, match=r"share = .* must lie in \[0, 1\]"):
            FAMILIES["top_k"].evaluate(y, (p,), Theta(q=q))
    probabilities = [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]
    one_vs_rest = FAMILIES["one_vs_rest"]
    assert one_vs_rest.evaluate([2, 0], (probabilities,), Theta(j=2.0, c=0.1)) == one_vs_rest.evaluate(
        [2, 0], (probabilities,), Theta(j=2, c=0.1)
    )
    with pytest.raises(ValueError, match=r"j = 1\.7"):
        one_vs_rest.evaluate([2, 0], (probabilities,), Theta(j=1.7, c=0.1))
