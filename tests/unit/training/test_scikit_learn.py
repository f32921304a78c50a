"""`mlp` on classes against the scikit-learn classifier whose every step, and random number, it follows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.neural_network import MLPClassifier

from uqalign.models import mlp
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.training.fit import fit_networks

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def scikit_learn(given, **settings):
    """(n_test, K) probabilities by the published settings."""
    x_train, x_test = given.arrays(scale=True)
    model = MLPClassifier(
        (128, 128),
        alpha=1e-4,
        batch_size=min(512, max(32, len(x_train) // 10)),
        learning_rate_init=1e-3,
        early_stopping=True,
        validation_fraction=0.1,
        n_iter_no_change=20,
        tol=1e-4,
        **({"max_iter": 3000} | settings),
        random_state=given.seed,
    )
    return model.fit(x_train, given.y_train.astype(int)).predict_proba(x_test)


def columns(prediction):
    p = prediction[0]
    return np.column_stack([1 - p, p]) if p.ndim == 1 else p


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_the_first_epochs_give_the_same_numbers(task, problem_of):
    """Up to Adam's epsilon, which scikit-learn adds before the bias correction of the second moment."""
    given = problem_of(task, seed=7)
    recipe = replace(mlp.recipe(task), max_epochs=lambda n: 3)
    ((prediction,),) = fit_networks([given], Compute(1), recipe)
    np.testing.assert_allclose(columns(prediction), scikit_learn(given, max_iter=3), atol=1e-3)


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_whole_fits_are_indistinguishable(task, problem_of):
    """Rounding differs, so trajectories part slowly; neither side is better, and most probabilities still agree."""
    problems = [problem_of(task, seed=seed, n=200, n_test=50, table=1) for seed in range(24)]
    truth = problem_of(task, seed=99, n=200, n_test=0, table=1).target.astype(int)
    found = [columns(outcome.prediction) for outcome in fit_all(REGISTRY.get("mlp"), problems, Compute(1))]
    expected = [scikit_learn(given) for given in problems]

    def losses(predictions):
        return [
            -np.log(p[np.arange(50), truth[given.test]]).mean() for given, p in zip(problems, predictions, strict=True)
        ]

    assert stats.ttest_rel(losses(found), losses(expected)).pvalue > 0.01
    assert abs(np.mean(losses(found)) - np.mean(losses(expected))) < 0.02
    assert np.median(np.abs(np.array(found) - expected)) < 0.01
