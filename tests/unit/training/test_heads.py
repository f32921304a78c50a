"""Losses and predictive distributions against torch.distributions."""

import numpy as np
import pytest
import torch
from torch import distributions as D

from uqalign.training.heads import LEAST_STD, Bernoulli, Categorical, Gaussian, MultivariateGaussian

SHAPE = (2, 6)


def reference(head, output, y):
    """Log density of `y` by an independent route, in double precision."""
    output = output.double()
    if isinstance(head, Bernoulli):
        return D.Bernoulli(logits=output[..., 0]).log_prob(y.double())
    if isinstance(head, Categorical):
        return D.Categorical(logits=output).log_prob(y)
    if isinstance(head, Gaussian):
        return D.Normal(output[..., 0], torch.nn.functional.softplus(output[..., 1]) + LEAST_STD).log_prob(y)
    size = head.size
    rows, columns = torch.tril_indices(size, size)
    factor = torch.zeros(*SHAPE, size, size, dtype=torch.float64)
    factor[..., rows, columns] = output[..., size:]
    diagonal = torch.nn.functional.softplus(factor.diagonal(dim1=-2, dim2=-1)) + LEAST_STD
    factor = factor.tril(-1) + torch.diag_embed(diagonal)
    return D.MultivariateNormal(output[..., :size], scale_tril=factor).log_prob(y.double())


CASES = [
    (Bernoulli(), lambda: torch.randint(2, SHAPE).float()),
    (Categorical(4), lambda: torch.randint(4, SHAPE).float()),
    (Gaussian(), lambda: torch.randn(SHAPE)),
    (MultivariateGaussian(1), lambda: torch.randn(*SHAPE, 1)),
    (MultivariateGaussian(2), lambda: torch.randn(*SHAPE, 2)),
    (MultivariateGaussian(5), lambda: torch.randn(*SHAPE, 5)),
]
IDS = [str(head) for head, _ in CASES]


@pytest.mark.parametrize(("head", "target"), CASES, ids=IDS)
def test_loss_is_the_negative_log_likelihood(head, target):
    torch.manual_seed(0)
    output, y = 2 * torch.randn(*SHAPE, head.outputs), target()
    loss = head.loss(output, y)
    assert loss.shape == SHAPE
    torch.testing.assert_close(loss.double(), -reference(head, output, y), atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize(("head", "target"), CASES, ids=IDS)
def test_the_distribution_is_the_one_the_loss_is_about(head, target):
    torch.manual_seed(0)
    output, y = 2 * torch.randn(*SHAPE, head.outputs).double(), target()
    expected = reference(head, output, y).flatten().numpy()
    parameters = head.distribution(output.flatten(0, 1).numpy())
    y = y.flatten(0, 1).double().numpy()
    if isinstance(head, Bernoulli | Categorical):
        found = np.log(parameters[0][np.arange(len(y)), y.astype(int)])
    elif isinstance(head, Gaussian):
        found = D.Normal(*(torch.tensor(p) for p in (parameters[0], np.sqrt(parameters[1])))).log_prob(torch.tensor(y))
    else:
        mean, cov = map(torch.tensor, parameters)
        found = D.MultivariateNormal(mean, cov).log_prob(torch.tensor(y))
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_extreme_logits_are_finite():
    output = np.array([[800.0], [-800.0], [0.0]])
    np.testing.assert_array_equal(Bernoulli().distribution(output)[0], [[0, 1], [1, 0], [0.5, 0.5]])
    three = Categorical(3).distribution(np.array([[1e4, 0.0, -1e4]]))[0]
    np.testing.assert_array_equal(three, [[1, 0, 0]])
    _, var = Gaussian().distribution(np.array([[0.0, -800.0], [0.0, 800.0]]))
    np.testing.assert_allclose(var, [LEAST_STD**2, (800 + LEAST_STD) ** 2])


def test_hits():
    assert Bernoulli().hits(torch.tensor([[[0.1], [-0.1], [0.0]]]), torch.tensor([[1.0, 1.0, 1.0]])).tolist() == [
        [True, False, False]
    ]
    output = torch.tensor([[[0.0, 2.0, 1.0], [3.0, 3.0, 0.0]]])
    assert Categorical(3).hits(output, torch.tensor([[1.0, 1.0]])).tolist() == [[True, False]]
    with pytest.raises(ValueError, match="score='loss'"):
        Gaussian().hits(torch.zeros(1, 1, 2), torch.zeros(1, 1))
