"""Sparse variational Gaussian processes: the replicates of a block are the lanes of one batch of dense tensors.

Each lane has its own kernel, inducing points, variational distribution and random numbers. The lanes' losses are summed
and Adam works number by number, so nothing crosses from lane to lane. The operations below are also chosen to round a
lane the same way whatever its place and its company: sums instead of matrix-vector products, functions without a
separate remainder loop, lanes aligned in memory. On a CPU a lane's fit is then bit for bit what it would be alone.

The model is gpytorch's `ApproximateGP` with a whitened `VariationalStrategy`, with the same parametrisation and initial
values; the tests hold it against that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from uqalign.checks import FloatArray
from uqalign.models.gp import batch_size, inducing_points

EPOCHS, LEARNING_RATE = 100, 5e-3
LEAST_NOISE = 1e-4
LEAST_VARIANCE = 1e-10
ALIGNMENT = 16
"""Single-precision numbers in 64 bytes: matrix products may round by where in memory a matrix starts."""
TEST_ROWS = 2048
"""Test rows per prediction step."""

_NODES, _WEIGHTS = np.polynomial.hermite.hermgauss(20)
NODES, WEIGHTS = math.sqrt(2) * _NODES, _WEIGHTS / math.sqrt(math.pi)
"""Gauss-Hermite quadrature of a standard normal expectation."""


def softplus(x: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(x)) by functions that round alike at every position of a tensor; torch's own does not."""
    return torch.log1p(torch.exp(x.clamp(max=30))) + (x - 30).clamp(min=0)


class _Conditional(torch.autograd.Function):
    """Mean and variance of f(x) by way of the inducing points, beyond the prior's, with slopes in closed form.

    `points` (R, m + b, P), over their length scales, are the inducing points z and then x. With K = k(z, z) + jitter, L
    its Cholesky factor, P = k(x, z) L^-T, S the root of q(v)'s covariance and M = S S' - I: P w and the diagonal of
    P M P'. Since dP = dmean w' + 2 dvariance P M, the slope in L needs P' dP = (P' dmean) w' + 2 (P' dvariance P) M
    alone, products of m x m matrices, and the slope in K is -1/2 L^-T sym(dP' P) L^-1, where sym mirrors the lower
    triangle (Murray 2016, Differentiation of the Cholesky decomposition). Points are rows throughout, which the solver
    takes without transposing them.
    """

    @staticmethod
    def forward(
        ctx: Any, points: torch.Tensor, scale: torch.Tensor, weight: torch.Tensor, root: torch.Tensor, jitter: float
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        m = weight.shape[1]
        identity = torch.eye(m, dtype=points.dtype, device=points.device)
        halves = (points * points).sum(2) * -0.5
        kernel = halves[:, :, None] + halves[:, None, :m]
        kernel.baddbmm_(points, points[:, :m].mT).clamp_max_(0).exp_().mul_(scale)
        cholesky, info = torch.linalg.cholesky_ex(kernel[:, :m] + jitter * identity)
        rows = torch.linalg.solve_triangular(cholesky.contiguous(), kernel[:, m:].mT, upper=False).mT
        beyond = torch.baddbmm(identity, root, root.mT, beta=-1)
        spread = rows @ beyond
        ctx.save_for_backward(points, scale, weight, root, kernel, cholesky, rows, beyond, spread)
        failed = info > 0
        ctx.mark_non_differentiable(failed)
        return (rows * weight[:, None, :]).sum(2), (rows * spread).sum(2), failed

    @staticmethod
    def backward(ctx: Any, mean: torch.Tensor, variance: torch.Tensor, _: torch.Tensor) -> tuple[Any, ...]:
        points, scale, weight, root, kernel, cholesky, rows, beyond, spread = ctx.saved_tensors
        m = weight.shape[1]
        mean, variance = mean[:, :, None], variance[:, :, None]
        squares = (rows * variance).mT @ rows
        pull = (rows * mean).sum(1)
        lower = torch.baddbmm(weight[:, :, None] * pull[:, None, :], beyond, squares, alpha=2).tril_()
        inner = lower + lower.tril(-1).mT
        for _side in range(2):  # symmetric, so that each solution is the transpose of the other side's
            inner = torch.linalg.solve_triangular(cholesky, inner.mT, upper=False, left=False)
        outer = torch.addcmul(mean * weight[:, None, :], spread, variance, value=2)
        outer = torch.linalg.solve_triangular(cholesky.mT, outer.mT, upper=True).mT
        slope = torch.empty_like(kernel)
        torch.mul(inner.mul_(-0.5), kernel[:, :m], out=slope[:, :m])
        torch.mul(outer, kernel[:, m:], out=slope[:, m:])
        of_points = (slope @ points[:, :m]).addcmul_(points, slope.sum(2)[:, :, None], value=-1)
        of_points[:, :m] += (slope.mT @ points).addcmul_(points[:, :m], slope.sum(1)[:, :, None], value=-1)
        return of_points, slope.sum((1, 2), keepdim=True) / scale, pull, (squares @ root).mul_(2), None


@dataclass(frozen=True)
class Lane:
    """One replicate: its numbers and its seed.

    Attributes:
        x, y: (n, P) standardised features; (n,) labels in {0, 1} or standardised targets.
        x_test: (m, P).
    """

    x: FloatArray
    y: FloatArray
    x_test: FloatArray
    seed: int


@dataclass(frozen=True)
class Numerics:
    """How carefully to calculate."""

    dtype: torch.dtype
    jitter: float


class SparseGP:
    """The parameters of R lanes, a row of `values` each, and what follows from them.

    Args:
        inducing: (R, M, P) initial inducing points.
        jitter: independent variance that the prior has at every point, for the sake of its Cholesky factor.
    """

    def __init__(self, inducing: torch.Tensor, jitter: float) -> None:
        lanes, self.m, self.features = inducing.shape
        self.jitter = jitter
        root = torch.eye(self.m, dtype=inducing.dtype, device=inducing.device).flatten().expand(lanes, -1)
        others = inducing.new_zeros(lanes, self.m + self.features + 3)
        self.values = torch.cat([inducing.flatten(1), root, others], dim=1)
        self.unpack()

    def unpack(self) -> None:
        """Name the parts of `values`, once more after each change of it."""
        m, features = self.m, self.features
        inducing, root, self.whitened_mean, lengthscale, outputscale, self.raw_noise, self.mean = torch.split(
            self.values, [m * features, m * m, m, features, 1, 1, 1], dim=1
        )
        self.inducing, self.whitened_root = inducing.view(-1, m, features), root.view(-1, m, m)
        self.raw_lengthscale, self.raw_outputscale = lengthscale[:, None, :], outputscale[:, :, None]

    def to_double(self) -> SparseGP:
        """A copy without gradients in double precision."""
        copy = SparseGP(self.inducing.detach().double(), self.jitter)
        copy.values = self.values.detach().double()
        copy.unpack()
        return copy

    def noise(self) -> torch.Tensor:
        """(R, 1) variance of observations around the function."""
        return softplus(self.raw_noise) + LEAST_NOISE

    def root(self) -> torch.Tensor:
        """(R, M, M) lower triangular root of the covariance of q(v), f(inducing) = mean + chol(K) v."""
        return self.whitened_root.tril()

    def latent(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """q(f(x)): (R, b) means and variances of the (R, b, P) points; (R,) whether the Cholesky factor failed."""
        lengthscale, outputscale = softplus(self.raw_lengthscale), softplus(self.raw_outputscale)
        points = torch.cat([self.inducing, x], dim=1) / lengthscale
        conditional = _Conditional.apply(points, outputscale, self.whitened_mean, self.root(), self.jitter)  # type: ignore[no-untyped-call]
        mean, excess, failed = conditional
        variance = outputscale[:, 0] + self.jitter + excess
        return self.mean + mean, variance.clamp_min(LEAST_VARIANCE), failed

    def divergence(self) -> torch.Tensor:
        """(R,) KL divergence of q from the prior."""
        root = self.root()
        traces = root.square().sum(2).sum(1) + self.whitened_mean.square().sum(1)
        return 0.5 * (traces - self.m) - root.diagonal(dim1=1, dim2=2).abs().log().sum(1)

    def expected_log_likelihood(
        self, mean: torch.Tensor, variance: torch.Tensor, y: torch.Tensor, binary: bool
    ) -> torch.Tensor:
        """(R, b) E log p(y | f), f ~ N(mean, variance)."""
        if not binary:
            noise = self.noise()
            return -0.5 * (((y - mean).square() + variance) / noise + noise.log() + math.log(2 * math.pi))
        nodes = torch.as_tensor(NODES, dtype=mean.dtype, device=mean.device)
        weights = torch.as_tensor(WEIGHTS, dtype=mean.dtype, device=mean.device)
        f = mean[:, :, None] + variance.sqrt()[:, :, None] * nodes
        expected: torch.Tensor = (torch.special.log_ndtr(f * (2 * y - 1)[:, :, None]) * weights).sum(2)
        return expected


def padded(features: int) -> int:
    """Columns that `features` columns take: columns of zeros change no distance, and keep lanes aligned in memory."""
    return -(-features // ALIGNMENT) * ALIGNMENT


def _stacked(arrays: Sequence[FloatArray], device: torch.device) -> torch.Tensor:
    """(R, rows, columns): the arrays of every lane, filled up with zeros to equal shapes."""
    rows, columns = max(len(array) for array in arrays), padded(arrays[0].shape[1])
    return torch.as_tensor(
        np.stack([np.pad(array, ((0, rows - len(array)), (0, columns - array.shape[1]))) for array in arrays]),
        device=device,
    )


def train(
    lanes: Sequence[Lane], *, binary: bool, numerics: Numerics, device: torch.device, epochs: int = EPOCHS
) -> tuple[SparseGP, torch.Tensor]:
    """The fitted processes and (R,) which of them failed on the way.

    Args:
        lanes: replicates with equal numbers of training rows and of columns once padded.
    """
    n = len(lanes[0].y)
    generators = [torch.Generator().manual_seed(int(lane.seed)) for lane in lanes]

    def orders() -> torch.Tensor:
        return torch.stack([torch.randperm(n, generator=generator) for generator in generators]).to(device)

    x = _stacked([lane.x for lane in lanes], device).to(numerics.dtype)
    y = torch.stack([torch.as_tensor(lane.y) for lane in lanes]).to(device, numerics.dtype)
    rows = torch.arange(len(lanes), device=device)[:, None]
    model = SparseGP(x[rows, orders()[:, : inducing_points(n)]], numerics.jitter)
    failed = torch.zeros(len(lanes), dtype=torch.bool, device=device)
    # A lane is a parameter of its own, so that the optimiser's kernel treats it as if it were alone.
    parameters = list(model.values.unbind())
    optimiser = torch.optim.Adam(parameters, lr=LEARNING_RATE, fused=True)
    for _ in range(epochs):
        for batch in torch.split(orders(), batch_size(n), dim=1):
            # A row counted twice is the same mean, without a matrix-vector product.
            batch = batch if batch.shape[1] > 1 else batch.expand(-1, 2)
            model.values = model.values.detach().requires_grad_()
            model.unpack()
            mean, variance, broken = model.latent(x[rows, batch])
            failed |= broken
            fit = model.expected_log_likelihood(mean, variance, y[rows, batch], binary).mean(1)
            (slopes,) = torch.autograd.grad((model.divergence() / n - fit).sum(), model.values)
            for parameter, slope in zip(parameters, slopes, strict=True):
                parameter.grad = slope
            optimiser.step()
    model.values = model.values.detach()
    model.unpack()
    return model, failed


def predict(model: SparseGP, lanes: Sequence[Lane], *, binary: bool) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mean and variance (R, longest test) of observations (of the function, for labels), and (R,) which lanes failed.

    Always in double precision: predictions are made once, and rows must not depend on what is computed beside them.
    """
    model = model.to_double()
    means, variances = [], []
    tests = _stacked([lane.x_test for lane in lanes], model.inducing.device)
    for x in torch.split(tests, TEST_ROWS, dim=1):
        mean, variance, failed = model.latent(x)
        means.append(mean)
        variances.append(variance if binary else variance + model.noise())
    return torch.cat(means, dim=1), torch.cat(variances, dim=1), failed


def fit_block(
    lanes: Sequence[Lane], *, binary: bool, numerics: Numerics, device: torch.device
) -> list[tuple[FloatArray, FloatArray] | None]:
    """Mean and variance of each lane's test rows: of the latent function of labels, or of standardised observations.

    None in place of a lane whose prior covariance had no Cholesky factor or whose numbers left the finite ones.
    """
    model, broken = train(lanes, binary=binary, numerics=numerics, device=device)
    mean, variance, unpredictable = predict(model, lanes, binary=binary)
    failed = (broken | unpredictable).tolist()
    results: list[tuple[FloatArray, FloatArray] | None] = []
    for r, lane in enumerate(lanes):
        pair = (mean[r, : len(lane.x_test)].cpu().numpy(), variance[r, : len(lane.x_test)].cpu().numpy())
        results.append(pair if not failed[r] and all(np.isfinite(values).all() for values in pair) else None)
    return results
