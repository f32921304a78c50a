"""Batch normalisation followed by a linear layer, as one layer with slopes in closed form.

With x the centred rows and s one over their standard deviations, y = (x * s * g + b) W + c = x V + d for V = s g W and
d = b W + c. The slopes of g, b and of the batch statistics follow from those of V and d, sums over a matrix of weights
instead of over the rows.
"""

from __future__ import annotations

from torch import Tensor

from uqalign.models.nets import rowwise
from uqalign.models.nets.layers import centre
from uqalign.models.nets.network import Sizes, Tensors
from uqalign.models.nets.products import product, product_of_columns, product_of_rows


class NormLinear:
    """The layers `norm` and `linear` in training, over rows (R, n, k) whose padding is zero.

    A lane with a single row is normalised by its running statistics, as in `batch_norm`.
    """

    def __init__(self, weights: Tensors, buffers: Tensors, norm: str, linear: str, sizes: Sizes) -> None:
        self._norm, self._linear, self._sizes = norm, linear, sizes
        self._gain, self._shift = weights[f"{norm}.weight"].unsqueeze(2), weights[f"{norm}.bias"].unsqueeze(1)
        self._weight, self._bias = weights[f"{linear}.weight"], weights[f"{linear}.bias"].unsqueeze(1)
        self._running = buffers[f"{norm}.mean"].unsqueeze(1), buffers[f"{norm}.var"].unsqueeze(1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(R, n, m), and (R, 1, m) to add to it; updates the running statistics."""
        self._centred, scale = centre(x, *self._running, self._sizes)
        self._scale = scale.transpose(1, 2)
        self._factor = self._scale * self._gain
        self._folded = self._weight * self._factor
        return product(self._centred, self._folded), product(self._shift, self._weight).add_(self._bias)

    def backward(self, pull: Tensor, total: Tensor, into: Tensors, beside: Tensor | None = None) -> Tensor:
        """Slope of the loss in the input, from that in the output and its sum over rows, zero for rows that are padding.

        Args:
            beside: the slope in the input along other ways, which is added.
        """
        weight, sizes = into[f"{self._linear}.weight"], self._sizes
        product_of_columns(self._centred, pull, weight)
        into[f"{self._linear}.bias"].copy_(total.squeeze(1))
        gain = (weight * self._weight).sum(2, keepdim=True).mul_(self._scale)
        shift = product_of_rows(total, self._weight)
        into[f"{self._norm}.weight"].copy_(gain.squeeze(2))
        into[f"{self._norm}.bias"].copy_(shift.squeeze(1))
        weight.mul_(self._factor).addcmul_(self._shift.transpose(1, 2), total)
        share = self._factor * -sizes.slope
        constant, linear = shift * share.transpose(1, 2), (gain * self._scale * share).transpose(1, 2)
        return rowwise.norm_slope(product_of_rows(pull, self._folded), constant, self._centred, linear, beside, sizes)
