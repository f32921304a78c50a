"""The engine on a CUDA device against itself on the CPU."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch")

from uqalign.models import mlp, tabular_networks  # noqa: E402
from uqalign.models.base import REGISTRY, Compute, Problem, fit_all  # noqa: E402
from uqalign.training.fit import fit_networks  # noqa: E402
from uqalign.training.lease import held_device  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


def problems(task, count):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 4))
    noisy = x[:, 0] + 0.3 * rng.normal(size=120)
    target = (noisy > 0).astype(float) if task == "binary" else noisy
    features = pd.DataFrame(x, columns=list("abcd"))
    made = []
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(120)
        width = 2 if task == "binary" else 1
        kinds = dict.fromkeys(features, "numeric")
        made.append(Problem(task, features, kinds, target, np.sort(order[20:]), np.sort(order[:20]), width, seed))
    return made


def few_epochs():
    """Recipes without dropout, whose masks differ between devices."""
    from uqalign.models.nets.ft_transformer import FTTransformer
    from uqalign.models.nets.resnet import ResNet
    from uqalign.models.nets.saint import SAINT

    networks = [ResNet(dropout=0), FTTransformer(dropout=0), SAINT(dropout=0)]
    recipes = [mlp.recipe("regression"), *(tabular_networks.recipe(n, "regression") for n in networks)]
    return [replace(recipe, max_epochs=lambda n: 4) for recipe in recipes]


@pytest.mark.parametrize("recipe", few_epochs(), ids=lambda recipe: type(recipe.network).__name__)
def test_both_devices_agree(recipe):
    given = problems("regression", 3)
    with held_device("cuda") as device:
        found = list(fit_networks(given, Compute(1, device), recipe))
    expected = list(fit_networks(given, Compute(1), recipe))
    for (a,), (b,) in zip(found, expected, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-3)


def test_a_module_of_ones_own_agrees_on_both_devices():
    from torch import nn

    from uqalign.models.modules import module_model

    def make(columns, outputs):
        return nn.Sequential(nn.Linear(columns, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, outputs))

    model = module_model("own", make, tasks=("regression",), epochs=4)
    given = problems("regression", 3)
    with held_device("cuda") as device:
        found = list(fit_all(model, given, Compute(1, device)))
    for a, b in zip(found, fit_all(model, given, Compute(1)), strict=True):
        assert not a.error
        for x, y in zip(a.prediction, b.prediction, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", ["FTTransformer", "SAINT"])
def test_products_in_bfloat16_are_close(kind):
    recipe = next(recipe for recipe in few_epochs() if type(recipe.network).__name__ == kind)
    given = problems("regression", 3)
    with held_device("cuda") as device:
        (mixed, single) = (
            list(fit_networks(given, Compute(1, device), replace(recipe, bfloat16_on=on))) for on in (("cuda",), ())
        )
    for (a,), (b,) in zip(mixed, single, strict=True):
        assert 0 < np.abs(a[0] - b[0]).max() < 0.3


@pytest.mark.parametrize("name", ["mlp", "deep_ensemble", "resnet", "ft_transformer", "saint"])
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_models_learn_on_the_device(name, task):
    given = problems(task, 3)
    with held_device("cuda") as device:
        outcomes = list(fit_all(REGISTRY.get(name), given, Compute(1, device)))
    for problem, outcome in zip(given, outcomes, strict=True):
        assert not outcome.error
        y = problem.target[problem.test]
        assert np.mean((outcome.prediction[0] - y) ** 2) < 0.8 * np.var(y)
