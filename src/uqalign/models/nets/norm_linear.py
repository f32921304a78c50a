"""Batch normalisation followed by a linear layer, as one layer with slopes in closed form.

With x the centred rows and s one over their standard deviations, y = (x * s * g + b) W + c = x V + d for V = s g W and
d = b W + c. The slopes of g, b and of the batch statistics follow from those of V and d, sums over a matrix of weights
instead of over the rows.
"""

from __future__ import annotations

import torch
from torch import Tensor

from uqalign.models.nets import passes
from uqalign.models.nets.layers import centre
from uqalign.models.nets.network import Sizes, Tensors
from uqalign.models.nets.products import product, product_of_columns, product_of_rows


class NormLinear:
    """The layers `norm` and `linear` in training, over rows (R, n, k) whose padding is zero.

    A lane with a single row is normalised by its running statistics, as in `batch_norm`.
    """

    def __init__(self, weights: Tensors, buffers: Tensors, norm: str, linear: str, sizes: Sizes) -> None:
        self._norm, self._linear, self._sizes = norm, linear, sizes
        self._gain, self._shift = weights[f"{norm}.weight"].unsqueeze(1), weights[f"{norm}.bias"].unsqueeze(1)
        self._weight, self._bias = weights[f"{linear}.weight"], weights[f"{linear}.bias"].unsqueeze(1)
        self._running = buffers[f"{norm}.mean"].unsqueeze(1), buffers[f"{norm}.var"].unsqueeze(1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(R, n, m), and (R, 1, m) to add to it; updates the running statistics."""
        self._centred, self._scale = centre(x, *self._running, self._sizes)
        self._folded, constant = passes.fold(self._weight, self._scale, self._gain, self._shift, self._bias)
        return product(self._centred, self._folded), constant

    def backward(self, pull: Tensor, total: Tensor, into: Tensors, beside: Tensor | None = None) -> Tensor:
        """Slope of the loss in the input, from that in the output and its sum over rows; zero for padding.

        Args:
            beside: the slope in the input along other ways, which is added.
        """
        slope = torch.empty_like(self._folded)
        product_of_columns(self._centred, pull, slope)
        constant, factor = passes.unfold(
            slope,
            total,
            (self._weight, self._scale, self._gain, self._shift),
            (
                into[f"{self._linear}.weight"],
                into[f"{self._norm}.weight"].unsqueeze(1),
                into[f"{self._norm}.bias"].unsqueeze(1),
            ),
            self._sizes,
        )
        into[f"{self._linear}.bias"].copy_(total.squeeze(1))
        x = product_of_rows(pull, self._folded)
        return passes.norm_slope(x, constant, self._centred, factor, beside, self._sizes)
