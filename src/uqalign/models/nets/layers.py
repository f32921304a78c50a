"""Layers over stacked lanes: `x` is (R, rows, ...), every weight has a leading axis of R."""

from __future__ import annotations

import math

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


def batch_norm(weights: Tensors, buffers: Tensors, name: str, x: Tensor, now: Pass) -> Tensor:
    """Batch normalisation of `x` (R, rows, width), each lane by the statistics of its own rows in use.

    A lane with a single row has no spread: it is normalised by its running statistics and leaves them as they are.
    """
    running_mean, running_var = buffers[f"{name}.mean"], buffers[f"{name}.var"]
    if not now.training:
        scale = torch.rsqrt(running_var + EPSILON).unsqueeze(1)
        return _scale_and_shift(weights, name, (x - running_mean.unsqueeze(1)) * scale)
    used = x if now.used is None else x * now.used
    count = now.sizes
    mean = used.sum(1, keepdim=True) / count
    centred = x - mean
    squares = centred.square() if now.used is None else centred.square() * now.used
    var = squares.sum(1, keepdim=True) / count
    several = count > 1
    alone = min(now.counts) <= 1
    with torch.no_grad():
        momentum = torch.where(several, MOMENTUM, 0.0)[:, 0]
        before_mean, before_var = (running_mean.clone(), running_var.clone()) if alone else (running_mean, running_var)
        unbiased = var * (count / (count - 1).clamp_(min=1))
        running_mean.lerp_(mean[:, 0], momentum.expand_as(running_mean))
        running_var.lerp_(unbiased[:, 0], momentum.expand_as(running_var))
    if alone:
        mean = torch.where(several, mean, before_mean.unsqueeze(1))
        var = torch.where(several, var, before_var.unsqueeze(1))
        centred = x - mean
    return _scale_and_shift(weights, name, centred * torch.rsqrt(var + EPSILON))
