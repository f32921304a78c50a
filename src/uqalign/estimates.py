"""How long a configuration will take, from the times that earlier runs recorded in their caches."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.files import METADATA_KEY

if TYPE_CHECKING:
    from uqalign.jobs import Plan


@dataclass(frozen=True)
class Record:
    """Mean time of one fit of a model on a data set, as a cache recorded it.

    Attributes:
        size: rows times features of the data set; nan where unknown.
        seconds: per fit (a share of the time, where fits ran together).
        fits: how many were timed.
        device: "cpu" or "cuda".
    """

    model: str
    dataset: str
    device: str
    size: float
    seconds: float
    fits: int


@dataclass(frozen=True)
class Estimate:
    """Projected time of all fits of a model on a data set.

    Attributes:
        fits: fits that the configuration asks for.
        seconds: per fit; nan where no time of this model is known.
        basis: "recorded" for this data set, "scaled" from others by rows x features, or "unknown".
    """

    model: str
    dataset: str
    device: str
    fits: int
    seconds: float
    basis: str

    @property
    def hours(self) -> float:
        """Hours of one core (or device) for all fits."""
        return self.fits * self.seconds / 3600


def read_records(results: Path, sizes: dict[str, float]) -> list[Record]:
    """Times of the fits in every readable prediction cache below `results`.

    Args:
        results: folder the workflow wrote to.
        sizes: rows times features by data set.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    totals: dict[tuple[str, str, str], tuple[float, int]] = {}
    for path in sorted((results / "predictions").glob("*/*/*/seeds-*/folds-*.parquet")):
        try:
            metadata = json.loads((pq.read_schema(path).metadata or {})[METADATA_KEY])
        except (pa.ArrowException, OSError, KeyError, ValueError):
            continue
        _, dataset, model = path.parts[-5:-2]
        device = str(metadata["device"]).partition(":")[0]
        times = [split["seconds"] for split in metadata["splits"] if not split["error"]]
        seconds, fits = totals.get((model, dataset, device), (0.0, 0))
        totals[model, dataset, device] = (seconds + sum(times), fits + len(times))
    return [
        Record(model, dataset, device, sizes.get(dataset, math.nan), seconds / fits, fits)
        for (model, dataset, device), (seconds, fits) in totals.items()
        if fits
    ]


def _scaled(records: Sequence[Record], size: float) -> float:
    """Seconds of a fit at `size`, from fits of the same model at other sizes: a power law through the two sizes that
    are nearest on a logarithmic scale, or proportional to the size where there is only one."""
    usable = sorted((r for r in records if r.size > 0), key=lambda r: abs(math.log(r.size / size)))
    if not usable or not size > 0:
        return math.nan
    nearest = usable[0]
    other = next((r for r in usable[1:] if r.size != nearest.size), None)
    exponent = 1.0
    if other is not None and other.seconds > 0 and nearest.seconds > 0:
        exponent = math.log(other.seconds / nearest.seconds) / math.log(other.size / nearest.size)
    # Two sizes close together say little about the exponent: between constant and quadratic.
    return float(nearest.seconds * (size / nearest.size) ** min(2.0, max(0.0, exponent)))


def dataset_sizes(plan: Plan) -> dict[str, float]:
    """Rows times features of every registered data set and those of the plan, by their declared facts."""
    from uqalign.data.registry import DATASETS_REGISTRY

    known = [*DATASETS_REGISTRY, *plan.datasets.values()]
    return {d.name: float(d.facts.rows * d.facts.features) for d in known if d.facts is not None}


def estimate(plan: Plan, records: Iterable[Record]) -> list[Estimate]:
    """Projected times of every model and data set of a plan, per device that any time was recorded on."""
    sizes = dataset_sizes(plan)
    by_model: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        by_model.setdefault((record.model, record.device), []).append(record)
    fits: dict[tuple[str, str], int] = {}
    for job in plan.jobs:
        key = (job.model, job.dataset)
        fits[key] = fits.get(key, 0) + len(job.seeds) * len(job.folds)
    found = []
    for (model, dataset), count in fits.items():
        devices = [device for name, device in by_model if name == model] or ["cpu"]
        for device in devices:
            timed = by_model.get((model, device), [])
            own = next((record for record in timed if record.dataset == dataset), None)
            seconds = own.seconds if own else _scaled(timed, sizes.get(dataset, math.nan))
            basis = "recorded" if own else "unknown" if math.isnan(seconds) else "scaled"
            found.append(Estimate(model, dataset, device, count, seconds, basis))
    return found
