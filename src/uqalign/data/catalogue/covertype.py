"""Covertype: seven forest cover types from cartographic variables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, Url, uci
from uqalign.data.readers import csv, skipped_rows

if TYPE_CHECKING:
    import pandas as pd

FULL = Content(
    "covtype/covtype.data.gz",
    "614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771",
    0,
)
HEAD = Content(
    "covtype/covtype.20k.data",
    "55ff5c8510624a2fe57838017f96caf86914223f131572edd35a038f3e85e43e",
    2_578_724,
)
COLUMNS = (
    "elevation", "aspect", "slope", "horizontal_distance_to_hydrology", "vertical_distance_to_hydrology",
    "horizontal_distance_to_roadways", "hillshade_9am", "hillshade_noon", "hillshade_3pm",
    "horizontal_distance_to_fire_points",
    *(f"wilderness_area_{number}" for number in range(1, 5)),
    *(f"soil_type_{number:02d}" for number in range(1, 41)),
    "cover_type",
)  # fmt: skip
SAMPLE = 15_000
HEAD_ROWS = 20_000
CLASSES = tuple("1234567")
CITATION = (
    "Blackard, Dean (1999). Comparative accuracies of artificial neural networks and discriminant "
    "analysis in predicting forest cover types from cartographic variables. Computers and Electronics in "
    "Agriculture 24. doi:10.24432/C50K5N"
)


def stratified_sample(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """A stratified sample of 15,000 rows, round(n_c 15,000 / n) of class c, by RandomState(0), in file order.

    Parses the labels first and then only the sampled rows.
    """
    import numpy as np

    labels = csv(names=COLUMNS, usecols=["cover_type"], dtype=np.int8, compression="gzip")(files)
    label = labels["cover_type"].to_numpy()
    # The legacy generator is the one that drew the published sample.
    random = np.random.RandomState(0)
    drawn = []
    for name in np.unique(label):
        rows = np.flatnonzero(label == name)
        drawn.append(random.choice(rows, round(len(rows) * SAMPLE / len(label)), replace=False))
    skip = skipped_rows(len(label), np.concatenate(drawn).tolist(), header=0)
    files[0].seek(0)
    frame = csv(names=COLUMNS, skiprows=skip, dtype=np.int16, compression="gzip")(files)
    frame.attrs["raw_rows"] = len(label)
    return frame


def first_rows(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The first 20,000 rows of the complete file."""
    return csv(names=COLUMNS, nrows=HEAD_ROWS, compression="gzip")(files)


COMPLETE = (
    uci(31, "covertype", FULL.at("covtype.data.gz")),
    Url((FULL.at("covtype.data.gz"),), url="https://ndownloader.figshare.com/files/5976039", archive=False),
)

DATASETS = (
    Dataset(
        name="covertype",
        task="multiclass",
        title="Covertype, stratified sample",
        sources=(LocalFile((FULL.at(),)), *COMPLETE),
        read=stratified_sample,
        target="cover_type",
        classes=CLASSES,
        facts=Facts(
            rows=15_000,
            features=54,
            raw_rows=581_012,
            class_counts={"1": 5469, "2": 7314, "3": 923, "4": 71, "5": 245, "6": 448, "7": 530},
        ),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=31,
        note="15,000 of 581,012 rows, in the proportions of the classes.",
    ),
    Dataset(
        name="covertype_20k",
        task="multiclass",
        title="Covertype, first 20,000 rows",
        sources=(
            LocalFile((HEAD.at(),)),
            LocalFile((FULL.at(),), read=first_rows),
            *(replace(source, read=first_rows) for source in COMPLETE),
        ),
        read=csv(names=COLUMNS),
        target="cover_type",
        classes=CLASSES,
        facts=Facts(
            rows=20_000,
            features=54,
            class_counts={"1": 2942, "2": 6022, "3": 2160, "4": 2160, "5": 2396, "6": 2160, "7": 2160},
        ),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=31,
        note="Not a random sample: the first 15,120 rows hold every class equally often, the rest do not.",
    ),
)
