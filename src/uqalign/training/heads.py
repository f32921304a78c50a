"""From a network's last layer to a loss and to a predictive distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.checks import FloatArray

LEAST_STD = 1e-6
HALF_LOG_TAU = 0.9189385332046727
"""log(2 pi) / 2."""


class Head(Protocol):
    """What the last layer means.

    Attributes:
        outputs: its width.
    """

    @property
    def outputs(self) -> int: ...

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        """(R, rows) negative log-likelihood of `y` under `output` (R, rows, outputs)."""
        ...

    def slope(self, output: Tensor, y: Tensor) -> Tensor:
        """(R, rows, outputs) derivatives of each row's loss in its outputs."""
        ...

    def hits(self, output: Tensor, y: Tensor) -> Tensor:
        """(R, rows) whether the likeliest class is the true one."""
        ...

    def distribution(self, output: FloatArray) -> tuple[FloatArray, ...]:
        """Parameters of the predictive distribution of each row of `output` (n, outputs)."""
        ...


def _slope(head: Head, output: Tensor, y: Tensor) -> Tensor:
    """`Head.slope` by differentiation of the loss."""
    with torch.enable_grad():
        leaf = output.detach().requires_grad_()
        return torch.autograd.grad(head.loss(leaf, y).sum(), leaf)[0]


def _softplus(x: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, x)


@dataclass(frozen=True)
class Bernoulli:
    """One logit; `y` is 0 or 1."""

    outputs: int = 1

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(output.squeeze(-1), y, reduction="none")

    def slope(self, output: Tensor, y: Tensor) -> Tensor:
        return torch.sigmoid(output).sub_(y.unsqueeze(-1))

    def hits(self, output: Tensor, y: Tensor) -> Tensor:
        return (output.squeeze(-1) > 0) == (y > 0.5)

    def distribution(self, output: FloatArray) -> tuple[FloatArray, ...]:
        """(n, 2) class probabilities."""
        p = np.exp(-_softplus(-output[:, 0]))
        return (np.column_stack([1 - p, p]),)


@dataclass(frozen=True)
class Categorical:
    """A logit per class; `y` is a class position."""

    outputs: int

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(output.flatten(0, 1), y.flatten().long(), reduction="none").view(y.shape)

    def slope(self, output: Tensor, y: Tensor) -> Tensor:
        return _slope(self, output, y)

    def hits(self, output: Tensor, y: Tensor) -> Tensor:
        return output.argmax(-1) == y.long()

    def distribution(self, output: FloatArray) -> tuple[FloatArray, ...]:
        """(n, K) class probabilities."""
        p = np.exp(output - output.max(axis=1, keepdims=True))
        return (p / p.sum(axis=1, keepdims=True),)


class _Continuous:
    def hits(self, output: Tensor, y: Tensor) -> Tensor:
        raise ValueError("accuracy is a score for classes: let a regression recipe use score='loss'")


@dataclass(frozen=True)
class Gaussian(_Continuous):
    """Mean, and standard deviation softplus(s) + 1e-6."""

    outputs: int = 2

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        mean, raw = output.unbind(-1)
        std = F.softplus(raw) + LEAST_STD
        return ((y - mean) / std).square() * 0.5 + std.log() + HALF_LOG_TAU

    def slope(self, output: Tensor, y: Tensor) -> Tensor:
        mean, raw = output.unbind(-1)
        std = F.softplus(raw) + LEAST_STD
        residual = (mean - y) / std
        return torch.stack([residual / std, torch.sigmoid(raw) * (1 - residual.square()) / std], dim=-1)

    def distribution(self, output: FloatArray) -> tuple[FloatArray, ...]:
        """(n,) means and (n,) variances."""
        return output[:, 0], (_softplus(output[:, 1]) + LEAST_STD) ** 2


@dataclass(frozen=True)
class MultivariateGaussian(_Continuous):
    """Mean, and the Cholesky factor of the covariance by rows, its diagonal softplus(s) + 1e-6."""

    size: int

    @property
    def outputs(self) -> int:
        return self.size + self.size * (self.size + 1) // 2

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        residual = y - output[..., : self.size]
        factor = output[..., self.size :]
        solved: list[Tensor] = []
        loss = torch.full_like(y[..., 0], self.size * HALF_LOG_TAU)
        start = 0
        for d in range(self.size):
            # Forward substitution: the sizes at hand are far too small for a batched triangular solver.
            remainder = residual[..., d]
            for j, earlier in enumerate(solved):
                remainder = remainder - factor[..., start + j] * earlier
            std = F.softplus(factor[..., start + d]) + LEAST_STD
            solved.append(remainder / std)
            loss = loss + solved[-1].square() * 0.5 + std.log()
            start += d + 1
        return loss

    def slope(self, output: Tensor, y: Tensor) -> Tensor:
        return _slope(self, output, y)

    def distribution(self, output: FloatArray) -> tuple[FloatArray, ...]:
        """(n, D) means and (n, D, D) covariances."""
        factor = np.zeros((len(output), self.size, self.size))
        rows, columns = np.tril_indices(self.size)
        factor[:, rows, columns] = output[:, self.size :]
        diagonal = np.arange(self.size)
        factor[:, diagonal, diagonal] = _softplus(factor[:, diagonal, diagonal]) + LEAST_STD
        return output[:, : self.size], factor @ factor.transpose(0, 2, 1)
