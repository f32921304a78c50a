"""Adam on stacked lanes, with a step count for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """First and second moments of every lane (Kingma & Ba 2015; decoupled decay: Loshchilov & Hutter 2019).

    The update is torch's fused kernel, which takes a list of tensors with a step count each: here the list of lanes.
    """

    def __init__(self, values: Tensor, gradients: Tensor, kind: Literal["adam", "adamw"], weight_decay: float) -> None:
        self._kernel = torch._fused_adam_ if kind == "adam" else torch._fused_adamw_
        self._decay = weight_decay
        self._moments = torch.zeros_like(values), torch.zeros_like(values)
        self._steps = torch.zeros(len(values), device=values.device)
        self._bind(values, gradients)

    def _bind(self, values: Tensor, gradients: Tensor) -> None:
        self._lanes = [list(x.unbind()) for x in (values, gradients, *self._moments, self._steps)]

    def keep(self, lanes: Tensor, values: Tensor, gradients: Tensor) -> None:
        """Drop all lanes but these, whose values and gradients are now rows of other tensors."""
        first, second = self._moments
        self._moments = first.index_select(0, lanes), second.index_select(0, lanes)
        self._steps = self._steps.index_select(0, lanes)
        self._bind(values, gradients)

    def update(self, lanes: Sequence[int], rate: float) -> None:
        """One step of `lanes` in place; the others stay as they are."""
        chosen = self._lanes
        if len(lanes) == len(self._steps):
            self._steps.add_(1)
        else:
            self._steps[torch.tensor(lanes, device=self._steps.device)] += 1
            chosen = [[rows[lane] for lane in lanes] for rows in self._lanes]
        values, gradients, first, second, steps = chosen
        self._kernel(
            values,
            gradients,
            first,
            second,
            [],
            steps,
            lr=rate,
            beta1=BETA_1,
            beta2=BETA_2,
            weight_decay=self._decay,
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
        )
