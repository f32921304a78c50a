"""Which epoch to keep, by any metric: framework-neutral checkpoint selection with patience."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from uqalign.errors import UserError
from uqalign.metrics.metric import Metric
from uqalign.metrics.registry import get
from uqalign.registry import did_you_mean
from uqalign.tasks import Task

Tie = Literal["first", "last"]
_TIES: tuple[Tie, ...] = get_args(Tie)
_VERSION = 1


@dataclass(frozen=True)
class Epoch:
    """An epoch and the metric's value after it, as the metric is oriented (NaN where it was undefined)."""

    epoch: int
    value: float


class CheckpointSelector:
    """Keeps the best epoch of a training run under one metric.

    After every epoch, give it the validation predictions (`update`) or a value computed elsewhere (`update_value`); it
    returns whether that epoch is now the one to keep. `best` is valid at any time: whether training stopped early or
    ran to its end makes no difference.

    An epoch is better only if its value is; `min_delta` delays stopping alone. An undefined value (NaN) is never best
    and counts as an epoch without progress.

    Examples:
        >>> selector = CheckpointSelector("brier_infimal", task="multiclass", patience=2)
        >>> [selector.update_value(value) for value in (0.9, 0.5, 0.6, 0.7)]
        [True, True, False, False]
        >>> selector.best.epoch, selector.should_stop
        (1, True)

    Args:
        metric: a registered metric's name, a dotted path `package.module:NAME`, or a `Metric`.
        task: binary, multiclass, regression or multivariate; needed with a name.
        patience: epochs in a row without progress after which `should_stop` is true; None: never.
        min_delta: least improvement over the last progress that counts as progress.
        ties: which of several epochs with the best value to keep, the "first" or the "last".

    Raises:
        UserError: a name without a task, a metric of another task, or an option out of range.
    """

    def __init__(
        self,
        metric: Metric | str,
        *,
        task: Task | None = None,
        patience: int | None = None,
        min_delta: float = 0.0,
        ties: Tie = "first",
    ) -> None:
        if isinstance(metric, str):
            if task is None:
                raise UserError(f"metric {metric!r}: say for which task=, names are unique within a task")
            metric = get(task, metric)
        if task is not None and metric.task != task:
            raise UserError(f"metric {metric.name!r} is for {metric.task} problems, not {task}")
        if patience is not None and (isinstance(patience, bool) or patience != int(patience) or patience < 1):
            raise UserError(f"patience = {patience!r}: a whole number of epochs >= 1, or None")
        if not (math.isfinite(min_delta) and min_delta >= 0):
            raise UserError(f"min_delta = {min_delta!r}: must be finite and >= 0")
        if ties not in _TIES:
            raise UserError(f"ties = {ties!r}: {did_you_mean(str(ties), _TIES)}")
        self.metric = metric
        self.patience = patience
        self.min_delta = float(min_delta)
        self.ties: Tie = ties
        self._history: list[Epoch] = []
        self._best: Epoch | None = None
        self._progress: Epoch | None = None
        self._waited = 0

    def update(self, y_true: Any, *prediction: Any, sample_weight: Any = None, epoch: int | None = None) -> bool:
        """Score an epoch's predictions; true if it is the one to keep now.

        Args:
            y_true: labels or targets (n,) or (n, D).
            prediction: p; or mean and variance; or mean and covariance.
            sample_weight: non-negative weights (n,).
            epoch: its number (default: one more than the last, from 0).

        Raises:
            ValueError: invalid labels, predictions or weights, or an epoch that does not follow the last.
        """
        return self.update_value(self.metric.evaluate(y_true, prediction, sample_weight=sample_weight), epoch=epoch)

    def update_value(self, value: float, *, epoch: int | None = None) -> bool:
        """Take an epoch's value of the metric, computed elsewhere; true if it is the one to keep now.

        Args:
            value: as the metric is oriented (accuracy: higher is better).
            epoch: its number (default: one more than the last, from 0).

        Raises:
            UserError: an epoch that does not follow the last.
        """
        last = self._history[-1].epoch if self._history else -1
        number = last + 1 if epoch is None else int(epoch)
        if self._history and number <= last:
            raise UserError(f"epoch {number} does not follow epoch {last}: every epoch is given once, in order")
        entry = Epoch(number, float(value))
        self._history.append(entry)
        return self._take(entry)

    def _take(self, entry: Epoch) -> bool:
        loss = self.metric.signed(entry.value)
        if math.isnan(loss):
            self._waited += 1
            return False
        if self._progress is None or loss < self.metric.signed(self._progress.value) - self.min_delta:
            self._progress = entry
            self._waited = 0
        else:
            self._waited += 1
        best = math.inf if self._best is None else self.metric.signed(self._best.value)
        keep = self._best is None or loss < best or (loss == best and self.ties == "last")
        if keep:
            self._best = entry
        return keep

    @property
    def best(self) -> Epoch:
        """The epoch to keep.

        Raises:
            UserError: no epoch with a defined value yet.
        """
        if self._best is None:
            undefined = f"the metric {self.metric.name!r} was undefined in all of them" if self._history else "none yet"
            raise UserError(f"no epoch to keep among {len(self._history)}: {undefined}")
        return self._best

    @property
    def history(self) -> tuple[Epoch, ...]:
        """All epochs so far."""
        return tuple(self._history)

    @property
    def waited(self) -> int:
        """Epochs in a row without progress."""
        return self._waited

    @property
    def should_stop(self) -> bool:
        """Whether patience has run out."""
        return self.patience is not None and self._waited >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on after an interruption, as plain values (for `json` or `torch.save`).

        Values are kept as text in hexadecimal, so that JSON loses no bit and knows NaN and infinity.
        """
        return {
            "version": _VERSION,
            "metric": self.metric.name,
            "task": self.metric.task,
            "patience": self.patience,
            "min_delta": self.min_delta,
            "ties": self.ties,
            "history": [[entry.epoch, entry.value.hex()] for entry in self._history],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state_dict`; this selector must have been made with the same options.

        Raises:
            UserError: a state of another version, metric or options.
        """
        for key, mine in self.state_dict().items():
            if key != "history" and state.get(key) != mine:
                raise UserError(f"the state was saved with {key} = {state.get(key)!r}, this selector has {mine!r}")
        fresh = CheckpointSelector(self.metric, patience=self.patience, min_delta=self.min_delta, ties=self.ties)
        for epoch, value in state["history"]:
            fresh.update_value(float.fromhex(value), epoch=epoch)
        self.__dict__.update(fresh.__dict__)
