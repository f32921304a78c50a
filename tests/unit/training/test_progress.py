"""Early stopping, the best state, and replicates that diverge."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import peers
from uqalign.models import mlp
from uqalign.models.base import REGISTRY, Compute, FitFailed, fit_all
from uqalign.training import engine
from uqalign.training.engine import train
from uqalign.training.fit import fit_networks
from uqalign.training.replicate import Replicate, hold_out
from uqalign.training.rows import prepare
from uqalign.training.store import Store

CPU = torch.device("cpu")
RECIPE = mlp.recipe("regression")


def trained(rows, scores, monkeypatch, **settings):
    """A replicate whose validation losses are given, and the weights it had after each epoch."""
    recipe = replace(RECIPE, **settings)
    replicate = Replicate(rows, 1, recipe, CPU)
    after = []

    def score(present, lanes, schedule):
        after.append({name: view[0].clone() for name, view in lanes.weights.views.items()})
        return [-scores[len(after) - 1]]

    monkeypatch.setattr(engine, "_scores", score)
    store = Store([rows], CPU)
    train([replicate], store, CPU)
    return replicate, after, store


def output_of(weights, rows):
    from uqalign.models.nets.network import Pass, Sizes

    x = peers.matrix(rows.problem)[rows.n_train :].unsqueeze(0)
    lanes = {name: value.unsqueeze(0) for name, value in weights.items()}
    return RECIPE.network.forward(lanes, {}, x, Pass(Sizes.of([x.shape[1]], CPU)))[0].double().numpy()


@pytest.mark.parametrize(
    ("losses", "max_epochs", "epochs", "best"),
    [
        ([3, 1, 2], 3, 3, 2),  # keras #12511: ends by the number of epochs, long before patience does
        ([3, 1, 2, 2, 2, 2, 2, 9], 8, 8, 2),  # six without progress: one more than the patience, and one to spare
        ([3, 1, 2, 2, 2, 2, 2, 2, 0], 9, 8, 2),  # stops before the better ninth epoch
        ([3, 2, 1], 3, 3, 3),
        ([1, 1, 1], 3, 3, 1),  # a tie is no improvement
    ],
)
def test_the_best_epoch_is_the_result(losses, max_epochs, epochs, best, problem_of, monkeypatch):
    rows = prepare(problem_of("regression"))
    replicate, after, _ = trained(rows, losses, monkeypatch, patience=5, max_epochs=lambda n: max_epochs)
    assert len(after) == epochs
    np.testing.assert_array_equal(replicate.output, output_of(after[best - 1], rows))


def test_progress_smaller_than_the_tolerance_does_not_prolong_but_counts(problem_of, monkeypatch):
    rows = prepare(problem_of("regression"))
    losses = [1 - 1e-8 * epoch for epoch in range(50)]
    replicate, after, _ = trained(rows, losses, monkeypatch, patience=5)
    assert len(after) == 7
    np.testing.assert_array_equal(replicate.output, output_of(after[-1], rows))


def test_running_statistics_are_restored_with_the_weights(problem_of, monkeypatch):
    """Batch normalisation ends with the statistics of the best epoch, not of the last."""
    from uqalign.models.nets.resnet import ResNet

    rows = prepare(problem_of("regression"))
    settings = {"network": ResNet(dropout=0), "patience": 5}
    longer, *_ = trained(rows, [3, 1, 2, 2], monkeypatch, max_epochs=lambda n: 4, **settings)
    best, *_ = trained(rows, [3, 1], monkeypatch, max_epochs=lambda n: 2, **settings)
    last, *_ = trained(rows, [3, 2, 1, 0], monkeypatch, max_epochs=lambda n: 4, **settings)
    np.testing.assert_array_equal(longer.output, best.output)
    assert np.abs(last.output - best.output).max() > 1e-3


def test_a_diverging_replicate_fails_and_leaves_the_others_alone(problem_of):
    tables = [prepare(problem_of("regression", seed=seed)) for seed in range(3)]
    store = Store(tables, CPU)
    replicates = [Replicate(rows, seed, RECIPE, CPU) for seed, rows in enumerate(tables)]
    replicates[1].weights["1.weight"][0, 0] = np.nan
    train(replicates, store, CPU)
    assert isinstance(replicates[1].error, FitFailed)
    assert "epoch 1" in str(replicates[1].error)
    assert replicates[1].output is None
    for seed in (0, 2):
        alone = Replicate(tables[seed], seed, RECIPE, CPU)
        train([alone], store, CPU)
        np.testing.assert_allclose(replicates[seed].output, alone.output, rtol=1e-5, atol=1e-5)


class TestRetries:
    """A fit that diverges begins again with a smaller learning rate, whatever becomes of its neighbours."""

    WILD = replace(RECIPE, learning_rate=1e25, gradient_norm=None, max_epochs=lambda n: 3)

    def fits(self, problems, recipe):
        return [only for (only,) in fit_networks(problems, Compute(1), recipe)]

    def test_one_tenth_of_the_learning_rate_is_tried_next(self, problem_of):
        given = problem_of("regression")
        (failed,) = self.fits([given], replace(self.WILD, retries=()))
        assert isinstance(failed, FitFailed)
        assert "learning rate 1e+25: training diverged" in str(failed)
        (retried,) = self.fits([given], replace(self.WILD, retries=(1e-28,)))
        (gentle,) = self.fits([given], replace(self.WILD, learning_rate=1e25 * 1e-28, retries=()))
        for found, expected in zip(retried, gentle, strict=True):
            np.testing.assert_array_equal(found, expected)
        assert RECIPE.retries == (0.1,)

    def test_a_fit_that_always_diverges_failed(self, problem_of):
        (failed,) = self.fits([problem_of("regression")], replace(self.WILD, retries=(0.1, 0.01)))
        assert isinstance(failed, FitFailed)
        assert "learning rate 1e+23: training diverged" in str(failed)

    @pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
    def test_neighbours_of_a_fit_that_is_retried_keep_their_numbers(self, problem_of, monkeypatch):
        """Divergence of the second problem alone, at the recipe's own rate."""
        from uqalign.training import fit as module

        problems = [problem_of("regression", seed=seed) for seed in range(3)]
        expected = self.fits(problems, RECIPE)
        gentle = self.fits(problems[1:2], replace(RECIPE, learning_rate=RECIPE.learning_rate * 0.1))
        start = module._start

        def poisoned(rows, seed, recipe, device):
            replicate = start(rows, seed, recipe, device)
            if seed == 1:
                replicate.weights["1.weight"][0, 0] = np.nan
            return replicate

        monkeypatch.setattr(module, "_start", poisoned)
        found = self.fits(problems, RECIPE)
        for a, b in zip(found, [expected[0], *gentle, expected[2]], strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)

    def test_members_of_an_ensemble_are_retried_one_by_one(self, problem_of, monkeypatch):
        from uqalign.models import deep_ensemble
        from uqalign.training import fit as module

        given = problem_of("regression")
        poisoned, start = deep_ensemble.member_seeds(given)[3], module._start

        def poison(rows, seed, recipe, device):
            replicate = start(rows, seed, recipe, device)
            if seed == poisoned:
                replicate.weights["0.bias"][0] = np.nan
            return replicate

        clean = next(iter(fit_all(REGISTRY.get("deep_ensemble"), [given]))).prediction
        monkeypatch.setattr(module, "_start", poison)
        outcome = next(iter(fit_all(REGISTRY.get("deep_ensemble"), [given])))
        assert not outcome.error
        assert np.abs(outcome.prediction[0] - clean[0]).max() > 1e-6


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", ["mlp", "deep_ensemble"])
def test_a_failure_is_recorded_in_its_place(name, problem_of):
    problems = [problem_of("regression", seed=seed) for seed in range(3)]
    problems[1].target[problems[1].train[0]] = np.inf
    outcomes = list(fit_all(REGISTRY.get(name), problems, Compute(1)))
    assert [bool(outcome.error) for outcome in outcomes] == [False, True, False]
    assert "FitFailed" in outcomes[1].error
    assert "diverged" in outcomes[1].error


def test_one_class_in_training_is_certain(problem_of):
    given = problem_of("binary")
    object.__setattr__(given, "train", given.train[given.target[given.train] == 1])
    ((prediction,),) = fit_networks([given], Compute(1), mlp.recipe("binary"))
    np.testing.assert_array_equal(prediction[0], np.ones(len(given.test)))


def test_a_single_training_row_is_a_failure(problem_of):
    given = problem_of("regression")
    object.__setattr__(given, "train", given.train[:1])
    ((prediction,),) = fit_networks([given], Compute(1), RECIPE)
    assert isinstance(prediction, FitFailed)


def test_a_constant_target_is_predicted(problem_of):
    given = problem_of("regression")
    given.target[given.train] = 5.0
    ((prediction,),) = fit_networks([given], Compute(1), RECIPE)
    np.testing.assert_allclose(prediction[0], 5.0, atol=0.3)
    assert (prediction[1] > 0).all()


class TestHoldOut:
    def test_shares_are_rounded_up_and_disjoint(self):
        fit, held = hold_out(101, 0.1, None, np.random.RandomState(0))
        assert len(held) == 11
        np.testing.assert_array_equal(np.sort(np.concatenate([fit, held])), np.arange(101))
        assert (np.diff(held) > 0).all()

    def test_classes_are_held_out_in_proportion(self):
        classes = np.repeat([0.0, 1.0], [160, 40]).astype(np.float32)
        _, held = hold_out(200, 0.1, classes, np.random.RandomState(0))
        assert classes[held].sum() == 4

    @pytest.mark.parametrize("counts", [(30, 1), (4, 4), (1, 1)])
    def test_where_no_stratified_split_exists_rows_are_drawn_freely(self, counts):
        classes = np.repeat([0.0, 1.0], counts).astype(np.float32)
        n = sum(counts)
        fit, held = hold_out(n, 0.1, classes, np.random.RandomState(0))
        assert len(held) == -(-n // 10)
        assert len(fit) + len(held) == n


def test_randomness_is_drawn_by_whoever_trains(problem_of, monkeypatch):
    """Drawing takes as long as an epoch, which workers do side by side; until then the lengths are known."""
    rows = prepare(problem_of("binary", n=53, n_test=10))
    monkeypatch.setattr(np.random, "RandomState", lambda seed: pytest.fail("drawn too early"))
    replicate = Replicate(rows, 1, RECIPE, CPU)
    monkeypatch.undo()
    assert replicate.lengths == (len(replicate.shuffle()), len(replicate.validation))
    assert sorted([*replicate.shuffle(), *replicate.validation]) == list(range(rows.n_train))
