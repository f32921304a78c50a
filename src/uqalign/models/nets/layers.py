"""Layers over stacked lanes: `x` is (R, rows, ...), every weight has a leading axis of R."""

from __future__ import annotations

import math
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets.network import Parameter, Pass, Tensors


def linear_parameters(name: str, inputs: int, outputs: int) -> dict[str, Parameter]:
    """Weight and bias with torch's defaults for a linear layer."""
    bound = 1 / math.sqrt(inputs)
    return {f"{name}.weight": Parameter((inputs, outputs), bound), f"{name}.bias": Parameter((outputs,), bound)}


def linear(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """(R, ..., inputs) to (R, ..., outputs)."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    flat = x.reshape(x.shape[0], -1, x.shape[-1])
    if weight.shape[-1] == 1:
        # A product with a single column takes another path for one lane than for many, with other rounding.
        y = (flat * weight.transpose(1, 2)).sum(-1, keepdim=True) + bias.unsqueeze(1)
    else:
        y = torch.baddbmm(bias.unsqueeze(1), flat, weight)
    return y.view(*x.shape[:-1], weight.shape[-1])


def norm_parameters(name: str, width: int) -> dict[str, Parameter]:
    """Scale and shift of a normalisation layer."""
    return {f"{name}.weight": Parameter((width,), value=1.0), f"{name}.bias": Parameter((width,))}


def _scale_and_shift(weights: Tensors, name: str, x: Tensor) -> Tensor:
    shape = (x.shape[0], *([1] * (x.ndim - 2)), x.shape[-1])
    return torch.addcmul(weights[f"{name}.bias"].view(shape), x, weights[f"{name}.weight"].view(shape))


def layer_norm(weights: Tensors, name: str, x: Tensor) -> Tensor:
    """Each vector of the last axis to mean 0 and variance 1, then scaled and shifted."""
    return _scale_and_shift(weights, name, F.layer_norm(x, (x.shape[-1],)))


MOMENTUM, EPSILON = 0.1, 1e-5


def batch_norm_buffers(name: str, width: int) -> dict[str, Parameter]:
    """Running statistics of a batch normalisation layer."""
    return {f"{name}.mean": Parameter((width,)), f"{name}.var": Parameter((width,), value=1.0)}


class _BatchNorm(torch.autograd.Function):
    """Normalisation by batch statistics; the derivative in closed form takes a third of the memory traffic."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, var: Tensor, used: Tensor | None, sizes: Tensor
    ) -> Tensor:
        scale = torch.rsqrt(var + EPSILON)
        normal = (x - mean).mul_(scale)
        ctx.save_for_backward(normal, weight * scale, sizes)
        ctx.used = used
        return torch.addcmul(bias, normal, weight)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        normal, scale, sizes = ctx.saved_tensors
        if ctx.used is not None:
            slope = slope * ctx.used
        bias = slope.sum(1, keepdim=True)
        weight = (slope * normal).sum(1, keepdim=True)
        # A lane of one row is normalised by constants: its statistics have no slope.
        share = torch.where(sizes > 1, scale / sizes, 0.0)
        x = torch.addcmul(-share * bias, slope, scale).addcmul_(normal, -share * weight)
        if ctx.used is not None:
            x.mul_(ctx.used)
        return x, weight, bias, None, None, None, None


def batch_norm(weights: Tensors, buffers: Tensors, name: str, x: Tensor, now: Pass) -> Tensor:
    """Batch normalisation of `x` (R, rows, width), each lane by the statistics of its own rows in use.

    A lane with a single row has no spread: it is normalised by its running statistics and leaves them as they are.
    """
    weight, bias = weights[f"{name}.weight"].unsqueeze(1), weights[f"{name}.bias"].unsqueeze(1)
    running_mean, running_var = buffers[f"{name}.mean"].unsqueeze(1), buffers[f"{name}.var"].unsqueeze(1)
    if not now.training:
        scale = weight * torch.rsqrt(running_var + EPSILON)
        return torch.addcmul(bias - running_mean * scale, x, scale)
    with torch.no_grad():
        mean = (x if now.used is None else x * now.used).sum(1, keepdim=True) / now.sizes
        squares = (x - mean).square_()
        var = (squares if now.used is None else squares * now.used).sum(1, keepdim=True) / now.sizes
        several = now.sizes > 1
        if min(now.counts) < 2:
            mean, var = torch.where(several, mean, running_mean), torch.where(several, var, running_var)
        momentum = torch.where(several, MOMENTUM, 0.0).expand_as(running_mean)
        unbiased = var * (now.sizes / (now.sizes - 1).clamp_(min=1))
        running_mean.lerp_(mean, momentum)
        running_var.lerp_(unbiased, momentum)
    normal = _BatchNorm.apply(x, weight, bias, mean, var, now.used, now.sizes)  # type: ignore[no-untyped-call]
    return cast(Tensor, normal)
