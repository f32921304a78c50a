"""The engine against a plain loop over single networks with the same weights, shuffles and masks of dropout."""

import contextlib
import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from scipy import stats

import peers
from uqalign.models import mlp, tabular_networks
from uqalign.models.nets.ft_transformer import FTTransformer
from uqalign.models.nets.network import Noise
from uqalign.models.nets.resnet import ResNet
from uqalign.models.nets.saint import SAINT
from uqalign.training.engine import train
from uqalign.training.replicate import Replicate
from uqalign.training.rows import prepare
from uqalign.training.store import Store

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def double_precision():
    """In single precision Adam turns the rounding noise of slopes that are zero (biases ahead of a batch normalisation)
    into steps of full length, other ones on either side."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


DROPOUT = 0.25
SMALL = {"batch_size": lambda n: 16, "max_epochs": lambda n: 5}
RECIPES = {
    "mlp-binary": mlp.recipe("binary"),
    "mlp-multiclass": mlp.recipe("multiclass"),
    "mlp-regression": mlp.recipe("regression"),
    "mlp-multivariate": mlp.recipe("multivariate"),
    "resnet-binary": tabular_networks.recipe(ResNet(dropout=DROPOUT), "binary"),
    "resnet-regression": tabular_networks.recipe(ResNet(dropout=DROPOUT), "regression"),
    "ft_transformer-binary": tabular_networks.recipe(FTTransformer(dropout=DROPOUT), "binary"),
    "ft_transformer-regression": tabular_networks.recipe(FTTransformer(dropout=DROPOUT), "regression"),
    "saint-binary": tabular_networks.recipe(SAINT(dropout=DROPOUT), "binary"),
    "saint-regression": tabular_networks.recipe(SAINT(dropout=DROPOUT), "regression"),
}


@pytest.fixture
def masks(monkeypatch):
    """The masks of dropout that each lane of a block draws, in order."""
    drawn = {}
    draw = Noise.mask

    def record(noise, like, probability, counts):
        mask = draw(noise, like, probability, counts)
        for lane, (count, kept) in enumerate(zip(counts, mask.ones(like), strict=True)):
            if count:
                drawn.setdefault(lane, []).append(kept[:count])
        return mask

    monkeypatch.setattr(Noise, "mask", record)
    return drawn


@contextlib.contextmanager
def torch_drops_by(masks):
    """Torch's layers take these masks, instead of their own, one after another."""
    left = iter(masks)

    def dropout(x, p, training=True, inplace=False):
        if not (training and p):
            return x
        given = next(left)
        # Of a last layer the engine computes the first token alone: what happens to the others is never read.
        mask = torch.ones(x.shape)
        mask[tuple(slice(length) for length in given.shape)] = given
        return x * mask / (1 - p)

    def attend(query, key, value, attn_mask, dropout_p, is_causal):
        shares = torch.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5, dim=-1)
        return dropout(shares, dropout_p) @ value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(F, "dropout", dropout)
        patch.setattr(F, "scaled_dot_product_attention", attend)
        yield
    assert not list(left)


def plain_output(rows, seed, recipe, name, task, masks=()):
    """(n_test, outputs) of one network trained alone by torch's own layers, losses and optimisers.

    Args:
        masks: of dropout, in order; none for a network without.
    """
    twin = Replicate(rows, seed, recipe, CPU)
    kind = peers.NETWORKS[name]
    outputs = rows.head.outputs
    x, y = (values.to(torch.get_default_dtype()) for values in (peers.matrix(rows.problem), torch.from_numpy(rows.y)))
    dropout = {} if name == "mlp" else {"dropout": recipe.network.dropout}
    network = kind(x.shape[1], outputs, **dropout)
    network.load(twin.weights)
    n = rows.n_train
    with torch_drops_by(masks):
        peers.fit(
            network,
            recipe,
            peers.LOSSES[task],
            (x[:n], y),
            (x[twin.validation], y[twin.validation]),
            batch=twin.batch,
            max_epochs=twin.max_epochs,
            orders=(twin.shuffle() for _ in itertools.count()),
        )
    with torch.no_grad():
        return network(x[n:]).numpy()


@pytest.mark.parametrize("name", ["resnet", "ft_transformer", "saint"])
def test_initial_weights_follow_torchs_laws(name, problem_of):
    """The engine draws weights of its own: torch's uniform laws within the same bounds, and the same constants."""
    torch.manual_seed(0)
    rows = prepare(problem_of("binary"))

    def values(network):
        return {key: weight.detach().flatten().clone() for key, weight in network.named_parameters()}

    drawn = []
    for seed in range(40):
        network = peers.NETWORKS[name](rows.learned.columns, rows.head.outputs)
        theirs = values(network)
        network.load(Replicate(rows, seed, RECIPES[f"{name}-binary"], CPU).weights)
        drawn.append((theirs, values(network)))
    for key in drawn[0][0]:
        theirs, ours = (torch.cat([pair[side][key] for pair in drawn]).numpy() for side in (0, 1))
        if np.ptp(theirs) == 0:
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert stats.ks_2samp(ours, theirs).pvalue > 1e-4, key
            np.testing.assert_allclose(np.abs(ours).max(), np.abs(theirs).max(), rtol=0.15)


def largest_difference(case, problem_of, masks):
    """Between the outputs of three fits together and those of the same fits in plain torch."""
    name, task = case.split("-")
    recipe = replace(RECIPES[case], **SMALL)
    # 75, 74 and 73 training rows: last batches of different sizes, one lane with a step less. SAINT's lanes share a
    # length, for rows see each other.
    sizes = (15, 15, 15) if name == "saint" else (15, 16, 28)
    tables = [prepare(problem_of(task, seed=seed, n_test=size)) for seed, size in enumerate(sizes)]
    replicates = [Replicate(rows, seed, recipe, CPU) for seed, rows in enumerate(tables)]
    train(replicates, Store(tables, CPU), CPU)
    expected = (plain_output(rows, seed, recipe, name, task, masks.get(seed, ())) for seed, rows in enumerate(tables))
    return max(np.abs(r.output - e).max() for r, e in zip(replicates, expected, strict=True))


@pytest.mark.parametrize("case", RECIPES)
def test_a_block_equals_single_fits_in_plain_torch(case, problem_of, masks):
    assert largest_difference(case, problem_of, masks) < 1e-7


@pytest.mark.parametrize("case", [case for case in RECIPES if "resnet" not in case])
def test_single_precision_adds_rounding_only(case, problem_of, masks):
    torch.set_default_dtype(torch.float32)
    assert largest_difference(case, problem_of, masks) < 2e-5


def test_gradients_are_clipped_and_the_rate_follows_the_cosine(problem_of):
    """The recipe's settings take effect: without them the numbers differ from the reference."""
    rows = prepare(problem_of("regression"))
    resnet = tabular_networks.recipe(ResNet(dropout=0), "regression")
    recipe = replace(resnet, gradient_norm=0.05, cosine_epochs=5, **SMALL)

    def output(recipe):
        replicate = Replicate(rows, 1, recipe, CPU)
        train([replicate], Store([rows], CPU), CPU)
        return replicate.output

    expected = plain_output(rows, 1, recipe, "resnet", "regression")
    np.testing.assert_allclose(output(recipe), expected, rtol=1e-7, atol=1e-7)
    for other in ({"gradient_norm": None}, {"cosine_epochs": None}, {"learning_rate": 2e-3}, {"weight_decay": 0.5}):
        assert np.abs(output(replace(recipe, **other)) - expected).max() > 1e-4


def test_a_training_set_smaller_than_a_batch_is_one_batch(problem_of):
    rows = prepare(problem_of("binary", n=25, n_test=5))
    recipe = replace(mlp.recipe("binary"), max_epochs=lambda n: 4)
    replicate = Replicate(rows, 3, recipe, CPU)
    assert replicate.batch == replicate.lengths[0] == 18
    train([replicate], Store([rows], CPU), CPU)
    expected = plain_output(rows, 3, recipe, "mlp", "binary")
    np.testing.assert_allclose(replicate.output, expected, rtol=1e-7, atol=1e-7)
