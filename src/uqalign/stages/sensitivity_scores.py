"""Utilities of one prediction cache under other priors: of drawn decisions, and expected over whole maps of priors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqalign.checks import noted
from uqalign.contracts.predictions import SplitResult
from uqalign.contracts.sensitivity import UTILITY_COLUMNS, write_table
from uqalign.families import LEVELS, Family, Theta, families_of, perturbed_thetas, theta_id
from uqalign.sensitivity.expected import Expected, expected_utilities
from uqalign.sensitivity.grid import ALL_LEVELS
from uqalign.stages.common import check_code, parse_spec
from uqalign.stages.trusted import trusted
from uqalign.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


def run(*, data: Path, splits: Path, predictions: Path, spec: str, code: str, out: Path) -> str:
    """Write the utilities of every split to `out`.

    Expected utilities are those of the definitions; drawn decisions follow the protocol of the configuration.

    Raises:
        FileError: a cache that is damaged, incomplete, of another job or made by other code.
    """
    import pandas as pd

    orders = parse_spec(spec)
    switches = orders["protocol"]
    check_code(code, __name__, *orders["modules"])
    cache, table = trusted(predictions, data, splits, orders["expects"])
    fitted = [split for split in cache.splits if split.prediction is not None]
    rows = list(_decisions(cache.task, fitted, table.n_classes or None, orders["thetas"], switches))
    drawn = pd.DataFrame(rows, columns=UTILITY_COLUMNS)
    problems = [(split.y, split.prediction) for split in fitted if split.prediction is not None]
    expected = {family.name: expected_utilities(family, problems) for family in families_of(cache.task)}
    frames = [drawn, *(frame for name, found in expected.items() for frame in _frames(name, found, fitted))]
    frame = pd.concat([part for part in frames if len(part)] or [drawn], ignore_index=True)
    errors = {name: found.error for name, found in expected.items()}
    metadata = {"spec": orders, "code": code, "model": predictions.parts[-3], "interpolation_error": errors}
    write_table(out, frame, "utilities", UTILITY_COLUMNS, metadata)
    undefined = int(frame["value"].isna().sum())
    bounds = ", ".join(f"{name} {error:.1g}" for name, error in errors.items())
    return f"{len(frame)} utilities of {len(fitted)} splits, {undefined} undefined; interpolation error up to {bounds}"


Taken = Callable[[tuple[Theta, ...]], tuple[Theta, ...]]


def _protocol(switches: Sequence[str]) -> tuple[Callable[..., float], Taken]:
    """How a decision is evaluated, and which decision is taken in the place of each."""
    if not switches:
        return Family.evaluate, tuple
    # By name, so that without switches neither the protocol nor the metrics it replaces are part of this stage.
    protocol = import_module("uqalign.protocol.utilities")

    def evaluate(*arguments: Any) -> float:
        return float(protocol.evaluate_utility(*arguments, switches))

    return evaluate, protocol.thetas_published if "theta_label" in switches else tuple


def _decisions(
    task: Task, splits: Sequence[SplitResult], n_classes: int | None, thetas: int, switches: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Rows of kind `decision`."""
    evaluate, taken = _protocol(switches)
    for level in LEVELS:
        for family, all_drawn in perturbed_thetas(task, level, n_classes).items():
            drawn = all_drawn[:thetas]
            for point, (theta, act) in enumerate(zip(drawn, taken(drawn), strict=True)):
                for split in splits:
                    value, note = noted(evaluate, family, split.y, split.prediction, act)
                    key = (split.seed, split.fold, family.name, "decision", level, point)
                    yield (*key, theta_id(theta), value, note)


def _frames(family: str, expected: Expected, splits: Sequence[SplitResult]) -> Iterator[pd.DataFrame]:
    """Rows of kind `map` and `level`, one frame per map and one for the levels."""
    import pandas as pd

    def frame(kind: str, name: Any, values: np.ndarray[Any, Any]) -> pd.DataFrame:
        points = values.shape[1]
        columns = {
            "seed": np.repeat([split.seed for split in splits], points),
            "fold": np.repeat([split.fold for split in splits], points),
            "family": family,
            "kind": kind,
            "name": name,
            "point": np.tile(np.arange(points), len(splits)),
            "theta": "",
            "value": values.ravel(),
            "note": np.repeat(np.array(expected.notes, dtype=object), points),
        }
        return pd.DataFrame(columns, columns=UTILITY_COLUMNS)

    for parameter, values in expected.maps.items():
        yield frame("map", parameter, values)
    yield frame("level", np.tile(np.array(ALL_LEVELS, dtype=object), len(splits)), expected.levels)
