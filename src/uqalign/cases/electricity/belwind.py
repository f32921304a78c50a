"""The forecasting problems on the generation of Belwind phase 1 itself, from files that a person fetches with a key."""

from __future__ import annotations

from functools import partial

from uqalign.cases.electricity.access.manifest import FOLDER, fetched_contents
from uqalign.cases.electricity.horizons import horizon_datasets, read_market
from uqalign.data.declare import LocalFile, Manual

_MEMBERS = tuple(content.at() for content in fetched_contents())

HORIZONS = horizon_datasets(
    "electricity_belwind",
    "Belwind phase 1",
    (
        LocalFile(_MEMBERS, folder=str(FOLDER)),
        Manual(
            _MEMBERS,
            url="https://transparency.entsoe.eu",
            how="get a key, `export ENTSOE_API_KEY=...`, run `uqalign electricity fetch`; or fetch the file by hand",
        ),
    ),
    partial(read_market, generation="generation_mw", share=1.0, day_ahead_per_hour=1),
    note="Generation per plant as ENTSO-E publishes it (document A73, type B18).",
)
(
    H00, H01, H02, H03, H04, H05, H06, H07, H08, H09, H10, H11,
    H12, H13, H14, H15, H16, H17, H18, H19, H20, H21, H22, H23,
) = HORIZONS  # fmt: skip
