"""Networks of the study: numbers that depend on the seed alone, and a convolution by another route."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from uqalign.models.nets.network import Pass, Sizes
from uqalign.superiority import networks
from uqalign.superiority.images import Images
from uqalign.superiority.networks import CNN, network
from uqalign.superiority.regimes import regime
from uqalign.superiority.training import batch_size, train_cell


def stripes(n: int = 160) -> Images:
    """Horizontal or vertical stripes of random brightness: easy, but not for a network that did not train."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    pattern = np.zeros((2, 6, 5))
    pattern[0, ::2], pattern[1, :, ::2] = 1, 1
    pixels = pattern[labels] * rng.uniform(80, 160, (n, 1, 1)) + rng.uniform(0, 90, (n, 6, 5))
    return Images(pixels.astype(np.uint8)[:, None], labels, n - 40, ("rows", "columns"))


@pytest.fixture(scope="module")
def together() -> list:
    return train_cell(stripes(), "stripes", regime("full", share=1, noise=0), range(4), epochs=8)


def test_training_learns(together: list) -> None:
    images = stripes()
    for run in together:
        y = images.labels[np.concatenate([run.split.validation, run.split.test])]
        right = (run.p.argmax(axis=2) == y).mean(axis=1)
        assert right[-1] == 1
        loss = -np.log(run.p[:, np.arange(len(y)), y]).mean(axis=1)
        assert loss[-1] < 0.5 * loss[0]
        np.testing.assert_allclose(run.p.sum(axis=2), 1, rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_seed_does_not_depend_on_the_others_or_on_threads(together: list, threads: int) -> None:
    chosen = regime("full", share=1, noise=0)
    for run in train_cell(stripes(), "stripes", chosen, range(1, 3), epochs=8, threads=threads):
        np.testing.assert_allclose(run.p, together[run.seed].p, atol=1e-5)
    assert not np.allclose(together[0].p, together[1].p, atol=1e-2)


def test_against_plain_torch_layers() -> None:
    net = CNN((3, 7, 6), (4, 5), 8)
    rng = np.random.RandomState(0)
    parameters = net.parameters(3 * 7 * 6, 10)
    weights = {name: torch.tensor(np.stack([p.draw(rng) for _ in range(2)])).float() for name, p in parameters.items()}
    x = torch.randn(2, 9, 3 * 7 * 6)
    output = net.forward(weights, {}, x, Pass(Sizes.of([9, 9], x.device)))
    for lane in range(2):
        h = x[lane].view(9, 3, 7, 6)
        for layer in ("0", "1"):
            h = F.relu(F.conv2d(h, weights[f"{layer}.weight"][lane], weights[f"{layer}.bias"][lane], 2, 1))
        h = F.relu(h.flatten(1) @ weights["hidden.weight"][lane] + weights["hidden.bias"][lane])
        expected = h @ weights["head.weight"][lane] + weights["head.bias"][lane]
        torch.testing.assert_close(output[lane], expected, rtol=1e-5, atol=1e-6)


def test_all_lanes_in_one_convolution() -> None:
    x, weight, bias = torch.randn(3, 4, 2, 6, 5), torch.randn(3, 7, 2, 3, 3), torch.randn(3, 7)
    one_by_one = networks.convolve(x, weight, bias)
    torch.testing.assert_close(networks.convolve_together(x, weight, bias), one_by_one, rtol=1e-5, atol=1e-5)


def test_the_small_network_is_smaller() -> None:
    sizes = []
    for small in (False, True):
        net = network((1, 28, 28), small=small)
        sizes.append(sum(int(np.prod(p.shape)) for p in net.parameters(784, 10).values()))
    assert sizes[1] < sizes[0] / 10
    assert batch_size(100) == 16
    assert batch_size(50_000) == 128
