"""Alignment of one data set's metrics with decisions under other priors: by level, and over whole maps of priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.alignment import align, fold_mean, per_seed
from uqalign.contracts.scores import read_scores
from uqalign.contracts.sensitivity import LEVEL_COLUMNS, SURFACE_COLUMNS, UTILITY_COLUMNS, read_table, write_table
from uqalign.metrics.select import selected
from uqalign.protocol.agreements import agree_under
from uqalign.protocol.rankings import fold_mean_published, published_row_order
from uqalign.sensitivity.grid import ALL_LEVELS, BASE, grid_points, maps_of
from uqalign.sensitivity.surfaces import fold_means, metric_array, surface_frame, tau_surfaces
from uqalign.stages.common import check_code, parse_spec

if TYPE_CHECKING:
    import pandas as pd


def run(*, files: Sequence[Path], spec: str, code: str, levels: Path, surfaces: Path) -> str:
    """Write the agreement with the decisions of each level to `levels` and the surfaces to `surfaces`.

    Metrics are read from the score files. Alignment with drawn decisions follows the protocol; surfaces and exact
    expectations are compared by tau-b.

    Args:
        files: score files, then as many files of utilities under other priors.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    check_code(code, __name__)
    scores, utilities = files[: len(files) // 2], files[len(files) // 2 :]
    frame, _ = read_scores(scores)
    frame = frame[frame["seed"].isin(orders["seeds"])]
    extra = _utilities(utilities)
    extra = extra[extra["seed"].isin(orders["seeds"])]
    orientation = {
        name: metric.higher_is_better for name, metric in selected(orders["task"], orders["metrics"]).items()
    }
    by_level = _levels(frame, extra, orders, orientation).assign(dataset=orders["dataset"])
    maps = _surfaces(frame, extra, orders, orientation)
    metadata = {"spec": orders, "code": code}
    write_table(levels, by_level, "levels", LEVEL_COLUMNS, metadata)
    write_table(surfaces, maps, "surfaces", SURFACE_COLUMNS, metadata)
    undefined = int((maps["expected"] - maps["defined"]).sum())
    return (
        f"{orders['dataset']}: {len(by_level)} alignments by level, {int(by_level['tau'].isna().sum())} undefined; "
        f"{len(maps)} points of surfaces, {undefined} of {int(maps['expected'].sum())} taus undefined"
    )


def _utilities(paths: Sequence[Path]) -> pd.DataFrame:
    import pandas as pd

    frames = []
    for path in paths:
        part, metadata = read_table(path, "utilities", UTILITY_COLUMNS)
        frames.append(part.assign(model=metadata["model"]))
    return pd.concat([part for part in frames if len(part)] or frames[:1], ignore_index=True)


def _levels(
    scores: pd.DataFrame, extra: pd.DataFrame, orders: Mapping[str, Any], orientation: Mapping[str, bool]
) -> pd.DataFrame:
    """Agreement with the decisions drawn from each level, and with the exact expectations under its priors."""
    import pandas as pd

    switches = orders["protocol"]
    metrics = scores[scores["kind"] == "metric"]
    drawn, exact = (_as_scores(extra[extra["kind"] == kind]) for kind in ("decision", "level"))
    base = scores[scores["kind"] == "utility"]
    drawn = pd.concat([base.assign(theta=BASE + MARK + base["theta"]), drawn], ignore_index=True)
    parts = []
    for source, utilities, on in (("draws", drawn, switches), ("exact", exact, [])):
        models = published_row_order(orders["models"]) if on else orders["models"]
        mean = fold_mean_published if "nan_last" in on else fold_mean
        wide = per_seed(pd.concat([metrics, utilities], ignore_index=True), models, orders["n_folds"], mean)
        parts.append(align(wide, orientation, partial(agree_under, switches=on)).assign(source=source))
    table = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    marked = table["theta"].astype(str).str.partition(MARK)
    table["level"], table["theta"] = pd.Categorical(marked[0], ALL_LEVELS), marked[2]
    table = table.sort_values("level", kind="stable", ignore_index=True)
    return table.assign(level=table["level"].astype(str))


MARK = "|"
"""Between a level and a decision, while both travel as one name of a utility."""


def _as_scores(utilities: pd.DataFrame) -> pd.DataFrame:
    """Utilities as rows of a score file, their level in front of the decision."""
    marked = utilities["name"].astype(str) + MARK + utilities["theta"].astype(str)
    return utilities.assign(kind="utility", name=utilities["family"], theta=marked)


def _surfaces(
    scores: pd.DataFrame, extra: pd.DataFrame, orders: Mapping[str, Any], orientation: Mapping[str, bool]
) -> pd.DataFrame:
    import pandas as pd

    seeds, models, folds = orders["seeds"], orders["models"], orders["n_folds"]
    wide = per_seed(scores[scores["kind"] == "metric"], models, folds)
    metrics = metric_array(wide, seeds, orientation)
    points = len(grid_points()[0])
    frames = []
    on_maps = extra[extra["kind"] == "map"]
    for prior_map in maps_of(orders["task"]):
        rows = on_maps[(on_maps["family"] == prior_map.family.name) & (on_maps["name"] == prior_map.parameter)]
        taus = tau_surfaces(metrics, fold_means(rows, seeds, models, folds, points))
        frames.append(surface_frame(taus, list(orientation), prior_map, orders["dataset"]))
    return pd.concat(frames, ignore_index=True)
