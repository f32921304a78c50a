"""Products in bfloat16, here forced on the CPU."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from uqalign.models import tabular_networks
from uqalign.models.base import Compute
from uqalign.models.nets.ft_transformer import FTTransformer
from uqalign.models.nets.resnet import ResNet
from uqalign.models.nets.saint import SAINT
from uqalign.training.fit import fit_networks

SHORT = {"max_epochs": lambda n: 6}
RECIPES = {
    "ft_transformer-binary": replace(tabular_networks.recipe(FTTransformer(), "binary"), **SHORT),
    "saint-regression": replace(tabular_networks.recipe(SAINT(), "regression"), **SHORT),
}


@pytest.mark.parametrize("case", RECIPES)
def test_predictions_are_close_to_those_in_single_precision(case, problem_of, monkeypatch):
    problems = [problem_of(case.split("-")[1], seed=seed) for seed in range(3)]
    seen = set()
    forward = type(RECIPES[case].network).forward

    def spied(self, weights, buffers, x, now):
        output = forward(self, weights, buffers, x, now)
        seen.add((torch.is_autocast_enabled("cpu"), {w.dtype for w in weights.values()} == {torch.float32}))
        return output

    monkeypatch.setattr(type(RECIPES[case].network), "forward", spied)

    def fit(**settings):
        seen.clear()
        return [only for (only,) in fit_networks(problems, Compute(1), replace(RECIPES[case], **settings))]

    single = fit()
    assert seen == {(False, True)}
    np.testing.assert_array_equal(fit(bfloat16_on=("cuda",))[0][0], single[0][0])
    assert seen == {(False, True)}
    mixed = fit(bfloat16_on=("cpu",))
    assert seen == {(True, True)}
    for a, b in zip(mixed, single, strict=True):
        assert np.abs(a[0] - b[0]).max() > 1e-6
        assert np.corrcoef(a[0][:, -1] if a[0].ndim > 1 else a[0], b[0][:, -1] if b[0].ndim > 1 else b[0])[0, 1] > 0.95


def test_networks_with_slopes_in_closed_form_stay_in_single_precision(problem_of):
    recipe = replace(tabular_networks.recipe(ResNet(), "regression"), **SHORT)
    given = [problem_of("regression")]
    ((mixed,),) = fit_networks(given, Compute(1), replace(recipe, bfloat16_on=("cpu",)))
    ((single,),) = fit_networks(given, Compute(1), recipe)
    np.testing.assert_array_equal(mixed, single)


def test_a_model_hands_it_to_its_recipe(problem_of):
    given = [problem_of("binary")]
    network = FTTransformer(width=16, layers=1)
    (mixed,) = tabular_networks.fit(given, Compute(1), network, bfloat16_on=("cpu",))
    (single,) = tabular_networks.fit(given, Compute(1), network)
    assert np.abs(mixed[0] - single[0]).max() > 1e-6
