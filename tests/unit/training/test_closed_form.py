"""Slopes in closed form against differentiation."""

import numpy as np
import pytest
import torch

from uqalign.models.nets.mlp import MLP
from uqalign.models.nets.network import ClosedForm, Noise, Pass, Sizes, noise_stream
from uqalign.models.nets.products import product, product_of_columns, product_of_rows
from uqalign.models.nets.resnet import ResNet
from uqalign.training.heads import Bernoulli, Categorical, Gaussian, MultivariateGaussian

CPU = torch.device("cpu")
COLUMNS = 3
HEADS = {
    "binary": Bernoulli(),
    "multiclass": Categorical(3),
    "regression": Gaussian(),
    "multivariate": MultivariateGaussian(2),
}
NETWORKS = {
    "mlp": MLP((7, 5), "glorot"),
    "mlp of one layer": MLP((6,), "fan_in"),
    "resnet": ResNet(width=6, blocks=2, dropout=0.3),
    "resnet without dropout": ResNet(width=6, blocks=2, dropout=0.0),
}


@pytest.fixture(autouse=True)
def double_precision():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def targets(task, shape, rng):
    y = {
        "binary": rng.integers(2, size=shape),
        "multiclass": rng.integers(3, size=shape),
        "regression": rng.normal(size=shape),
        "multivariate": rng.normal(size=(*shape, 2)),
    }[task]
    return torch.from_numpy(y.astype(float))


def stacked(parameters, lanes, rng):
    return {
        name: torch.from_numpy(np.stack([p.draw(rng) + 0.3 * rng.randn(*p.shape) for _ in range(lanes)]))
        for name, p in parameters.items()
    }


@pytest.mark.parametrize("task", HEADS)
def test_slopes_of_the_heads(task):
    head, rng = HEADS[task], np.random.default_rng(0)
    output = torch.from_numpy(3 * rng.normal(size=(2, 9, head.outputs))).requires_grad_()
    y = targets(task, (2, 9), rng)
    (expected,) = torch.autograd.grad(head.loss(output, y).sum(), output)
    torch.testing.assert_close(head.slope(output.detach(), y), expected)


@pytest.mark.parametrize("counts", [(8, 8, 8), (8, 5, 2), (8, 1, 0), (1, 1, 1)])
@pytest.mark.parametrize("task", ["binary", "regression", "multivariate"])
@pytest.mark.parametrize("name", NETWORKS)
def test_slopes_of_the_networks(name, task, counts):
    """Every weight's slope, the output and the running statistics, also with padding and with single rows."""
    assert_slopes(name, task, counts)


@pytest.mark.parametrize("counts", [(64, 64, 64), (64, 50, 20), (40, 1, 0)])
@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("name", NETWORKS)
def test_slopes_in_single_precision(name, task, counts):
    """Where compiled passes take over."""
    torch.set_default_dtype(torch.float32)
    assert_slopes(name, task, counts, rtol=1e-4, atol=2e-4)


def assert_slopes(name, task, counts, **tolerance):
    network, head = NETWORKS[name], HEADS[task]
    assert isinstance(network, ClosedForm)
    dtype = torch.get_default_dtype()
    rng = np.random.RandomState(1)
    weights = {
        name: value.to(dtype) for name, value in stacked(network.parameters(COLUMNS, head.outputs), 3, rng).items()
    }
    buffers = [
        {key: value.abs().to(dtype) for key, value in stacked(network.buffers(), 3, np.random.RandomState(2)).items()}
        for _ in "ab"
    ]
    rows = max(counts)
    x = torch.from_numpy(rng.randn(3, rows, COLUMNS)).to(dtype)
    y = targets(task, (3, rows), np.random.default_rng(0)).to(dtype)
    share = torch.tensor([[float(row < count) / max(count, 1) for row in range(rows)] for count in counts])

    def now():
        return Pass(Sizes.of(counts, CPU), Noise([noise_stream(seed, CPU) for seed in range(3)]))

    leaves = {key: value.clone().requires_grad_() for key, value in weights.items()}
    output = network.forward(leaves, buffers[0], x, now())
    expected = torch.autograd.grad((head.loss(output, y) * share).sum(), list(leaves.values()))

    found = {key: torch.full_like(value, torch.nan) for key, value in weights.items()}
    seen = []

    def slope(output):
        seen.append(output)
        return head.slope(output, y) * share.unsqueeze(-1)

    network.differentiate(weights, buffers[1], x, now(), slope, found)
    for lane, count in enumerate(counts):
        torch.testing.assert_close(seen[0][lane, :count], output.detach()[lane, :count], **tolerance)
        for key, value in zip(weights, expected, strict=True):
            torch.testing.assert_close(
                found[key][lane], value[lane], msg=lambda told, key=key: f"{key}: {told}", **tolerance
            )
    for key in buffers[0]:
        torch.testing.assert_close(buffers[1][key], buffers[0][key], **tolerance)


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_products_on_a_cpu_are_those_of_torch(columns):
    x, weight, pull = torch.randn(3, 4, 6), torch.randn(3, 6, columns), torch.randn(3, 4, columns)
    torch.testing.assert_close(product(x, weight), torch.bmm(x, weight))
    torch.testing.assert_close(product_of_rows(pull, weight), torch.bmm(pull, weight.transpose(1, 2)))
    room = torch.zeros(3, 40)
    into = room[:, 3 : 3 + 6 * columns].view(3, 6, columns)
    product_of_columns(x, pull, into)
    torch.testing.assert_close(into, torch.bmm(x.transpose(1, 2), pull))
    assert (room[:, :3] == 0).all()
    assert (room[:, 3 + 6 * columns :] == 0).all()


def test_a_lane_of_a_product_does_not_notice_the_others():
    torch.set_default_dtype(torch.float32)
    x, weight = torch.randn(5, 32, 128), torch.randn(5, 128, 128)
    together = product(x, weight)
    for lane in range(5):
        torch.testing.assert_close(
            product(x[lane : lane + 1], weight[lane : lane + 1])[0], together[lane], rtol=0, atol=0
        )
