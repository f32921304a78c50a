"""Layers over stacked lanes: `x` is (R, rows, ...), every weight has a leading axis of R."""

from __future__ import annotations

import math
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets import passes
from uqalign.models.nets.network import Parameter, Pass, Sizes, Tensors


def linear_parameters(name: str, inputs: int, outputs: int) -> dict[str, Parameter]:
    """Weight and bias with torch's defaults for a linear layer."""
    bound = 1 / math.sqrt(inputs)
    return {f"{name}.weight": Parameter((inputs, outputs), bound), f"{name}.bias": Parameter((outputs,), bound)}


def linear(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """(R, ..., inputs) to (R, ..., outputs)."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"].unsqueeze(1)
    flat = x if x.ndim == 3 else x.reshape(x.shape[0], -1, x.shape[-1])
    if weight.shape[-1] == 1:
        # A product with a single column takes another path for one lane than for many, with other rounding.
        y = (flat * weight.transpose(1, 2)).sum(-1, keepdim=True) + bias
    else:
        y = torch.baddbmm(bias, flat, weight)
    return y if x.ndim == 3 else y.view(*x.shape[:-1], weight.shape[-1])


def norm_parameters(name: str, width: int) -> dict[str, Parameter]:
    """Scale and shift of a normalisation layer."""
    return {f"{name}.weight": Parameter((width,), value=1.0), f"{name}.bias": Parameter((width,))}


def _scale_and_shift(weights: Tensors, name: str, x: Tensor) -> Tensor:
    shape = (x.shape[0], *([1] * (x.ndim - 2)), x.shape[-1])
    return torch.addcmul(weights[f"{name}.bias"].view(shape), x, weights[f"{name}.weight"].view(shape))


def layer_norm(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """Each vector of the last axis to mean 0 and variance 1, then scaled and shifted."""
    return _scale_and_shift(weights, name, F.layer_norm(x, (x.shape[-1],)))


EPSILON = 1e-5


def batch_norm_buffers(name: str, width: int) -> dict[str, Parameter]:
    """Running statistics of a batch normalisation layer."""
    return {f"{name}.mean": Parameter((width,)), f"{name}.var": Parameter((width,), value=1.0)}


def centre(x: Tensor, running_mean: Tensor, running_var: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """Rows (R, n, width) to mean 0, and the factor (R, 1, width) that would take their variance to 1; padding is zero.

    The running statistics (R, 1, width) follow; they serve, unchanged, where a lane has a single row.
    """
    centred, mean, var = passes.centre(x, sizes)
    if min(sizes.counts) < 2:
        mean, var = (
            torch.where(sizes.momentum > 0, new, running) for new, running in ((mean, running_mean), (var, running_var))
        )
        centred = sizes.clear(x - mean)
    running_mean.lerp_(mean, sizes.momentum.expand_as(mean))
    running_var.lerp_(var * sizes.unbiased, sizes.momentum.expand_as(var))
    return centred, var.add_(EPSILON).rsqrt_()


class _BatchNorm(torch.autograd.Function):
    """Normalisation by batch statistics; the derivative in closed form takes a third of the memory traffic."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, sizes: Sizes
    ) -> Tensor:
        centred, scale = centre(x if sizes.tail is None else sizes.clear(x.clone()), running_mean, running_var, sizes)
        normal = centred.mul_(scale)
        ctx.save_for_backward(normal, weight * scale)
        ctx.sizes = sizes
        return torch.addcmul(bias, normal, weight)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        normal, scale = ctx.saved_tensors
        sizes: Sizes = ctx.sizes
        if sizes.tail is not None:
            slope = sizes.clear(slope.clone())
        bias = slope.sum(1, keepdim=True)
        weight = (slope * normal).sum(1, keepdim=True)
        share = scale * -sizes.slope
        x = torch.addcmul(share * bias, slope, scale).addcmul_(normal, share * weight)
        return sizes.clear(x), weight, bias, None, None, None


def batch_norm(weights: Tensors, buffers: Tensors, name: str, x: Tensor, now: Pass) -> Tensor:
    """Batch normalisation of `x` (R, rows, width), each lane by the statistics of its own rows in use.

    A lane with a single row has no spread: it is normalised by its running statistics and leaves them as they are.
    """
    weight, bias = weights[f"{name}.weight"].unsqueeze(1), weights[f"{name}.bias"].unsqueeze(1)
    mean, var = buffers[f"{name}.mean"].unsqueeze(1), buffers[f"{name}.var"].unsqueeze(1)
    if now.training:
        normal = _BatchNorm.apply(x, weight, bias, mean, var, now.sizes)  # type: ignore[no-untyped-call]
        return cast(Tensor, normal)
    scale = weight * torch.rsqrt(var + EPSILON)
    return torch.addcmul(bias - mean * scale, x, scale)
