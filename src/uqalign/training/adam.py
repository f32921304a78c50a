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

    def __init__(self, values: Tensor, kind: Literal["adam", "adamw"], weight_decay: float) -> None:
        self._kernel = torch._fused_adam_ if kind == "adam" else torch._fused_adamw_
        self._decay = weight_decay
        self._set(torch.zeros_like(values), torch.zeros_like(values), torch.zeros(len(values), device=values.device))

    def _set(self, first: Tensor, second: Tensor, steps: Tensor) -> None:
        self._first, self._second, self._steps = first, second, steps
        self._lanes = list(zip(first.unbind(), second.unbind(), steps.unbind(), strict=True))

    def keep(self, lanes: Tensor) -> None:
        """Drop all lanes but these."""
        self._set(*(x.index_select(0, lanes) for x in (self._first, self._second, self._steps)))

    def update(self, values: Tensor, gradients: Tensor, lanes: Sequence[int], rate: float) -> None:
        """One step of `lanes` in place; the others stay as they are."""
        if len(lanes) == len(values):
            self._steps.add_(1)
        else:
            self._steps[torch.tensor(lanes, device=values.device)] += 1
        rows, slopes = values.unbind(), gradients.unbind()
        first, second, steps = zip(*(self._lanes[lane] for lane in lanes), strict=True)
        self._kernel(
            [rows[lane] for lane in lanes],
            [slopes[lane] for lane in lanes],
            list(first),
            list(second),
            [],
            list(steps),
            lr=rate,
            beta1=BETA_1,
            beta2=BETA_2,
            weight_decay=self._decay,
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
        )
