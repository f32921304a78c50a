"""Solar Flare: flares of three strengths within a day of an active region's observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, uci
from uqalign.data.readers import csv

if TYPE_CHECKING:
    import pandas as pd

FIRST = Content(
    "solar_flare/flare.data1",
    "5d278f5ba26a5ee00a19ce930d446e511c6772196e73f6ebc34d668fb4730819",
    8_460,
)
SECOND = Content(
    "solar_flare/flare.data2",
    "78fdb7a42bfc9c8c3fffc81624b18a700a2e2aeca7a47e3c1f4939c830b41832",
    27_776,
)
COLUMNS = (
    "zurich_class", "largest_spot_size", "spot_distribution", "activity", "evolution", "previous_activity",
    "historically_complex", "became_complex", "area", "largest_spot_area", "common", "moderate", "severe",
)  # fmt: skip

# In the order in which the archive's description lists them.
ORDER = {"zurich_class": "ABCDEFH", "largest_spot_size": "XRSAHK", "spot_distribution": "XOIC"}


def ordinal(frame: pd.DataFrame) -> pd.DataFrame:
    """Letters as their place in the description's order, from 0."""
    codes = {column: {letter: code for code, letter in enumerate(letters)} for column, letters in ORDER.items()}
    return frame.assign(**{column: frame[column].map(code) for column, code in codes.items()})


DATASETS = (
    Dataset(
        name="flare",
        task="multivariate",
        title="Solar Flare",
        sources=(
            LocalFile((FIRST.at(), SECOND.at())),
            uci(89, "solar+flare", FIRST.at("flare.data1"), SECOND.at("flare.data2")),
        ),
        read=csv(names=COLUMNS, sep=r"\s+", skiprows=1),
        clean=ordinal,
        target=("common", "moderate", "severe"),
        facts=Facts(
            rows=1_389,
            features=10,
            target_mean=(
                0.26133909,
                0.067674586,
                0.0093592513,
            ),
            target_std=(
                0.75992777,
                0.35356723,
                0.10349657,
            ),
        ),
        licence="CC BY 4.0",
        citation="Bradshaw (1989). Solar Flare. UCI Machine Learning Repository. doi:10.24432/C5530G",
        uci_id=89,
        note="Counts, mostly zero; few distinct rows, so that shuffled folds test on rows seen in training.",
    ),
)
