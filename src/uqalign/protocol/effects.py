"""What each switch changes on a reference run: `python -m uqalign.protocol.effects FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.protocol.reference import ReferenceRun
from uqalign.protocol.switches import PUBLISHED, SWITCHES, Stage

if TYPE_CHECKING:
    import pandas as pd

COMPUTED: frozenset[Stage] = frozenset({"metric", "utility", "alignment", "theta"})
"""Stages that can be redone from stored predictions."""

KEYS = ["repeat", "family", "metric"]


def effects(folder: Path) -> pd.DataFrame:
    """Effect of each switch alone, and of all together, on the data sets of a reference run.

    Returns:
        columns switch, dataset, measures (those whose values change), value_change (largest change of a fold's value,
        relative to the mean size of that measure), tau_change and mean_tau_change (largest and mean change over
        repeats, metrics and families of tau averaged over the five decisions; where undefined on one side, not
        counted), undefined (such averages).
    """
    import pandas as pd

    names = sorted(path.stem.removeprefix("predictions_") for path in folder.glob("predictions_*.parquet"))
    rows = []
    for name in names:
        run = ReferenceRun.read(folder, name)
        ids = [s.id for s in SWITCHES.values() if run.task in s.tasks and COMPUTED.intersection(s.stages)]
        defined = run.by_fold([])
        tau = _mean_taus(run, defined, [])
        for switch in [*ids, PUBLISHED]:
            changed = run.by_fold([switch])
            rows.append(
                (switch, name, *_value_effect(defined, changed), *_tau_effect(tau, _mean_taus(run, changed, [switch])))
            )
    columns = ["switch", "dataset", "measures", "value_change", "tau_change", "mean_tau_change", "undefined"]
    return pd.DataFrame(rows, columns=columns)


def _value_effect(defined: pd.DataFrame, changed: pd.DataFrame) -> tuple[str, float]:
    keys = ["kind", "name", "theta", "repeat", "fold", "model"]
    both = defined.merge(changed, on=keys, suffixes=("", "_changed"))
    gap = (both["value_changed"] - both["value"]).abs().groupby(both["name"]).max()
    size = both["value"].abs().groupby(both["name"]).mean()
    relative = (gap / size)[gap > 1e-9 * size]
    return ", ".join(relative.index), float(relative.max()) if len(relative) else 0.0


def _mean_taus(run: ReferenceRun, folds: pd.DataFrame, switches: list[str]) -> pd.Series[float]:
    taus = run.taus(run.by_repeat(folds, switches), switches)
    return taus.groupby(KEYS)["tau"].mean()


def _tau_effect(defined: pd.Series[float], changed: pd.Series[float]) -> tuple[float, float, int]:
    gap = (changed - defined).abs()
    return float(gap.max()), float(gap.mean()), int((changed.isna() != defined.isna()).sum())


def to_markdown(table: pd.DataFrame) -> str:
    """`effects` as a Markdown table."""
    lines = [
        "| switch | data set | measures changed | value change / mean size | largest tau change | mean tau change |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in table.to_dict("records"):
        lines.append(
            f"| `{row['switch']}` | {row['dataset']} | {row['measures'] or 'none'} | {row['value_change']:.2g} "
            f"| {row['tau_change']:.2f} | {row['mean_tau_change']:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(to_markdown(effects(Path(sys.argv[1]))))
