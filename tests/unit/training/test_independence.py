"""A fit's numbers depend on its problem and seed alone."""

from dataclasses import replace

import numpy as np
import pytest

from uqalign.models import mlp, tabular_networks
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.models.nets.ft_transformer import FTTransformer
from uqalign.models.nets.mlp import MLP
from uqalign.models.nets.resnet import ResNet
from uqalign.models.nets.saint import SAINT
from uqalign.training import engine
from uqalign.training.fit import fit_networks

RECIPES = {
    "mlp-binary": mlp.recipe("binary"),
    "mlp-regression": mlp.recipe("regression"),
    "resnet-regression": replace(tabular_networks.recipe(ResNet(), "regression"), max_epochs=lambda n: 12),
    "ft_transformer-binary": replace(tabular_networks.recipe(FTTransformer(), "binary"), max_epochs=lambda n: 5),
    "saint-regression": replace(tabular_networks.recipe(SAINT(), "regression"), max_epochs=lambda n: 5),
}


def fit(problems, recipe, **options):
    compute = Compute(options.pop("threads", 1))
    return [only for (only,) in fit_networks(problems, compute, recipe, **options)]


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)
            np.testing.assert_array_equal(np.argsort(x, axis=0), np.argsort(y, axis=0))


@pytest.mark.parametrize("case", RECIPES)
def test_one_few_or_many_together_in_any_order_on_any_cores(case, problem_of):
    name, task = case.split("-")
    many = 50 if name == "mlp" else 8
    # Every third problem has one training row less, as folds of a real data set do.
    problems = [problem_of(task, seed=seed, n_test=15 + (seed % 3 == 0)) for seed in range(many)]
    together = fit(problems, RECIPES[case])
    for i in (0, 1, many - 1):
        assert_same(fit(problems[i : i + 1], RECIPES[case]), together[i : i + 1])
    assert_same(fit(problems[2:5], RECIPES[case]), together[2:5])
    order = np.random.default_rng(0).permutation(many)
    shuffled = fit([problems[i] for i in order], RECIPES[case], threads=2)
    assert_same(shuffled, [together[i] for i in order])


def test_a_small_memory_budget_changes_nothing(problem_of, monkeypatch):
    from uqalign.training import workers as module

    blocks = []
    train = module.train
    monkeypatch.setattr(module, "train", lambda block, *rest: (blocks.append(len(block)), train(block, *rest)))
    problems = [problem_of("regression", seed=seed) for seed in range(6)]
    roomy = fit(problems, RECIPES["mlp-regression"])
    assert blocks == [6]
    blocks.clear()
    tight = fit(problems, RECIPES["mlp-regression"], memory=10_000)
    assert blocks == [1] * 6
    assert_same(tight, roomy)


@pytest.mark.parametrize("case", ["mlp-binary", "resnet-regression", "ft_transformer-binary"])
def test_lanes_with_different_columns(case, problem_of):
    task = case.split("-")[1]
    problems = [problem_of(task, seed=seed, n=60, n_test=30, levels=["a", "b"]) for seed in range(12)]
    for given in problems[:6]:  # only some splits know the rare level
        object.__setattr__(given, "train", given.train[given.train >= 3])
    widths = {given.arrays(scale=True)[0].shape[1] for given in problems}
    assert widths == {6, 7}
    together = fit(problems, RECIPES[case])
    for i in (0, 11):
        assert_same(fit(problems[i : i + 1], RECIPES[case]), together[i : i + 1])


def test_members_of_an_ensemble_share_a_block_without_mixing(problem_of):
    model = REGISTRY.get("deep_ensemble")
    problems = [problem_of("regression", seed=seed) for seed in range(4)]
    together = [outcome.prediction for outcome in fit_all(model, problems, Compute(2))]
    alone = [next(iter(fit_all(model, [given]))).prediction for given in problems]
    assert_same(together, alone)


def test_the_thread_setting_is_restored(problem_of):
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    fit([problem_of("binary")], replace(RECIPES["mlp-binary"], max_epochs=lambda n: 1), threads=2)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.parametrize("case", ["mlp-binary", "resnet-regression"])
def test_validation_rows_kept_or_read_anew(case, problem_of, monkeypatch):
    problems = [problem_of(case.split("-")[1], seed=seed) for seed in range(2)]
    kept = fit(problems, RECIPES[case])
    monkeypatch.setattr(engine, "READ_AHEAD", 0)
    for a, b in zip(kept, fit(problems, RECIPES[case]), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


class Doubling(MLP):
    def forward(self, weights, buffers, x, now):
        return super().forward(weights, buffers, x * 2, now)


class DoublingInPlace(MLP):
    def forward(self, weights, buffers, x, now):
        return super().forward(weights, buffers, x.mul_(2), now)


def test_a_network_may_overwrite_its_rows(problem_of):
    problems = [problem_of("binary", seed=seed) for seed in range(2)]
    fresh, overwritten = (
        fit(problems, replace(RECIPES["mlp-binary"], network=network((8,), "glorot")))
        for network in (Doubling, DoublingInPlace)
    )
    assert_same(overwritten, fresh)
