"""Feature tokens and transformer layers over stacked lanes."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets.layers import layer_norm, linear, linear_parameters, norm_parameters
from uqalign.models.nets.network import Parameter, Pass, Tensors

MOST_SETS = 2**15
"""Sets in one call of torch's fused attention, whose kernels for CUDA know at most 65,535."""


def token_parameters(columns: int, width: int) -> dict[str, Parameter]:
    """A weight and a bias vector per feature, and the classification token."""
    bound = 1 / math.sqrt(width)
    return {
        "tokens.weight": Parameter((columns, width), bound),
        "tokens.bias": Parameter((columns, width), bound),
        "tokens.cls": Parameter((1, width), bound),
    }


def tokens(weights: Tensors, x: Tensor) -> Tensor:
    """(R, rows, 1 + columns, width): the classification token, then each feature times its weight plus its bias."""
    features = torch.addcmul(
        weights["tokens.bias"].unsqueeze(1), x.unsqueeze(-1), weights["tokens.weight"].unsqueeze(1)
    )
    first = weights["tokens.cls"].unsqueeze(1).expand(-1, x.shape[1], -1, -1)
    return torch.cat([first, features], dim=2)


def attention_parameters(name: str, width: int) -> dict[str, Parameter]:
    """Query, key, value and output projections with torch's defaults for multi-head attention."""
    return {
        f"{name}.query.weight": Parameter((width, width), math.sqrt(6 / (4 * width))),
        f"{name}.query.bias": Parameter((width,)),
        f"{name}.key_value.weight": Parameter((width, 2 * width), math.sqrt(6 / (4 * width))),
        f"{name}.key_value.bias": Parameter((2 * width,)),
        f"{name}.out.weight": Parameter((width, width), 1 / math.sqrt(width)),
        f"{name}.out.bias": Parameter((width,)),
    }


def attention(
    weights: Tensors,
    name: str,
    queries: Tensor,
    context: Tensor,
    *,
    heads: int,
    dropout: float,
    now: Pass,
    sets_are_rows: bool = True,
) -> Tensor:
    """Multi-head attention of `queries` (R, sets, q, width) to `context` (R, sets, k, width) of the same set.

    Args:
        sets_are_rows: False where a set is something else than a row, and none is padding.
    """
    lanes, sets, length, width = queries.shape

    def split(x: Tensor) -> Tensor:
        return x.view(lanes * sets, x.shape[2], -1, heads, width // heads).permute(2, 0, 3, 1, 4)

    (query,) = split(linear(weights, f"{name}.query", queries))
    key, value = split(linear(weights, f"{name}.key_value", context))
    if now.training and dropout:
        scores = (query * (width // heads) ** -0.5) @ key.transpose(-1, -2)
        share = torch.softmax(scores, dim=-1)
        counts = None if sets_are_rows else [sets] * lanes
        share = now.dropout(share.view(lanes, sets, *share.shape[1:]), dropout, counts).view(share.shape)
        mixed = share @ value
    else:
        parts = zip(*(x.split(MOST_SETS) for x in (query, key, value)), strict=True)
        mixed = torch.cat([F.scaled_dot_product_attention(q, k, v) for q, k, v in parts])
    return linear(weights, f"{name}.out", mixed.transpose(1, 2).reshape(lanes, sets, length, width))


def encoder_parameters(name: str, width: int) -> dict[str, Parameter]:
    """One post-norm transformer layer with a feed-forward network four times as wide."""
    return (
        attention_parameters(f"{name}.attention", width)
        | norm_parameters(f"{name}.norm1", width)
        | linear_parameters(f"{name}.first", width, 4 * width)
        | linear_parameters(f"{name}.second", 4 * width, width)
        | norm_parameters(f"{name}.norm2", width)
    )


def encoder_layer(
    weights: Tensors, name: str, x: Tensor, *, heads: int, dropout: float, now: Pass, only_first: bool
) -> Tensor:
    """A post-norm layer over `x` (R, rows, tokens, width): norm(x + attention), then norm(x + feed-forward).

    Args:
        only_first: compute the first token's output alone, which is all that is read of a last layer.
    """
    queries = x[:, :, :1] if only_first else x
    mixed = attention(weights, f"{name}.attention", queries, x, heads=heads, dropout=dropout, now=now)
    x = layer_norm(weights, f"{name}.norm1", queries + now.dropout(mixed, dropout))
    hidden = now.dropout(F.gelu(linear(weights, f"{name}.first", x)), dropout)
    return layer_norm(weights, f"{name}.norm2", x + now.dropout(linear(weights, f"{name}.second", hidden), dropout))
