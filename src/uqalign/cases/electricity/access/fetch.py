"""The three files of the case study electricity_belwind, and a manifest that says what they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from uqalign.cases.electricity.access import elia, entsoe
from uqalign.cases.electricity.access.manifest import FILES, MANIFEST
from uqalign.cases.electricity.horizons import FIRST_DAY, LAST_TEST_DAY
from uqalign.data.progress import SILENT, Progress
from uqalign.files import write_text
from uqalign.provenance import sha256_of, versions

if TYPE_CHECKING:
    import pandas as pd

    Obtain = Callable[[pd.Timestamp, pd.Timestamp], "pd.Series[float]"]


def period() -> tuple[pd.Timestamp, pd.Timestamp]:
    """First and last instant that the case study needs, in UTC."""
    import pandas as pd

    first = pd.Timestamp(FIRST_DAY, tz="UTC") - pd.Timedelta(days=2)
    return first, pd.Timestamp(LAST_TEST_DAY, tz="UTC") + pd.Timedelta(days=2)


def fetch(folder: Path, *, progress: Progress = SILENT, elia_address: str = elia.ADDRESS) -> dict[str, Path]:
    """Obtain generation, day-ahead and imbalance prices and write them below `folder`, with a manifest.

    The key is asked for first, so that nothing is fetched in vain. No file holds the key.

    Raises:
        MissingKeyError, SourceError, DataError: as the functions that obtain the series; the folder is left as it was.
    """
    start, end = period()
    sources: Mapping[str, Obtain] = {
        "generation": entsoe.plant_generation,
        "day_ahead": entsoe.day_ahead_prices,
        "balancing": lambda first, last: elia.imbalance_prices(first, last, address=elia_address, progress=progress),
    }
    found = {}
    for kind, obtain in sources.items():
        progress.say(f"fetching {kind} from {start:%Y-%m-%d} to {end:%Y-%m-%d}")
        found[kind] = obtain(start, end)
    paths = {}
    for kind, series in found.items():
        paths[kind] = folder / FILES[kind]
        write_text(paths[kind], csv_text(series))
    entries = {kind: {"sha256": sha256_of(path), "size": path.stat().st_size} for kind, path in paths.items()}
    told = {
        "files": entries,
        "plant": entsoe.PLANT,
        "from": f"{start:%Y-%m-%d}",
        "to": f"{end:%Y-%m-%d}",
        "fetched": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "versions": dict(versions("entsoe-py")),
    }
    write_text(folder / MANIFEST, json.dumps(told, indent=2, sort_keys=True) + "\n")
    return {**paths, "manifest": folder / MANIFEST}


def csv_text(series: pd.Series[float]) -> str:
    """A series as CSV: instants in UTC, values as they came; repeated rows once."""
    import pandas as pd

    instants = pd.DatetimeIndex(series.index).tz_convert("UTC")
    frame = pd.DataFrame({"datetime_utc": instants.strftime("%Y-%m-%dT%H:%M:%SZ"), str(series.name): series.to_numpy()})
    return frame.dropna().drop_duplicates().sort_values("datetime_utc").to_csv(index=False, lineterminator="\n")
