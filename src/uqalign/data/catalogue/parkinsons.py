"""Parkinsons Telemonitoring: motor scores from voice recordings."""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import csv

ORIGINAL = Content(
    "parkinsons/parkinsons_updrs.data",
    "f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39",
    911_261,
)

DATASETS = (
    Dataset(
        name="parkinsons",
        task="multivariate",
        title="Parkinsons Telemonitoring",
        sources=(
            LocalFile((ORIGINAL.at(),)),
            uci(189, "parkinsons+telemonitoring", ORIGINAL.at("parkinsons_updrs.data")),
        ),
        read=csv(),
        target=("motor_UPDRS", "total_UPDRS"),
        drop=("age", "sex", "test_time"),
        group="subject#",
        facts=Facts(
            rows=5_875,
            features=16,
            target_mean=(
                21.296229,
                29.018942,
            ),
            target_std=(
                8.1285896,
                10.699373,
            ),
        ),
        licence="CC BY 4.0",
        citation="Tsanas, Little, McSharry, Ramig (2009). Accurate telemonitoring of Parkinson's disease "
        "progression by noninvasive speech tests. IEEE Transactions on Biomedical Engineering 57. "
        "doi:10.24432/C5ZS3N",
        uci_id=189,
        note="About 140 rows of each of 42 patients: shuffled folds leak; `split: grouped` shows by how much.",
    ),
)
